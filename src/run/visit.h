/*
 * visit.h - visit of a size: its measurement in one pass.
 */
#pragma once

#include "run/campaign.h"

/* Visits a size in every mode and variant of the plan, or, for the sentinel,
 * in the first of each; stores the visits and calls back. */
int np_visit_size(struct np_campaign *campaign, struct np_size_state *state, bool sentinel,
		  struct np_error *error);
