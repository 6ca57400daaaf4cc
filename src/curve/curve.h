/*
 * curve.h - time over message size, the input of the analysis of a curve.
 *
 * A curve is an array of points in strictly ascending order of size.  It may
 * come from this program's rows, from another tool's output or from a table in
 * print, where each size has one number and no interval.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct np_point {
	size_t bytes;
	double seconds;	  /* a message, one way; above 0 and finite */
	double low, high; /* 95 % interval of seconds; both NAN if there is none */
};

/* Whether sizes ascend strictly, times are above 0 and finite, and each
 * interval is absent or holds its time.  *bad, unless NULL, is the first point
 * that does not; it is left alone otherwise. */
bool np_curve_valid(const struct np_point *points, size_t count, size_t *bad);

bool np_point_has_interval(const struct np_point *point);

/* The standard error of log(seconds) that its interval stands for, as if it
 * were 1.96 of them to either side; NAN if there is no interval. */
double np_point_error(const struct np_point *point);

/* The size on the axis of octaves, log2(bytes); the message of no bytes lies
 * where that of one byte does. */
double np_point_octave(const struct np_point *point);
