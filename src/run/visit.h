/*
 * visit.h - visit of a size: its calibration and its measurement in one pass; one block.
 */
#pragma once

#include "run/campaign.h"

/* Visits a size in every mode and variant of the plan, or, for the sentinel, in the first
 * mode and variant.  Adds the visits to the results and calls observer->visit(). Returns 0
 * or -errno. */
int np_visit_size(struct np_campaign *campaign, struct np_size_state *state, bool sentinel,
		  struct np_error *error);

/* Runs a block in both processes and advances state->cursor by the slots that it used.
 * Returns 0 or -errno. */
int np_campaign_block(struct np_campaign *campaign, struct np_size_state *state,
		      const struct np_block *block, struct np_outcome *outcome,
		      struct np_error *error);

/* -B: refuses a fixed number of messages a sample that exceeds the receives that can be
 * posted for a block.  Both processes are armed.  Returns 0 or -EINVAL. */
int np_calibration_fixed(const struct np_campaign *campaign, size_t length,
			 uint64_t messages, struct np_error *error);
