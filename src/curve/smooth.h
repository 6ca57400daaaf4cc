/*
 * smooth.h - whether points lie within a tolerance of a curve that is smooth.
 *
 * Smooth is what segments.h calls so, of lines from size to size: time does not fall, and
 * the cost of a further byte changes by no more than a factor of 2^bend an octave.
 */
#pragma once

#include "curve/curve.h"

enum { NP_SMOOTH_MOST = 64 }; /* points */

/* The factor by which a point may be off: 1 + tolerance, or what its interval stands for if
 * that is more. */
double np_smooth_factor(const struct np_point *point, double tolerance);

/* How many points from the first on lie within their factors of one smooth curve: those
 * from the last line on that a curve can still reach.  count is at most NP_SMOOTH_MOST. */
size_t np_smooth_reach(const struct np_point *points, size_t count, double bend,
		       double tolerance);
