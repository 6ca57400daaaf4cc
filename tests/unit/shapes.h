/*
 * shapes.h - sizes, and the shape of a curve over them, for tests.
 */
#pragma once

#include <string.h>

#include "curves.h"
#include "curve/segments.h"

static inline size_t schedule(size_t perturbation, size_t *sizes)
{
	size_t *made = NULL, count = 0;

	assert_int_equal(np_sizes_schedule(1, 8 << 20, perturbation, &made, &count), 0);
	memcpy(sizes, made, count * sizeof(*sizes));
	free(made);
	return count;
}

static inline size_t octaves(size_t *sizes)
{
	size_t count = 0;

	for (size_t bytes = 1; bytes <= 4 << 20; bytes *= 2)
		sizes[count++] = bytes;
	return count;
}

static inline struct np_shape find(const struct np_point *points, size_t count)
{
	const struct np_shape_options options = np_shape_defaults();
	struct np_shape shape = { 0 };

	assert_int_equal(np_shape_find(points, count, &options, &shape), 0);
	return shape;
}

static inline size_t count_sure(const struct np_shape *shape)
{
	size_t sure = 0;

	for (size_t i = 0; i < shape->break_count; i++)
		sure += shape->breaks[i].sure;
	return sure;
}

/* Smooth curves of which anything sure was said. */
static inline size_t false_alarms(const size_t *sizes, size_t count, double noise,
				  size_t passes, size_t trials, uint64_t seed)
{
	struct np_random random = { seed };
	struct np_point points[CURVE_MOST];
	size_t alarms = 0;

	for (size_t trial = 0; trial < trials; trial++) {
		const struct smooth smooth = draw_smooth(&random);

		fill_times(&smooth, sizes, count, count, 1.0, points);
		add_noise(&random, noise, passes, points, count);
		struct np_shape shape = find(points, count);
		alarms += count_sure(&shape) != 0;
		np_shape_free(&shape);
	}
	return alarms;
}
