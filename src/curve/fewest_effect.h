/*
 * fewest_effect.h - what the breaks of a partition do to the time.
 */
#pragma once

#include "curve/segments.h"
#include "curve/smooth.h"

/* A curve cut into segments, less what is left out. */
struct np_partition {
	const struct np_point *points;
	size_t count;
	size_t segment[NP_SMOOTH_MOST]; /* of each point, ascending */
	bool out[NP_SMOOTH_MOST];
};

/* The step or bend before the first point of a segment.  It is sure if the time is off by
 * more than the tolerance of either side adds up to. */
struct np_break np_partition_gap(const struct np_partition *partition, size_t point,
				 double tolerance);

/* The dropout that begins with a point; sure as a step is. */
struct np_break np_partition_run(const struct np_partition *partition, size_t point,
				 double tolerance);
