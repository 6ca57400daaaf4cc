/* explained.c - how far the intervals of either side of a break reach. */
#include "curve/explained.h"

#include <math.h>

#include "stats/stats.h"

/* Points considered on a side. */
enum { NEAR = 4 };

/* Distance between times and upper, or lower, ends of intervals, as a logarithm: the median
 * over some points; 0 if none. */
static double reach_of(const struct np_point *points, size_t first, size_t end, bool up)
{
	double reaches[2 * NEAR];
	size_t count = 0;

	for (size_t i = first; i < end && count < NEAR; i++)
		reaches[count++] = up ? log(points[i].high / points[i].seconds) :
					log(points[i].seconds / points[i].low);
	return count != 0 ? np_median(reaches, count) : 0.0;
}

bool np_break_explained(const struct np_point *points, size_t count,
			const struct np_break *at)
{
	const bool dropout = at->kind == NP_BREAK_DROPOUT, slower = at->effect > 1.0;
	const double off = fabs(log(at->effect));
	/* A step lies between its points; a dropout consists of its points. */
	const size_t before = dropout ? at->first : at->first + 1;
	const size_t begin = before > NEAR ? before - NEAR : 0;
	const size_t end = dropout ? at->last + 1 : count;
	const double own = reach_of(points, dropout ? at->first : at->last, end, !slower);
	double around = reach_of(points, begin, before, slower);

	if (dropout)
		around = fmax(around, reach_of(points, at->last + 1, count, slower));
	return off <= own + around;
}
