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
	double *octaves; /* by point */
	double *error;	 /* standard error of log(seconds), by point */
	double *buffer;	 /* scratch, count numbers */
	size_t *places;	 /* scratch, count indices */
	bool *dropped;	 /* by point: in a dropout */
	bool *broken;	 /* by point: a step or bend lies between it and the one before */
	struct np_side *sides; /* sides of some places, cached: shape_window.h */
	unsigned degrees;      /* degrees of freedom of error */
};

enum {
	NP_PLACE_REACH = 24, /* most points on either side of a place */
	NP_PLACE_RUN = 12    /* most points of a dropout */
};
