/*
 * shape_search.h - takes the clearest feature of a curve, then the next.
 */
#ifndef NP_SHAPE_SEARCH_H
#define NP_SHAPE_SEARCH_H

#include "curve/shape_place.h"

enum {
	NP_BREAKS_MOST = 64, /* features of a curve */
	/* Places that a point stands for when p is corrected: a gap, and runs
	 * that begin with it, which are much alike. */
	NP_SEARCH_PLACES = 4
};

/* What may be at a point: a break before it, or a run that begins with it. */
struct np_candidate {
	struct np_place place;
	enum np_break_kind kind;
	size_t first, last; /* as np_break */
};

struct np_search {
	struct np_shape_work work;
	struct np_candidate *best; /* of each point */
	bool *stale;		   /* of each point: best is of the past */
	double *error_before;	   /* of each point: as work's when it was last looked */
	struct np_candidate taken[NP_BREAKS_MOST];
	size_t taken_count;
	size_t places; /* that are looked at: what p is corrected for */
};

/* Fills taken, ascending.  All but taken is set by the caller; work's noise is
 * measured here, again when features are known.  Takes no memory. */
void np_search_run(struct np_search *search);

/* The chance of such a feature in a smooth curve, at its place alone. */
double np_search_chance(const struct np_search *search,
			const struct np_candidate *candidate);

#endif
