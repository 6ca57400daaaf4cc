/*
 * shape_search.h - a greedy search: the clearest break of a curve, then the next.
 */
#pragma once

#include "curve/shape_place.h"

enum {
	NP_BREAKS_MOST = 64, /* breaks of a curve */
	/* Tests that a point counts for when p is corrected: of a gap, and of runs
	 * that begin with it, which are much alike. */
	NP_SEARCH_PLACES = 4
};

/* A possible break at a point: a gap before it, or a run that begins with it. */
struct np_candidate {
	struct np_place place;
	enum np_break_kind kind;
	size_t first, last; /* as np_break */
};

struct np_search {
	struct np_shape_work work;
	double *numbers; /* memory of the arrays of doubles, and of those of bools */
	bool *flags;
	struct np_candidate *best; /* of each point */
	bool *stale;		   /* of each point: best has to be tested again */
	double *error_before;	   /* of each point: its error at the last test */
	struct np_candidate taken[NP_BREAKS_MOST];
	size_t taken_count;
	size_t places; /* tests that p is corrected for */
};

/* Fills taken, ascending.  The caller sets all members but taken; noise is estimated here,
 * and again once breaks are known.  Takes no memory. */
void np_search_run(struct np_search *search);

/* The chance of such a break in a smooth curve, at its place alone. */
double np_search_chance(const struct np_search *search,
			const struct np_candidate *candidate);
