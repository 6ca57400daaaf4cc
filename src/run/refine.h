/*
 * refine.h - --refine: after the passes, the gaps between sizes are searched for steps
 * and dropouts (jumps.h), at the transmitter.
 *
 * The search measures in the mode of the first row: all gaps that may hold a jump by
 * what the passes say, while its time lasts.  In rotation beside reuse it follows only what
 * the ratio of the two shows.  Its visits are short, are stored as visits that refine, and
 * are in no row.  Of several ways that are compared it takes the first.
 */
#ifndef NP_REFINE_H
#define NP_REFINE_H

#include "run/campaign.h"
#include "questions/found.h"
#include "questions/jumps.h"

/* What stood out and was no jump, with the mode in which it did. */
struct np_refine_bend {
	enum np_mode mode;
	struct np_note bend;
};

/* What the search did. */
struct np_refining {
	size_t gaps, gaps_left; /* looked into; of these, those that time ran out for */
	size_t gaps_clear;	/* not looked into: the passes show no jump there */
	size_t visits;
	double seconds;
	bool ran;
	struct np_refine_bend *bends;
	size_t bend_count;
};

/* Runs it, with the passes over and the ends mapped.  It takes at most three times as long
 * as the budget of the passes.  Returns 0 or -errno.  np_refining_free() copes with both.
 */
int np_refine_run(struct np_campaign *campaign, struct np_refining *refining,
		  struct np_error *error);
void np_refining_free(struct np_refining *refining);

/* A step or dropout, with the mode that shows it. */
struct np_refined {
	enum np_mode mode;
	struct np_found found;
};

/*
 * The steps and dropouts that the visits of a run's search say; pure, and the same
 * whether the run was complete or not.  Those that are not even likely are left out.
 * The list is the caller's to free.  Returns 0 or -ENOMEM.
 */
int np_refine_derive(const struct np_results *results, struct np_refined **refined,
		     size_t *count);

/* refine_suspects.c: what the passes say of a jump in each gap between two of the
 * sizes, in an mode; with base, in the ratio of the mode to base.  suspicion has room for
 * count of them.  Returns 0 or -ENOMEM. */
int np_refine_suspect(const struct np_results *results, const size_t *sizes, size_t count,
		      enum np_mode mode, const enum np_mode *base,
		      struct np_suspicion *suspicion);

#endif
