/*
 * refined.h - the result of --refine: the extent of the search, and the steps and dropouts
 * that its visits show.
 */
#pragma once

#include "curve/segments.h"
#include "questions/step_confirm.h"
#include "questions/steps.h"

/* A bend that the search met, with its mode. */
struct np_refine_bend {
	enum np_mode mode;
	struct np_note bend;
};

/* Summary of the search, of the first mode in all gaps, of others in suspect ones. */
struct np_refining {
	size_t gaps, gaps_left; /* searched; of these, not finished for lack of time */
	size_t gaps_clear;	/* not searched: the passes show no step there */
	size_t searched_to;	/* bytes: no gap of the first mode is left below */
	size_t visits;
	double seconds;
	bool ran;
	struct np_refine_bend *bends;
	size_t bend_count;
};

void np_refining_free(struct np_refining *refining);

/*
 * Derives steps and dropouts from the visits of a search, complete or not; those that
 * are not even likely are omitted.  The caller frees the list.  Returns 0 or -ENOMEM.
 */
int np_refine_derive(const struct np_results *results, struct np_confirmed **found,
		     size_t *count);

/* Whether one of these lies at the sizes of a break of a curve. */
bool np_refine_has(const struct np_confirmed *found, size_t count,
		   const struct np_break *at);

/* Steps and dropouts of the curve of the first mode are not significant in gaps that were
 * searched, unless the search has found one of these there. */
void np_refine_deny(const struct np_confirmed *found, size_t count, size_t searched_to,
		    struct np_shape *shape);
