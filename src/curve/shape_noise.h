/*
 * shape_noise.h - the error of the points of a curve, from its roughness.
 */
#pragma once

#include "curve/shape.h"

/* Sets error and degrees. */
void np_shape_noise(struct np_shape_work *work);
