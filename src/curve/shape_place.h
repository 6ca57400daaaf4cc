/*
 * shape_place.h - the tests of one place for a step, a bend and a dropout.
 */
#pragma once

#include "curve/shape.h"

/* Result of a test; z is 0 if not significant. */
struct np_place {
	double z;	  /* deviation beyond a smooth curve, in standard errors */
	double effect;	  /* as in np_break */
	double log_error; /* of log(effect) */
	bool open;
};

/* Tests for a step and for a bend between a point and the one before. */
void np_place_gap(const struct np_shape_work *work, size_t after, struct np_place *step,
		  struct np_place *bend);

/* Tests for a dropout of the points first to last. */
struct np_place np_place_dropout(const struct np_shape_work *work, size_t first,
				 size_t last);
