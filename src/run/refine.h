/*
 * refine.h - --refine: search for steps and dropouts between sizes, after the passes.
 *
 * Runs in the client (rank 0).  In the mode of the first row, the search measures all gaps
 * that may hold a step according to the passes, within its time limit.  In rotation beside
 * reuse, the search follows only the ratio of the two.  Visits of the search are short and
 * enter no row.  Only the first variant is measured.
 */
#pragma once

#include "run/campaign.h"
#include "questions/refined.h"

/* Runs the search, with the passes complete and the pool mapped.  Takes at most three
 * times the budget of the passes, and a quarter more where a question takes that long.
 * Returns 0 or -errno.  np_refining_free() is to be called in either case. */
int np_refine_run(struct np_campaign *campaign, struct np_refining *refining,
		  struct np_error *error);
