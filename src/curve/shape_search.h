/*
 * shape_search.h - breaks of a curve, by an exact partition and tests of its cuts.
 */
#pragma once

#include "curve/shape_place.h"
#include "stats/partition.h"

/* Tests per point in the correction of p: one of the gap before it, and those of runs that
 * begin with it, which are highly correlated. */
enum { NP_SEARCH_PLACES = 4 };

/* A break that is tested. */
struct np_candidate {
	struct np_place place;
	enum np_break_kind kind;
	size_t first, last; /* as in np_break */
};

struct np_search {
	struct np_shape_work work;
	double *numbers; /* memory of the arrays of doubles and of bools */
	bool *flags;
	struct np_part *parts;	    /* scratch, count parts */
	struct np_candidate *taken; /* room for count candidates */
	size_t taken_count;
	size_t places; /* number of tests that p is corrected for */
};

/* Fills taken with the breaks, ascending.  The caller sets all other members but the
 * errors, which are estimated again once breaks are known.  Returns 0 or -ENOMEM. */
int np_search_run(struct np_search *search);

/* p-value of a candidate at its place alone; null hypothesis: smooth curve. */
double np_search_chance(const struct np_search *search,
			const struct np_candidate *candidate);
