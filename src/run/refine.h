/*
 * refine.h - --refine: search for steps and dropouts between sizes, after the passes.
 *
 * Runs in the client (rank 0).  The search measures in the mode of the first row: all
 * gaps that may hold a step according to the passes, while its time lasts.  In rotation
 * beside reuse it follows only the ratio of the two.  Its visits are short, are stored
 * as visits of the search, and enter no row.  Of several variants it measures the
 * first.
 */
#pragma once

#include "run/campaign.h"
#include "questions/refined.h"

/* Runs the search, with the passes complete and the pool mapped.  Takes at most three
 * times the budget of the passes, and a quarter more where a question takes that long.
 * Returns 0 or -errno.  np_refining_free() is to be called in either case. */
int np_refine_run(struct np_campaign *campaign, struct np_refining *refining,
		  struct np_error *error);
