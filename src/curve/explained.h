/*
 * explained.h - whether the intervals around a break explain it.
 *
 * Where passes are of two host states, or of any two modes, the median of a size is of one
 * or the other by chance, and its interval reaches from one to the other.  A size whose
 * passes all fell into one of them then looks like a dropout, as certain as its own
 * interval is narrow.  But its neighbours' intervals reach as far as it is off: they might
 * have been there as well.
 */
#pragma once

#include "curve/segments.h"

/* Returns true if a step or dropout is no farther off than the intervals of its neighbours,
 * or its own, reach.  All points have intervals. */
bool np_break_explained(const struct np_point *points, size_t count,
			const struct np_break *at);
