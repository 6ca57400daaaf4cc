/*
 * analysis.h - what src/ finds in a curve, for whoever prints or draws it.
 */
#ifndef NP_ANALYSIS_H
#define NP_ANALYSIS_H

#include "curve/curve.h"
#include "curve/fit.h"
#include "results/limit.h"
#include "report/curves/run.h"
#include "curve/segments.h"

struct np_analysis {
	const struct np_series *series;
	struct np_point *points; /* of the series, those with a time; count of them */
	size_t count;
	struct np_shape shape;
	struct np_line_fit *fits; /* one for each segment of the shape */
	/* For each segment: t0 or n_1/2 would lie far outside it, and is NAN. */
	bool *extrapolated;
	bool once; /* not all points have intervals: what stands out is not sure */
};

/* Of all series of a run, in their order; the caller frees with
 * np_analyses_free().  NULL and an error without memory. */
struct np_analysis *np_analyse_run(const struct np_run *run, struct np_error *error);
void np_analyses_free(struct np_analysis *analyses, size_t count);

/* The limits that the machine or the library reports where a break lies, between two
 * sizes (limit.h); the first, at most room.  Returns how many. */
size_t np_limits_near(const struct np_run *run, size_t low, size_t high,
		      struct np_limit *limits, size_t room);

#endif
