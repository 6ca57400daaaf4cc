/*
 * draws.h - uniform and normal random values for simulations.
 */
#pragma once

#include <math.h>

#include "base/random.h"

/* Above 0 and below 1. */
static inline double draw_uniform(struct np_random *random)
{
	return ((double)(np_random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double draw_normal(struct np_random *random)
{
	return sqrt(-2 * log(draw_uniform(random))) *
	       cos(6.283185307179586 * draw_uniform(random));
}
