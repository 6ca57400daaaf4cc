/*
 * analysis.h - breaks, segments and lines of a curve, for text and pictures.
 */
#pragma once

#include "curve/curve.h"
#include "curve/fit.h"
#include "report/curves/run.h"
#include "results/limit.h"
#include "curve/segments.h"

struct np_analysis {
	const struct np_series *series;
	struct np_point *points; /* of the series, those with a time */
	size_t count;
	struct np_shape shape;
	struct np_line_fit *fits; /* one for each segment of the shape */
	/* For each segment: t0 or n_1/2 is NAN, as it would lie far outside. */
	bool *extrapolated;
	bool once; /* some points have no interval: breaks are not significant */
};

/* Analyses all series of a run, in their order; the caller frees with np_analyses_free().
 * NULL and an error without memory. */
struct np_analysis *np_analyse_run(const struct np_run *run, struct np_error *error);
void np_analyses_free(struct np_analysis *analyses, size_t count);
