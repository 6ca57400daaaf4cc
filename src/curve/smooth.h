/*
 * smooth.h - whether points lie within a tolerance of a smooth curve.
 *
 * Smooth as in segments.h, for lines from size to size: time does not fall, and the cost of
 * a further byte changes by at most a factor of 2^bend an octave.
 */
#pragma once

#include "curve/curve.h"

enum { NP_SMOOTH_MOST = 64 }; /* most points */

/* Factor by which a point may be off: 1 + tolerance, or that of its interval if larger. */
double np_smooth_factor(const struct np_point *point, double tolerance);

/* Number of points, from the first on, that lie within their factors of one smooth curve.
 * count is at most NP_SMOOTH_MOST. */
size_t np_smooth_reach(const struct np_point *points, size_t count, double bend,
		       double tolerance);
