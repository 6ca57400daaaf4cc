/*
 * refined.h - the result of --refine: extent of the search, steps and dropouts found.
 */
#pragma once

#include "curve/segments.h"
#include "questions/step_confirm.h"
#include "questions/steps.h"

/* A bend or bimodal size found by the search, and its mode. */
struct np_refine_bend {
	enum np_mode mode;
	struct np_note bend;
};

/* Extent of the search: the first mode in all gaps, other modes in suspect gaps. */
struct np_refining {
	size_t gaps, gaps_left; /* gaps searched; of these, unfinished for lack of time */
	size_t gaps_clear;	/* gaps not searched: the passes exclude a step there */
	size_t searched_to;	/* bytes: all gaps of the first mode below are searched */
	size_t visits;		/* measured by the search */
	double seconds;		/* duration of the search */
	bool ran;
	struct np_refine_bend *bends;
	size_t bend_count;
};

void np_refining_free(struct np_refining *refining);

/* Derives steps and dropouts from the visits of a search, complete or not, without those
 * that are not significant at 5 %.  The caller frees the list.  Returns 0 or -ENOMEM. */
int np_refine_derive(const struct np_results *results, struct np_confirmed **found,
		     size_t *count);

/* Returns true if a step or dropout of the search overlaps the sizes of a break of a curve.
 */
bool np_refine_has(const struct np_confirmed *found, size_t count,
		   const struct np_break *at);

/* Clears the significance of steps and dropouts of the curve of the first mode that lie in
 * searched gaps and that the search has not found. */
void np_refine_deny(const struct np_confirmed *found, size_t count, size_t searched_to,
		    struct np_shape *shape);

/* Estimates the step in each gap between neighbouring sizes, with standard error, from the
 * visits of the passes.  base: NULL for the times of a mode, or the mode that divides them.
 * suspicion[i] is of the gap between sizes i and i + 1; it has `count` elements.  Returns 0
 * or -ENOMEM. */
int np_refine_suspect(const struct np_results *results, const size_t *sizes, size_t count,
		      enum np_mode mode, const enum np_mode *base,
		      struct np_suspicion *suspicion);
