/*
 * refined.h - the result of --refine: the extent of the search, and the steps and dropouts
 * that its visits show.
 */
#pragma once

#include "questions/found.h"
#include "questions/steps.h"

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

void np_refining_free(struct np_refining *refining);

/*
 * Derives steps and dropouts from the visits of a search, complete or not; those that
 * are not even likely are omitted.  The caller frees the list.  Returns 0 or -ENOMEM.
 */
int np_refine_derive(const struct np_results *results, struct np_found **found,
		     size_t *count);
