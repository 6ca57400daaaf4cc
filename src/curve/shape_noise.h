/*
 * shape_noise.h - the noise of a curve.
 */
#pragma once

#include "curve/shape_place.h"

/* Sets the standard error of each point, and its degrees of freedom, to the roughness
 * outside of the known breaks: the deviation from the line between neighbouring sizes.
 * Intervals also contain the variation that all sizes share, so they only serve to raise
 * the error of points with wider ones; if some points have none, roughness is used alone.
 */
void np_shape_noise(struct np_shape_work *work);
