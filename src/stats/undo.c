/*
 * undo.c - remainder of the larger of two steps after both.
 */
#include "stats/undo.h"

#include <math.h>

bool np_steps_undo(double first, double second, double most)
{
	const double there = log(first), back = log(second);

	return fabs(there + back) <= most * fmax(fabs(there), fabs(back));
}
