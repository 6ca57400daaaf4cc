/*
 * noisy_units.h - ratios of units as noisy machines give them, with what is planted
 * in them known: for tests and for simulations.
 *
 * Each unit is a pass: visits of sizes, each of four rounds of blocks of reuse,
 * rotate and null, in alternating order, as visit.c makes them.  The ratio of a
 * unit is the median over its rounds, as pairs.c makes it.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/random.h"
#include "stats/stats.h"

enum { NOISE_ARMS = 3, NOISE_ROUNDS = 4, NOISE_UNITS_MOST = 60 };

/* Standard deviations are of logarithms of times. */
struct noise {
	const char *name;
	double block;		    /* from block to block */
	double skew;		    /* mean of an exponential that each block adds */
	double place;		    /* from visit to visit, of reuse and null: their slot */
	double pass;		    /* of rotate in a pass, the same at all sizes */
	double burst_chance, burst; /* of a block; how much longer until it is over */
	double state_chance, state; /* of a change between two states; their distance */
	double drift;		    /* of a visit, from its first block to its last */
	double sizes;		    /* of the above from size to size */
	unsigned degrees; /* of Student's t that blocks are drawn from; 0 normal */
	bool looks;	  /* units are added by threes up to 15 until 3 % are reached */
};

/* Those of the simulations in doc/method.md. */
static const struct noise noises[] = {
	{ .name = "normal", .block = 0.02 },
	{ .name = "heavy tails", .block = 0.02, .degrees = 2 },
	{ .name = "skewed", .block = 0.005, .skew = 0.05 },
	{ .name = "places", .block = 0.01, .place = 0.03 },
	{ .name = "pass effects", .block = 0.01, .place = 0.01, .pass = 0.02 },
	{ .name = "bursts", .block = 0.01, .burst_chance = 0.05, .burst = 0.7 },
	{ .name = "two states", .block = 0.01, .state_chance = 0.02, .state = 1.5 },
	{ .name = "many states", .block = 0.005, .state_chance = 0.3, .state = 0.5 },
	{ .name = "passes alone", .block = 0.005, .pass = 0.05 },
	{ .name = "drift", .block = 0.01, .drift = 0.2 },
	{ .name = "sizes differ", .block = 0.02, .place = 0.01, .sizes = 1.0 },
	{ .name = "looks", .block = 0.08, .place = 0.02, .looks = true },
	{ .name = "all of it",
	  .block = 0.02,
	  .degrees = 3,
	  .skew = 0.01,
	  .place = 0.02,
	  .pass = 0.01,
	  .burst_chance = 0.02,
	  .burst = 0.5,
	  .state_chance = 0.01,
	  .state = 1.0,
	  .drift = 0.05,
	  .sizes = 0.5,
	  .looks = true },
};

static inline double noise_uniform(struct np_random *random)
{
	return ((double)(np_random_next(random) >> 11) + 0.5) * 0x1p-53;
}

static inline double noise_normal(struct np_random *random)
{
	const double radius = sqrt(-2.0 * log(noise_uniform(random)));

	return radius * cos(6.283185307179586 * noise_uniform(random));
}

/* Normal, or Student's t with so many degrees of freedom. */
static inline double noise_draw(struct np_random *random, unsigned degrees)
{
	const double value = noise_normal(random);
	double squares = 0.0;

	for (unsigned i = 0; i < degrees; i++) {
		const double other = noise_normal(random);

		squares += other * other;
	}
	return degrees != 0 ? value / sqrt(squares / degrees) : value;
}

/* What the machine does while a run goes on. */
struct noise_machine {
	bool odd, bursting;
};

static inline double noise_block(struct np_random *random, const struct noise *noise,
				 struct noise_machine *machine, double scale)
{
	double time = scale * noise->block * noise_draw(random, noise->degrees);

	time -= scale * noise->skew * log(noise_uniform(random));
	if (noise_uniform(random) < (machine->bursting ? 0.5 : noise->burst_chance))
		machine->bursting = !machine->bursting;
	if (noise_uniform(random) < noise->state_chance)
		machine->odd = !machine->odd;
	time += machine->bursting ? noise->burst * noise_uniform(random) : 0.0;
	return time + (machine->odd ? noise->state : 0.0);
}

/* The ratios of a unit at a size: rotate and null over reuse. */
static inline void noise_unit(struct np_random *random, const struct noise *noise,
			      struct noise_machine *machine, double scale, double pass,
			      double *ratio, double *control_ratio)
{
	const double places[NOISE_ARMS] = { scale * noise->place * noise_normal(random),
					    pass,
					    scale * noise->place * noise_normal(random) };
	double ratios[NOISE_ROUNDS], controls[NOISE_ROUNDS];

	for (int round = 0; round < NOISE_ROUNDS; round++) {
		double times[NOISE_ARMS];

		for (int turn = 0; turn < NOISE_ARMS; turn++) {
			const int mode = round % 2 != 0 ? NOISE_ARMS - 1 - turn : turn;
			const double at = (double)(round * NOISE_ARMS + turn) /
					  (NOISE_ROUNDS * NOISE_ARMS - 1);

			times[mode] = noise_block(random, noise, machine, scale) +
				      places[mode] + noise->drift * at;
		}
		ratios[round] = exp(times[1] - times[0]);
		controls[round] = exp(times[2] - times[0]);
	}
	*ratio = np_median(ratios, NOISE_ROUNDS);
	*control_ratio = np_median(controls, NOISE_ROUNDS);
}

/* Whether an interval is as narrow as 3 %. */
static inline bool noise_precise(const double *ratios, size_t count)
{
	struct np_interval interval;

	return np_median_interval(ratios, count, 0.95, &interval) &&
	       (interval.high - interval.low) / 2.0 <= 0.03 * np_median(ratios, count);
}

/* A size of a run. */
struct noise_size {
	double ratios[NOISE_UNITS_MOST], controls[NOISE_UNITS_MOST];
	size_t count;
	double effect; /* what the ratios are multiplied by */
};

/* A whole run of so many units; effects are set already. */
static inline void noise_run(struct np_random *random, const struct noise *noise,
			     size_t units, struct noise_size *sizes, size_t count)
{
	const size_t most = noise->looks && units < 15 ? 15 : units;
	struct noise_machine machine = { .odd = false };
	double scales[512];

	for (size_t i = 0; i < count; i++) {
		sizes[i].count = 0;
		scales[i] = exp(noise->sizes * noise_normal(random));
	}
	for (size_t unit = 0; unit < most; unit++) {
		const double pass = noise->pass * noise_normal(random);
		const bool look = unit >= units && (unit - units) % 3 == 0;

		for (size_t i = 0; i < count; i++) {
			struct noise_size *size = &sizes[i];

			/* Left alone since an earlier look, or from this one on. */
			if (size->count < unit ||
			    (look && noise_precise(size->ratios, size->count) &&
			     noise_precise(size->controls, size->count)))
				continue;
			noise_unit(random, noise, &machine, scales[i], pass,
				   &size->ratios[unit], &size->controls[unit]);
			size->ratios[unit] *= size->effect;
			size->count++;
		}
	}
}
