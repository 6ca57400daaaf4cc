/*
 * fewest_effect.h - what the breaks of a partition do to the time.
 */
#pragma once

#include "curve/segments.h"
#include "curve/smooth.h"

/* A curve cut into segments, with some points left out. */
struct np_partition {
	const struct np_point *points;
	size_t count;
	size_t segment[NP_SMOOTH_MOST]; /* by point, ascending */
	bool out[NP_SMOOTH_MOST];
};

/* Step or bend before the first point of a segment; significant if the time is off by more
 * than the tolerances of both sides. */
struct np_break np_partition_gap(const struct np_partition *partition, size_t point,
				 double tolerance);

/* Dropout that begins with a point; significant by the same criterion. */
struct np_break np_partition_run(const struct np_partition *partition, size_t point,
				 double tolerance);
