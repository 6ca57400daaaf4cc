/*
 * fewest_intervals.h - the fewest breaks of a curve with intervals (fewest.h).
 */
#pragma once

#include "curve/segments.h"

/* With intervals these say how much noise there is, and only what is evident is of
 * interest. */
#define NP_TOLERANCE_EVIDENT 0.1

/* Points whose intervals stand for the errors around them: passes are few, and one interval
 * in many is narrow by chance. */
void np_fewest_widen(const struct np_point *points, size_t count, struct np_point *widened);

/* Adds the breaks that stand where none is: of some intervals the lines on either side are
 * the better judge, but where a curve breaks at every few sizes there are no lines. */
void np_fewest_add_between(const struct np_point *points, const struct np_break *fewest,
			   size_t found, struct np_break *breaks, size_t *break_count);
