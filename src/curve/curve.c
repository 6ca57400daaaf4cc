/*
 * curve.c - validity of a curve; error and octave of a point.
 */
#include "curve/curve.h"

#include <math.h>

#include "stats/stats.h"

static bool point_valid(const struct np_point *point)
{
	if (!isfinite(point->seconds) || point->seconds <= 0.0)
		return false;
	if (isnan(point->low) && isnan(point->high))
		return true;
	return point->low > 0.0 && point->low <= point->seconds &&
	       point->seconds <= point->high && isfinite(point->high);
}

bool np_curve_valid(const struct np_point *points, size_t count, size_t *bad)
{
	for (size_t i = 0; i < count; i++) {
		if (point_valid(&points[i]) &&
		    (i == 0 || points[i - 1].bytes < points[i].bytes))
			continue;
		if (bad != NULL)
			*bad = i;
		return false;
	}
	return true;
}

bool np_point_has_interval(const struct np_point *point)
{
	return !isnan(point->low) && !isnan(point->high);
}

double np_point_error(const struct np_point *point)
{
	if (!np_point_has_interval(point))
		return (double)NAN;
	return log(point->high / point->low) / (2.0 * NP_ERRORS_IN_95);
}

double np_point_octave(const struct np_point *point)
{
	return point->bytes > 1 ? log2((double)point->bytes) : 0.0;
}
