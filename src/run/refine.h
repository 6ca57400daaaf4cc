/*
 * refine.h - --refine: search for steps and dropouts between sizes, after the passes.
 *
 * Runs in the client (rank 0).  The search measures in the mode of the first row: all
 * gaps that may hold a step according to the passes, while its time lasts.  In rotation
 * beside reuse it follows only the ratio of the two.  Its visits are short, are stored
 * as visits of the search, and enter no row.  Of several variants it measures the
 * first.
 */
#ifndef NP_REFINE_H
#define NP_REFINE_H

#include "run/campaign.h"
#include "questions/found.h"
#include "questions/jumps.h"

/* A bend that the search met, with its mode. */
struct np_refine_bend {
	enum np_mode mode;
	struct np_note bend;
};

/* Summary of the search. */
struct np_refining {
	size_t gaps, gaps_left; /* searched; of these, not finished for lack of time */
	size_t gaps_clear;	/* not searched: the passes show no step there */
	size_t visits;
	double seconds;
	bool ran;
	struct np_refine_bend *bends;
	size_t bend_count;
};

/* Runs the search, with the passes complete and the pool mapped.  Takes at most three
 * times the budget of the passes.  Returns 0 or -errno.  np_refining_free() is to be
 * called in either case. */
int np_refine_run(struct np_campaign *campaign, struct np_refining *refining,
		  struct np_error *error);
void np_refining_free(struct np_refining *refining);

/* A step or dropout, with its mode. */
struct np_refined {
	enum np_mode mode;
	struct np_found found;
};

/*
 * Derives steps and dropouts from the visits of a search, complete or not; those that
 * are not even likely are omitted.  The caller frees the list.  Returns 0 or -ENOMEM.
 */
int np_refine_derive(const struct np_results *results, struct np_refined **refined,
		     size_t *count);

/* refine_suspects.c: evidence of the passes for a step in each gap between two of the
 * sizes, in a mode; with base, in the ratio of the mode to base.  suspicion has `count`
 * elements.  Returns 0 or -ENOMEM. */
int np_refine_suspect(const struct np_results *results, const size_t *sizes, size_t count,
		      enum np_mode mode, const enum np_mode *base,
		      struct np_suspicion *suspicion);

#endif
