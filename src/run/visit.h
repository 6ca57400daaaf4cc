/*
 * visit.h - visit of a size: its measurement in one pass.
 */
#pragma once

#include "run/campaign.h"

/* Visits a size in every mode and variant of the plan, or, for the sentinel, in the first
 * mode and variant.  Adds the visits to the results and calls observer->visit(). Returns 0
 * or -errno. */
int np_visit_size(struct np_campaign *campaign, struct np_size_state *state, bool sentinel,
		  struct np_error *error);
