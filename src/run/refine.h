/*
 * refine.h - --refine: search for steps and dropouts between sizes, after the passes.
 *
 * Runs in the client (rank 0).  In the first mode of the plan, the search measures all gaps
 * between sizes in which the passes do not exclude a step.  In rotate beside reuse, it
 * measures gaps in which the ratio of the two may have a step.  Visits of the search are
 * short and enter no row.  Only the first variant is measured.
 */
#pragma once

#include "run/campaign.h"
#include "questions/refined.h"

/* Runs the search, with the passes complete and the pool mapped.  Takes at most three times
 * the budget of the passes, and a quarter more to complete a question (steps.h): sizes that
 * are measured in rounds.  Returns 0 or -errno.  np_refining_free() is to be called in
 * either case. */
int np_refine_run(struct np_campaign *campaign, struct np_refining *refining,
		  struct np_error *error);
