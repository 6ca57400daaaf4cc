/*
 * curve.h - time over message size, the input of the analysis of a curve.
 *
 * A curve is an array of points in strictly ascending order of size: rows of this program,
 * output of another tool, or a printed table, where each size has one number and no
 * interval.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "stats/stats.h"

struct np_point {
	size_t bytes;
	double seconds;	  /* of a message, one way; above 0 and finite */
	double low, high; /* 95 % interval of seconds; NAN if none */
};

static inline bool np_point_has_interval(const struct np_point *point)
{
	return !isnan(point->low) && !isnan(point->high);
}

/* Standard error of log(seconds): half the logarithmic width of the 95 % interval over
 * 1.96; NAN without interval. */
static inline double np_point_error(const struct np_point *point)
{
	if (!np_point_has_interval(point))
		return (double)NAN;
	return log(point->high / point->low) / (2.0 * NP_ERRORS_IN_95);
}

/* log2(bytes); 0 for a message of no bytes. */
static inline double np_point_octave(const struct np_point *point)
{
	return point->bytes > 1 ? log2((double)point->bytes) : 0.0;
}
