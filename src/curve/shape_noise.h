/*
 * shape_noise.h - the error of the points of a curve, from its roughness.
 */
#ifndef NP_SHAPE_NOISE_H
#define NP_SHAPE_NOISE_H

#include "curve/shape.h"

/* Sets error and degrees. */
void np_shape_noise(struct np_shape_work *work);

#endif
