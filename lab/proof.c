/*
 * proof.c - error rates of np_test_modes() and coverage of np_median_interval(), where the
 * truth is known: the tables of doc/method.md.
 *
 *   lab/proof [RUNS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "stats/mode_test.h"
#include "tests/unit/noisy_units.h"

enum { SIZES_MOST = 124 };

struct tally {
	size_t alarms;	 /* runs with any verdict where nothing is planted */
	size_t unstable; /* runs with an unstable size */
	size_t found, planted;
	double resolution, inflation, degrees, units;
};

static void judge(const struct noise_size *sizes, size_t count, struct tally *tally)
{
	struct np_size_test trials[SIZES_MOST];
	struct np_mode_test proofs[SIZES_MOST];
	struct np_calibration calibration;
	bool alarm = false, unstable = false;
	double resolutions[SIZES_MOST];

	for (size_t i = 0; i < count; i++)
		trials[i] = (struct np_size_test){ .ratios = sizes[i].ratios,
						   .control_ratios = sizes[i].controls,
						   .count = sizes[i].count,
						   .control_count = sizes[i].count };
	if (np_test_modes(trials, count, NP_MODE_TEST_Q, NP_SAME_WITHIN, proofs,
			  &calibration) != 0)
		exit(EXIT_FAILURE);
	for (size_t i = 0; i < count; i++) {
		const bool planted = sizes[i].effect > 1.0;

		alarm |= !planted && proofs[i].verdict >= NP_FASTER;
		unstable |= proofs[i].unstable;
		tally->planted += planted;
		tally->found += planted && proofs[i].verdict == NP_SLOWER;
		resolutions[i] = proofs[i].resolution;
		tally->units += (double)sizes[i].count / (double)count;
	}
	tally->alarms += alarm;
	tally->unstable += unstable;
	tally->resolution += np_median(resolutions, count);
	tally->inflation += calibration.inflation;
	tally->degrees += calibration.noise_degrees;
}

static void simulate(const struct noise *noise, size_t sizes, size_t units, size_t planted,
		     double effect, size_t runs, struct np_random *random)
{
	struct noise_size run[SIZES_MOST];
	struct tally tally = { .alarms = 0 };

	for (size_t k = 0; k < runs; k++) {
		for (size_t i = 0; i < sizes; i++)
			run[i].effect = i < planted ? effect : 1.0;
		noise_run(random, noise, units, run, sizes);
		judge(run, sizes, &tally);
	}
	const double all = (double)runs;
	printf("%-14s %5zu %5zu  %7.2f %8.2f  %6.1f  %6.2f %6.2f %5.1f %5.1f\n",
	       noise->name, sizes, units, 100.0 * (double)tally.alarms / all,
	       100.0 * (double)tally.unstable / all,
	       tally.planted != 0 ? 100.0 * (double)tally.found / (double)tally.planted :
				    0.0,
	       100.0 * tally.resolution / all, tally.inflation / all, tally.degrees / all,
	       tally.units / all);
	fflush(stdout);
}

enum { SHAPES = 4 };
static const char *const shapes[SHAPES] = { "normal", "log-normal", "contaminated",
					    "exponential" };

/* Draws of distributions whose median is 1. */
static double draw(struct np_random *random, int shape)
{
	switch (shape) {
	case 0:
		return 1.0 + 0.05 * noise_normal(random);
	case 1:
		return exp(0.5 * noise_normal(random));
	case 2:
		return 1.0 + 0.02 * noise_normal(random) *
				     (noise_uniform(random) < 0.1 ? 10.0 : 1.0);
	default:
		return 1.0 - log(2.0) - log(noise_uniform(random));
	}
}

static void cover(size_t units, size_t trials, struct np_random *random)
{
	printf("%5zu", units);
	for (int shape = 0; shape < SHAPES; shape++) {
		size_t covered = 0;

		for (size_t k = 0; k < trials; k++) {
			struct np_interval interval = { 0.0, 0.0, 0.0 };
			double values[NOISE_UNITS_MOST];

			for (size_t i = 0; i < units; i++)
				values[i] = draw(random, shape);
			np_median_interval(values, units, 0.95, &interval);
			covered += interval.low <= 1.0 && 1.0 <= interval.high;
		}
		printf(" %12.2f", 100.0 * (double)covered / (double)trials);
	}
	putchar('\n');
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	struct np_random random = { argc > 2 ? strtoul(argv[2], NULL, 10) : 1 };

	printf("# coverage in %%, %zu intervals of 95 %% each\n#units", 20 * runs);
	for (int shape = 0; shape < SHAPES; shape++)
		printf(" %12s", shapes[shape]);
	putchar('\n');
	static const size_t counts[] = { 6, 7, 8, 9, 10, 12, 15, 18, 21, 24, 30 };
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		cover(counts[i], 20 * runs, &random);
	printf("# %zu runs each; alarms and unstable in %% of runs with nothing planted;\n"
	       "# found, %% of 5 %% at one size; resolution, %%\n"
	       "#noise         sizes units   alarms unstable   found  resol. inflat. degr. "
	       "units\n",
	       runs);
	static const size_t sizes[] = { 1, 3, 10, 40, 124 };
	static const struct noise percent = { .name = "1 % a unit", .block = 0.013 };
	simulate(&percent, 124, 6, 1, 1.05, runs, &random);
	simulate(&percent, 124, 6, 20, 1.05, runs, &random);
	simulate(&percent, 124, 6, 1, 1.03, runs, &random);
	simulate(&percent, 124, 9, 1, 1.03, runs, &random);
	for (size_t i = 0; i < sizeof(noises) / sizeof(*noises); i++) {
		for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
			simulate(&noises[i], sizes[k], 6, 0, 1.0, runs, &random);
		simulate(&noises[i], 124, 9, 0, 1.0, runs, &random);
	}
	return 0;
}
