/*
 * shape.h - the state that the files searching for breaks share; segments.h is for all
 * others.
 */
#pragma once

#include "curve/segments.h"

struct np_shape_work {
	const struct np_point *points;
	size_t count;
	const struct np_shape_options *options;
	double *octaves; /* of each point */
	double *error;	 /* of log(seconds), of each point */
	double *buffer;	 /* scratch, count numbers */
	size_t *places;	 /* scratch, count of them */
	bool *dropped;	 /* point is in a dropout */
	bool *broken;	 /* a step or bend lies between this point and the one before */
	struct np_side *sides; /* of some places: shape_window.h */
	unsigned degrees;      /* of freedom that the errors are known to */
};

enum {
	NP_PLACE_REACH = 24, /* most points on a side of a test */
	NP_PLACE_RUN = 12    /* most points of a dropout */
};
