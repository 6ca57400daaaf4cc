/*
 * shape_search.h - greedy search: the most significant break of a curve, then the next.
 */
#pragma once

#include "curve/shape_place.h"

enum {
	NP_BREAKS_MOST = 64, /* most breaks of a curve */
	/* Tests per point in the correction of p: one of the gap before it, and those of
	 * runs that begin with it, which are highly correlated. */
	NP_SEARCH_PLACES = 4
};

/* Candidate at a point: a break in the gap before it, or a dropout that begins with it. */
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
	bool *stale;		   /* by point: best is outdated */
	double *error_before;	   /* by point: standard error at the last test */
	struct np_candidate taken[NP_BREAKS_MOST];
	size_t taken_count;
	size_t places; /* number of tests that p is corrected for */
};

/* Fills taken with the breaks, ascending.  The caller sets all other members but the
 * errors, which are estimated again once breaks are known.  Allocates no memory. */
void np_search_run(struct np_search *search);

/* p-value of a candidate at its place alone; null hypothesis: smooth curve. */
double np_search_chance(const struct np_search *search,
			const struct np_candidate *candidate);
