/*
 * shape_noise.h - how far a point of a curve may lie off by chance.
 */
#ifndef NP_SHAPE_NOISE_H
#define NP_SHAPE_NOISE_H

#include "curve/shape.h"

/* Sets error and degrees. */
void np_shape_noise(struct np_shape_work *work);

#endif
