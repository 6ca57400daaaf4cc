/*
 * analysis.h - what a curve shows: breaks, segments and lines.  One code for the summary of
 * a run and for NPreport.
 */
#pragma once

#include "curve/curve.h"
#include "curve/fit.h"
#include "curve/segments.h"

struct np_analysis {
	struct np_point *points;
	size_t count;
	struct np_shape shape;
	struct np_line_fit *fits; /* one for each segment of the shape */
	/* For each segment: t0 or n_1/2 is NAN, as it would lie far outside. */
	bool *extrapolated;
	bool once;    /* some points have no interval: breaks are not significant */
	double apart; /* set by the caller: of two host states (host_state.h) */
};

/* Makes room for so many points.  Returns 0 or -ENOMEM; np_analysis_free() copes with
 * both. */
int np_analysis_init(struct np_analysis *analysis, size_t room);
void np_analysis_free(struct np_analysis *analysis);

/* Adds a size, above all before it.  One without a time is left out; an interval that does
 * not contain the time is dropped. */
void np_analysis_add(struct np_analysis *analysis, size_t bytes, double seconds, double low,
		     double high);

/* Finds breaks and segments of the points, and fits a line to each segment.  Returns 0,
 * -EINVAL if sizes do not ascend, or -ENOMEM. */
int np_analysis_derive(struct np_analysis *analysis);
