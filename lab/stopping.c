/*
 * stopping.c - coverage of the interval of a size where measuring ends as soon as the
 * interval is narrow enough: the table of doc/results.md.
 *
 *   lab/stopping [TRIALS [SEED [MOST]]]
 *
 * The half width to reach is 3 % of a median of 1; noise of a pass is a quarter of it to
 * four times it.  A size whose interval never is narrow enough ends after MOST
 * passes (60), as at the time limit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/sequential.h"
#include "stats/stats.h"
#include "tests/unit/noisy_units.h"

enum { MOST = 1000 };

/* Schedule and level of the looks: of the rule before, and of the rule in use. */
struct rule {
	const char *name;
	bool (*is_due)(unsigned passes, unsigned least);
	double (*level)(size_t units, bool looked);
};

static bool is_due_by_threes(unsigned passes, unsigned least)
{
	return passes >= least && (passes - least) % 3 == 0;
}

static double level_95(size_t units, bool looked)
{
	(void)units;
	(void)looked;
	return 0.95;
}

static const struct rule rules[] = {
	{ "6, 9, 12 ... passes, level 95 %", is_due_by_threes, level_95 },
	{ "8, 11, 15 ... passes, level 98 %", np_look_is_due, np_look_level },
};

enum { SHAPES = 6 };
static const char *const shapes[SHAPES] = { "normal",	   "log-normal", "contaminated",
					    "exponential", "two states", "Cauchy" };

/* Noise of median 0. */
static double draw(struct np_random *random, int shape)
{
	switch (shape) {
	case 0:
		return noise_normal(random);
	case 1:
		return expm1(noise_normal(random));
	case 2:
		return noise_normal(random) * (noise_uniform(random) < 0.1 ? 10.0 : 1.0);
	case 3:
		return -log(noise_uniform(random)) - log(2.0);
	case 4: {
		/* The lower state has 0.7: the median is its quantile of 0.5 / 0.7. */
		const double z = noise_normal(random);

		return noise_uniform(random) < 0.3 ? fabs(z) + 3.0 : z - 0.565948821932863;
	}
	default:
		return tan(3.141592653589793 * (noise_uniform(random) - 0.5));
	}
}

/* Measures one size.  Returns whether its interval holds the median. */
static bool measure(const struct rule *rule, int shape, double noise, unsigned most,
		    struct np_random *random, unsigned *passes)
{
	static const double precision = 0.03;
	struct np_interval interval = { -(double)INFINITY, (double)INFINITY, 0.0 };
	double units[MOST];

	for (*passes = 0; *passes < most;) {
		units[(*passes)++] = 1.0 + precision * noise * draw(random, shape);
		if (*passes < most && !rule->is_due(*passes, 6))
			continue;
		if (np_median_interval(units, *passes, rule->level(*passes, true),
				       &interval) &&
		    (interval.high - interval.low) / 2.0 <=
			    precision * np_median(units, *passes))
			break;
	}
	return interval.low <= 1.0 && 1.0 <= interval.high;
}

static double simulate(const struct rule *rule, double noise, size_t trials, unsigned most,
		       struct np_random *random)
{
	double worst = 1.0, all = 0.0;

	printf("%6.2f", noise);
	for (int shape = 0; shape < SHAPES; shape++) {
		size_t covered = 0;

		for (size_t k = 0; k < trials; k++) {
			unsigned passes;

			covered += measure(rule, shape, noise, most, random, &passes);
			all += passes;
		}
		const double share = (double)covered / (double)trials;
		worst = fmin(worst, share);
		printf(" %12.2f", 100.0 * share);
	}
	printf(" %7.1f\n", all / (double)(SHAPES * trials));
	fflush(stdout);
	return worst;
}

int main(int argc, char **argv)
{
	static const double noises_of_pass[] = { 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4 };
	const size_t trials = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
	struct np_random random = { argc > 2 ? strtoul(argv[2], NULL, 10) : 1 };
	const unsigned most = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 60;

	if (trials == 0 || most < NP_LOOK_FIRST || most > MOST) {
		fprintf(stderr, "usage: stopping [TRIALS [SEED [MOST]]], MOST %d to %d\n",
			NP_LOOK_FIRST, MOST);
		return EXIT_FAILURE;
	}
	printf("# coverage in %%, %zu sizes each, up to %u passes\n", trials, most);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		double worst = 1.0;

		printf("# looks after %s\n# noise", rules[i].name);
		for (int shape = 0; shape < SHAPES; shape++)
			printf(" %12s", shapes[shape]);
		printf(" %7s\n", "passes");
		for (size_t k = 0; k < sizeof(noises_of_pass) / sizeof(double); k++)
			worst = fmin(worst, simulate(&rules[i], noises_of_pass[k], trials,
						     most, &random));
		printf("# worst: %.2f +- %.2f\n", 100.0 * worst,
		       196.0 * sqrt(worst * (1.0 - worst) / (double)trials));
	}
	return 0;
}
