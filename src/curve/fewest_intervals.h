/*
 * fewest_intervals.h - the fewest breaks of a curve with intervals (fewest.h).
 */
#pragma once

#include "curve/segments.h"

/* Tolerance with intervals, which give the noise: only evident breaks are of interest. */
#define NP_TOLERANCE_EVIDENT 0.1

/* Widens narrow intervals to the median of their neighbours: passes are few, and some
 * intervals are narrow by chance. */
void np_fewest_widen(const struct np_point *points, size_t count, struct np_point *widened);

/* Adds the significant steps and dropouts that overlap no other break.  Lines on either
 * side are the better test, but where a curve breaks every few sizes there are no lines. */
void np_fewest_add_between(const struct np_point *points, const struct np_break *fewest,
			   size_t found, struct np_break *breaks, size_t *break_count);
