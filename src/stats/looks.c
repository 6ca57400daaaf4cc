/*
 * looks.c - interim analyses of the width of an interval, and its level.
 */
#include "stats/looks.h"

static const double level = 0.95, level_if_looked = 0.98;

bool np_look_is_due(unsigned passes, unsigned least)
{
	unsigned look = least > NP_LOOK_FIRST ? least : NP_LOOK_FIRST;

	while (look < passes)
		look += (look + 2) / 3;
	return look == passes;
}

double np_look_level(size_t units, bool looked)
{
	return looked && units >= NP_LOOK_FIRST ? level_if_looked : level;
}
