/*
 * calibrate.h - calibration: messages a sample, samples a block, blocks a visit.
 */
#pragma once

#include "run/campaign.h"

/* Composition of a block. */
struct np_block_plan {
	uint64_t messages;	/* messages of a sample */
	size_t warmup, samples; /* samples that precede the timed ones; timed samples */
};

/* Runs a block in both processes and advances state->cursor by the slots that it used.
 * Returns 0 or -errno. */
int np_campaign_block(struct np_campaign *campaign, struct np_size_state *state,
		      const struct np_block *block, struct np_outcome *outcome,
		      struct np_error *error);

/* -B: refuses a fixed number of messages a sample that exceeds the receives that can be
 * posted for a block.  Both processes are armed.  Returns 0 or -EINVAL. */
int np_calibration_fixed(const struct np_campaign *campaign, size_t length,
			 uint64_t messages, struct np_error *error);

/*
 * Sets state->messages, the messages of a sample, and state->batch_ns: the number grows
 * from 1 until a sample has its target duration.  The first sample is measured alone;
 * unless it is longer than a visit, the fastest of several samples counts.  `template`
 * gives mode and slot.  Returns 0 or -errno.
 */
int np_calibrate(struct np_campaign *campaign, struct np_size_state *state,
		 const struct np_block *template, struct np_error *error);

/* Returns the composition of a block of a size whose state np_calibrate() has set. */
struct np_block_plan np_block_plan_make(const struct np_campaign *campaign,
					const struct np_size_state *state);

/* Returns the number of blocks of each mode and variant in a visit, at least 1: fewer than
 * planned if a block is longer than its share of a visit. */
size_t np_count_rounds(const struct np_campaign *campaign,
		       const struct np_size_state *state,
		       const struct np_block_plan *block_plan);

/* Sets the expected duration of a sample to a measured one, batch_ns.  A size whose samples
 * are much shorter than the target is calibrated again at its next visit: the calibration
 * was disturbed. */
void np_calibration_update(const struct np_campaign *campaign, struct np_size_state *state,
			   double batch_ns);
