/*
 * curves.h - curves with what is planted in them known, for tests.
 */
#pragma once

#include <math.h>
#include <stdlib.h>

#include "curve/curve.h"
#include "base/random.h"
#include "plan/sizes.h"
#include "stats/stats.h"

enum { CURVE_MOST = 2000, CURVE_BENDS = 2 };

/* Of (0, 1), never 0. */
static inline double uniform(struct np_random *random)
{
	return ((double)(np_random_next(random) >> 11) + 0.5) * 0x1p-53;
}

static inline double normal(struct np_random *random)
{
	const double radius = sqrt(-2.0 * log(uniform(random)));

	return radius * cos(6.283185307179586 * uniform(random));
}

/* A start-up time, a bandwidth, and a cost per byte that changes smoothly around
 * some sizes, as between levels of a cache. */
struct smooth {
	double start, per_byte;
	size_t bends;
	double octave[CURVE_BENDS], ratio[CURVE_BENDS], width[CURVE_BENDS];
};

static inline struct smooth draw_smooth(struct np_random *random)
{
	struct smooth smooth = {
		.start = 1e-7 * pow(500.0, uniform(random)),
		.per_byte = 1e-8 / pow(100.0, uniform(random)),
		.bends = (size_t)np_random_below(random, CURVE_BENDS + 1),
	};

	for (size_t i = 0; i < smooth.bends; i++) {
		const double log_ratio = 0.77 * (2.0 * uniform(random) - 0.7);

		smooth.octave[i] = 8.0 + 14.0 * uniform(random);
		smooth.ratio[i] = exp(log_ratio);
		/* The cost changes by at most 22 % an octave, 1.5 if both meet. */
		smooth.width[i] = 0.3 + fabs(log_ratio) / 0.8;
	}
	return smooth;
}

static inline double cost_of_byte(const struct smooth *smooth, double bytes)
{
	double cost = smooth->per_byte;

	for (size_t i = 0; i < smooth->bends; i++)
		cost *= 1.0 + (smooth->ratio[i] - 1.0) /
				      (1.0 + exp((smooth->octave[i] - log2(bytes)) /
						 smooth->width[i]));
	return cost;
}

/* Times without noise at sizes, by the cost of bytes; from point knee on a byte
 * costs as many times as much. */
static inline void fill_times(const struct smooth *smooth, const size_t *sizes,
			      size_t count, size_t knee, double times,
			      struct np_point *points)
{
	enum { PARTS = 64 };
	double seconds = smooth->start, before = 0.0;

	for (size_t i = 0; i < count; i++) {
		const double part = ((double)sizes[i] - before) / PARTS;

		for (size_t k = 0; k < PARTS; k++)
			seconds += part * (i >= knee ? times : 1.0) *
				   cost_of_byte(smooth, before + part * ((double)k + 0.5));
		points[i] =
			(struct np_point){ sizes[i], seconds, (double)NAN, (double)NAN };
		before = (double)sizes[i];
	}
}

/* Log-normal noise of the median of passes, with its interval; of the point
 * itself and none if there are no passes.  noise is the median's. */
static inline void add_noise(struct np_random *random, double noise, size_t passes,
			     struct np_point *points, size_t count)
{
	double units[64];

	for (size_t i = 0; i < count; i++) {
		struct np_point *point = &points[i];
		struct np_interval interval;

		if (passes == 0) {
			point->seconds *= exp(noise * normal(random));
			continue;
		}
		for (size_t k = 0; k < passes; k++)
			units[k] = point->seconds * exp(noise * sqrt((double)passes) /
							1.2533 * normal(random));
		point->seconds = np_median(units, passes);
		if (np_median_interval(units, passes, 0.95, &interval)) {
			point->low = interval.low;
			point->high = interval.high;
		}
	}
}
