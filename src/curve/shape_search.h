/*
 * shape_search.h - greedy search: the most significant break of a curve, then the next.
 */
#pragma once

#include "curve/shape_place.h"

enum {
	NP_BREAKS_MOST = 64, /* most breaks of a curve */
	/* Tests per point in the correction of p: one of a gap, and those of runs that
	   begin with the point, which are highly correlated. */
	NP_SEARCH_PLACES = 4
};

/* Candidate at a point: a gap before it, or a run that begins with it. */
struct np_candidate {
	struct np_place place;
	enum np_break_kind kind;
	size_t first, last; /* as in np_break */
};

struct np_search {
	struct np_shape_work work;
	double *numbers; /* memory of the arrays of doubles and of bools */
	bool *flags;
	struct np_candidate *best; /* by point */
	bool *stale;		   /* by point: best must be tested again */
	double *error_before;	   /* by point: error at the last test */
	struct np_candidate taken[NP_BREAKS_MOST];
	size_t taken_count;
	size_t places; /* number of tests that p is corrected for */
};

/* Fills taken, ascending.  The caller sets all other members; noise is estimated, and again
 * once breaks are known.  Allocates no memory. */
void np_search_run(struct np_search *search);

/* Probability of such a break in a smooth curve, at its place alone. */
double np_search_chance(const struct np_search *search,
			const struct np_candidate *candidate);
