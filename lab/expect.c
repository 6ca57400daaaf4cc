/*
 * expect.c - operating curve of --expect: how often a clause passes, fails and stays
 * undecided, and after how many passes, by the distance of the truth from the bound.  Then
 * the error rates for files, by one look and by the looks of a run.
 *
 * expect [RUNS]: 10,000 by default, of 200 passes at most each, with the seed 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/draws.h"
#include "stats/sequential.h"
#include "stats/stats.h"

enum { MOST = 200 };

/* The margin is 2 %, as a logarithm. */
static const struct np_sequential test = {
	.margin = 0.019802627, .error_below = 0.01, .error_above = 0.01, .resolution = 1e-4
};

/* Medians of passes scatter as logarithms: normally, with one in ten of five times the
 * deviation, or with one in ten that takes a fifth longer. */
enum noise { NORMAL, OUTLIERS, SLOW_PASSES, NOISES };
static const char *const noise_names[] = { "normal", "outliers", "slow passes" };

static double draw(struct np_random *random, enum noise noise, double deviation)
{
	const double value = deviation * draw_normal(random);
	const bool is_odd = noise != NORMAL && draw_uniform(random) < 0.1;

	if (!is_odd)
		return value;
	return noise == OUTLIERS ? 5 * value : value + log(1.2);
}

static void print_point(enum noise noise, double deviation, double margins, unsigned runs)
{
	struct np_random random = { .state = 1 };
	double values[MOST], *passes = malloc(runs * sizeof(*passes));
	unsigned below = 0, above = 0;

	if (passes == NULL)
		exit(EXIT_FAILURE);
	for (unsigned run = 0; run < runs; run++) {
		for (size_t i = 0; i < MOST; i++)
			values[i] = margins * test.margin + draw(&random, noise, deviation);
		const struct np_interim look = np_sequential_decide(&test, values, MOST);

		below += look.side == NP_SIDE_BELOW;
		above += look.side == NP_SIDE_ABOVE;
		passes[run] = look.side != NP_SIDE_UNKNOWN ? (double)look.count : MOST;
	}
	printf("| %s | %.1f %% | %+g | %.2f %% | %.2f %% | %.2f %% | %.0f | %.0f |\n",
	       noise_names[noise], 100 * deviation, margins, 100.0 * below / runs,
	       100.0 * above / runs, 100.0 * (runs - below - above) / runs,
	       np_median(passes, runs), np_quantile(passes, runs, 0.95));
	free(passes);
}

/* Number of passes of a file: the planned one, or, if that is 0, as many as --precision 3
 * takes. */
static size_t measure_file(double *values, size_t planned)
{
	enum { LAST = 45 };
	static const double precision = 0.03;

	if (planned != 0)
		return planned;
	for (unsigned count = 1; count < LAST; count++) {
		struct np_interval interval;

		if (np_look_is_due(count, 6) &&
		    np_median_interval(values, count, np_look_level(count, true),
				       &interval) &&
		    (exp(interval.high) - exp(interval.low)) / 2 <=
			    precision * exp(np_median(values, count)))
			return count;
	}
	return LAST;
}

/* Prints error rates with the truth at the margin, where each pass is an error. */
static void print_file(double deviation, size_t planned, unsigned runs)
{
	struct np_random random = { .state = 1 };
	double values[MOST], passes = 0;
	unsigned once = 0, looks = 0;

	for (unsigned run = 0; run < runs; run++) {
		for (size_t i = 0; i < MOST; i++)
			values[i] = test.margin + draw(&random, NORMAL, deviation);
		const size_t count = measure_file(values, planned);

		once += np_sequential_once(&test, values, count).side == NP_SIDE_BELOW;
		looks += np_sequential_decide(&test, values, count).side == NP_SIDE_BELOW;
		passes += (double)count;
	}
	printf("| %.1f %% | %s | %.1f | %.2f %% | %.2f %% |\n", 100 * deviation,
	       planned != 0 ? "planned" : "until narrow", passes / runs,
	       100.0 * once / runs, 100.0 * looks / runs);
}

static void print_files(unsigned runs)
{
	static const double deviations[] = { 0.005, 0.015, 0.025, 0.05, 0.08 };
	static const size_t planned[] = { 6, 12, 48, 0 };

	puts("\n| deviation | passes | number | wrong, one look | wrong, looks of a run |\n"
	     "|---|---|---|---|---|");
	for (size_t i = 0; i < sizeof(deviations) / sizeof(*deviations); i++) {
		for (size_t k = 0; k < sizeof(planned) / sizeof(*planned); k++)
			print_file(deviations[i], planned[k], runs);
	}
}

int main(int argc, char **argv)
{
	static const double deviations[] = { 0.005, 0.015, 0.05 },
			    distances[] = { -5, -2, -1, -0.5, 0, 0.5, 1, 2, 5 };
	const unsigned runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10000;

	puts("| noise | deviation | margins | pass | fail | undecided | passes | 95 % |\n"
	     "|---|---|---|---|---|---|---|---|");
	for (enum noise noise = 0; noise < NOISES; noise++) {
		for (size_t i = 0; i < sizeof(deviations) / sizeof(*deviations); i++) {
			for (size_t k = 0; k < sizeof(distances) / sizeof(*distances); k++)
				print_point(noise, deviations[i], distances[k], runs);
		}
	}
	print_files(runs);
	return EXIT_SUCCESS;
}
