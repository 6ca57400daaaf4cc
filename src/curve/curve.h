/*
 * curve.h - time over message size, the input of the analysis of a curve.
 *
 * A curve is an array of points in strictly ascending order of size: rows of this program,
 * output of another tool, or a printed table, where each size has one number and no
 * interval.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct np_point {
	size_t bytes;
	double seconds;	  /* of a message, one way; above 0 and finite */
	double low, high; /* 95 % interval of seconds; NAN if none */
};

/* Returns true if sizes ascend strictly, times are above 0 and finite, and each interval is
 * absent or contains its time.  Else sets *bad, unless NULL, to the first invalid point. */
bool np_curve_valid(const struct np_point *points, size_t count, size_t *bad);

bool np_point_has_interval(const struct np_point *point);

/* Standard error of log(seconds): half the logarithmic width of the 95 % interval over
 * 1.96; NAN without interval. */
double np_point_error(const struct np_point *point);

/* log2(bytes); 0 for a message of no bytes. */
double np_point_octave(const struct np_point *point);
