/*
 * scan.c - Siegmund's approximation, solved for the boundary.
 */
#include "stats/scan.h"

#include <math.h>

#include "stats/tails.h"

static double density(double x)
{
	return exp(-x * x / 2.0) / sqrt(2.0 * acos(-1.0));
}

/* Siegmund's correction for the overshoot of a random walk over a boundary. */
static double nu(double x)
{
	const double half = x / 2.0, between = erf(half / sqrt(2.0)) / 2.0;

	return between / half / (half * (between + 0.5) + density(half));
}

/* Probability that the mean of any range exceeds the boundary.  Ends of ranges are at
 * single values. */
static double chance_beyond(double boundary, size_t values)
{
	double ranges = 0.0;

	for (size_t length = 1; length <= values; length++) {
		const double wide = (double)length, end = boundary * boundary /
							  (2.0 * wide) *
							  nu(boundary / sqrt(wide));

		ranges += (double)(values - length + 1) * end * end;
	}
	return 2.0 * ranges * density(boundary) / boundary;
}

double np_scan_level(size_t values, double q)
{
	double low = 1.0, high = 20.0;

	for (int i = 0; i < 50; i++) {
		const double middle = (low + high) / 2.0;

		if (chance_beyond(middle, values) > q)
			low = middle;
		else
			high = middle;
	}
	return fmin(q, np_normal_p(high));
}
