/*
 * test_mode_test.c - verdicts over all sizes: published examples, and how often they
 * err where the truth is planted.  The long version is lab/proof.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "stats/moderate.h"
#include "noisy_units.h"
#include "stats/mode_test.h"
#include "stats/tails.h"

static bool near(double value, double expected, double within)
{
	return fabs(value - expected) <= within;
}

/* Abramowitz and Stegun, tables 6.1 and 6.2, and the closed forms at 1/2. */
static void check_gamma(void **state)
{
	(void)state;
	assert_true(near(np_digamma(1.0), -0.57721566490153286, 1e-12));
	assert_true(near(np_digamma(0.5), -0.57721566490153286 - 2.0 * M_LN2, 1e-12));
	assert_true(near(np_digamma(10.0), 2.25175258906672111, 1e-12));
	assert_true(near(np_trigamma(1.0), M_PI * M_PI / 6.0, 1e-12));
	assert_true(near(np_trigamma(0.5), M_PI * M_PI / 2.0, 1e-12));
	assert_true(near(np_trigamma(100.0), 0.010050166663333571, 1e-15));
	assert_true(near(np_normal_quantile(0.05), 1.959963985, 1e-8));
}

/* A sum of squares of so many normal values. */
static double chi_square(struct np_random *random, unsigned degrees)
{
	double sum = 0.0;

	for (unsigned i = 0; i < degrees; i++) {
		const double value = noise_normal(random);

		sum += value * value;
	}
	return sum;
}

/* A variance of five degrees of freedom around one that is drawn around `around`. */
static struct np_spread draw_spread(struct np_random *random, unsigned degrees,
				    double around)
{
	return (struct np_spread){ .variance = around * degrees /
					       chi_square(random, degrees) *
					       chi_square(random, 5) / 5.0,
				   .degrees = 5 };
}

/* Variances drawn as the model has it give the prior back: one for all, and one that
 * follows the size. */
static void check_prior(void **state)
{
	enum { SIZES = 4000 };
	static struct np_spread spreads[SIZES];
	static struct np_prior priors[SIZES];
	struct np_random random = { 41 };

	(void)state;
	for (int follows = 0; follows < 2; follows++) {
		for (unsigned degrees = 2; degrees <= 8; degrees += 3) {
			for (size_t i = 0; i < SIZES; i++) {
				const double place = (double)i / SIZES;

				spreads[i] = draw_spread(
					&random, degrees,
					4e-4 * (follows ? exp(3.0 * place * place) : 1.0));
			}
			np_priors_fit(spreads, SIZES, 100.0, priors);
			assert_true(near(priors[0].degrees / degrees, 1.0, 0.15));
			assert_true(near(priors[0].variance / 4e-4, 1.0, 0.25));
			assert_true(near(priors[SIZES - 1].variance / 4e-4,
					 follows ? exp(3.0) : 1.0, follows ? 5.0 : 0.25));
		}
	}
}

static void check_prior_edges(void **state)
{
	struct np_spread spreads[4] = { { 1e-4, 5 }, { 1e-4, 5 }, { (double)NAN, 0 } };
	struct np_prior priors[4];

	(void)state;
	np_priors_fit(spreads, 3, 10.0, priors);
	assert_true(isnan(priors[0].variance));
	assert_true(near(np_moderate(&priors[0], &spreads[0]), 1e-4, 0.0));
	/* Equal ones are as alike as may be; their common value is a little more than
	 * each, for the logarithm of a variance is too low on average. */
	spreads[2] = spreads[3] = spreads[0];
	np_priors_fit(spreads, 4, 10.0, priors);
	assert_true(near(priors[0].degrees, 10.0, 0.0));
	assert_true(priors[0].variance > 1e-4 && priors[0].variance < 1.3e-4);
	assert_true(near(np_moderate(&priors[0], &spreads[0]),
			 (10.0 * priors[0].variance + 5e-4) / 15.0, 1e-12));
	/* All of them 0. */
	memset(spreads, 0, sizeof(spreads));
	for (size_t i = 0; i < 4; i++)
		spreads[i].degrees = 5;
	np_priors_fit(spreads, 4, 10.0, priors);
	assert_true(isnan(priors[0].variance));
}

/* "Student", The Probable Error of a Mean, Biometrika 6(1), 1908: hours of sleep
 * gained by ten patients; t = 4.0621 with 9 degrees, p = 0.00283. */
static void check_published_t(void **state)
{
	static const double gained[10] = {
		1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4
	};
	struct np_calibration calibration;
	struct np_mode_test proof;
	double ratios[10];

	(void)state;
	for (size_t i = 0; i < 10; i++)
		ratios[i] = exp(gained[i]);
	const struct np_size_test trial = { .ratios = ratios, .count = 10 };
	assert_int_equal(
		np_test_modes(&trial, 1, 0.01, NP_SAME_WITHIN, &proof, &calibration), 0);
	assert_true(near(proof.p, 0.00283289, 1e-7));
	assert_true(near(proof.adjusted, proof.p, 1e-15));
	assert_int_equal(proof.verdict, NP_SLOWER);
	assert_true(near(calibration.inflation, 1.0, 0.0));
	/* Eight in ten such experiments find (t(0.01) + t(0.4)) errors. */
	const double error = 1.58 / 4.062127683;
	assert_true(near(log1p(proof.resolution), error * (3.2498355 + 0.8834039), 1e-5));
	/* With half of the mean, the interval ends at 0, or the p is too large. */
	double less[10];
	for (size_t i = 0; i < 10; i++)
		less[i] = exp(gained[i] - 1.0);
	const struct np_size_test weaker = { .ratios = less, .count = 10 };
	assert_int_equal(np_test_modes(&weaker, 1, 0.01, NP_SAME_WITHIN, &proof, NULL), 0);
	assert_int_equal(proof.verdict, NP_UNCLEAR);
}

/* A null counts for half of the errors, and can spoil a size. */
static void check_null(void **state)
{
	static const double apart[6] = { 1.10, 1.11, 1.12, 1.09, 1.13, 1.11 };
	static const double alike[6] = { 0.99, 1.01, 1.00, 0.98, 1.02, 1.003 };
	struct np_size_test trial = { .ratios = apart, .count = 6 };
	struct np_mode_test alone, proof;

	(void)state;
	assert_int_equal(np_test_modes(&trial, 1, 0.01, NP_SAME_WITHIN, &alone, NULL), 0);
	assert_int_equal(alone.verdict, NP_SLOWER);
	trial.control_ratios = alike;
	trial.control_count = 6;
	assert_int_equal(np_test_modes(&trial, 1, 0.01, NP_SAME_WITHIN, &proof, NULL), 0);
	assert_int_equal(proof.verdict, NP_SLOWER);
	assert_true(near(proof.p / alone.p, 1.0, 1e-12));
	assert_true(near(proof.adjusted / alone.adjusted, 2.0, 1e-12));
	trial.control_ratios = apart;
	assert_int_equal(np_test_modes(&trial, 1, 0.01, NP_SAME_WITHIN, &proof, NULL), 0);
	/* It differs from 1 by no more than the null does. */
	assert_true(proof.unstable && proof.low < 1.0 && proof.high > 1.13 * 1.13);
	assert_int_equal(proof.verdict, NP_UNCLEAR);
	trial.ratios = alike;
	trial.control_ratios = alike;
	assert_int_equal(np_test_modes(&trial, 1, 0.01, NP_SAME_WITHIN, &proof, NULL), 0);
	assert_int_equal(proof.verdict, NP_UNCLEAR);
	assert_true(!proof.unstable && proof.resolution > 0.0);
}

static void check_few_units(void **state)
{
	static const double same[6] = { 2.0, 2.0, 2.0, 2.0, 2.0, 2.0 };
	static const double ones[6] = { 1.0, 1.0, 1.0, 1.0, 1.0, 1.0 };
	const struct np_size_test trials[] = {
		{ .ratios = same, .count = 5 }, { .ratios = same, .count = 6 },
		{ .ratios = ones, .count = 6 }, { .ratios = same, .count = 1 },
		{ .ratios = NULL, .count = 0 },
	};
	struct np_mode_test proofs[5];

	(void)state;
	assert_int_equal(np_test_modes(trials, 5, 0.01, NP_SAME_WITHIN, proofs, NULL), 0);
	assert_int_equal(proofs[0].verdict, NP_UNCLEAR);
	assert_true(isnan(proofs[0].low) && isnan(proofs[0].resolution));
	assert_int_equal(proofs[1].verdict, NP_SLOWER);
	assert_true(near(proofs[1].p, 0.0, 0.0) && near(proofs[1].resolution, 0.0, 0.0));
	assert_int_equal(proofs[2].verdict, NP_SAME);
	assert_true(near(proofs[2].p, 1.0, 0.0));
	assert_int_equal(proofs[3].verdict, NP_UNCLEAR);
	assert_true(isnan(proofs[3].p) && isnan(proofs[4].p));
	assert_int_equal(np_test_modes(NULL, 0, 0.01, NP_SAME_WITHIN, NULL, NULL), 0);
}

/* What all sizes of a pass have in common is seen where sizes lack different passes. */
static void check_missing_units(void **state)
{
	enum { UNITS = 8, LENGTHS = 10 };
	struct np_random random = { 3 };
	double common[UNITS], ratios[LENGTHS][UNITS];
	unsigned numbers[LENGTHS][UNITS];
	struct np_size_test trials[LENGTHS];
	struct np_mode_test proofs[LENGTHS];
	struct np_calibration calibration;

	(void)state;
	for (size_t unit = 0; unit < UNITS; unit++)
		common[unit] = 0.05 * noise_normal(&random);
	for (size_t i = 0; i < LENGTHS; i++) {
		size_t count = 0;

		for (unsigned unit = 0; unit < UNITS; unit++) {
			if (unit == i % 3)
				continue;
			numbers[i][count] = unit;
			ratios[i][count++] =
				exp(common[unit] + 0.001 * noise_normal(&random));
		}
		trials[i] = (struct np_size_test){ .ratios = ratios[i],
						   .numbers = numbers[i],
						   .count = count };
	}
	assert_int_equal(
		np_test_modes(trials, LENGTHS, 0.01, NP_SAME_WITHIN, proofs, &calibration),
		0);
	assert_true(calibration.common > 0.9);
	for (size_t i = 0; i < LENGTHS; i++)
		trials[i].numbers = NULL;
	assert_int_equal(
		np_test_modes(trials, LENGTHS, 0.01, NP_SAME_WITHIN, proofs, &calibration),
		0);
	assert_true(calibration.common < 0.9);
}

enum { SIZES = 124 };

struct outcome {
	size_t slower, faster, unstable; /* sizes */
	struct np_calibration calibration;
};

static struct outcome prove_run(const struct noise_size *sizes, struct np_mode_test *proofs)
{
	struct np_size_test trials[SIZES];
	struct outcome outcome = { .slower = 0 };

	for (size_t i = 0; i < SIZES; i++)
		trials[i] = (struct np_size_test){ .ratios = sizes[i].ratios,
						   .control_ratios = sizes[i].controls,
						   .count = sizes[i].count,
						   .control_count = sizes[i].count };
	assert_int_equal(np_test_modes(trials, SIZES, NP_MODE_TEST_Q, NP_SAME_WITHIN,
				       proofs, &outcome.calibration),
			 0);
	for (size_t i = 0; i < SIZES; i++) {
		outcome.slower += proofs[i].verdict == NP_SLOWER;
		outcome.faster += proofs[i].verdict == NP_FASTER;
		outcome.unstable += proofs[i].unstable;
	}
	return outcome;
}

/* Nothing is planted: at most one run in a hundred may say anything. */
static void check_false_alarms(void **state)
{
	enum { RUNS = 100 };
	const size_t models = sizeof(noises) / sizeof(*noises);
	static struct noise_size sizes[SIZES];
	static struct np_mode_test proofs[SIZES];
	struct np_random random = { 42 };
	size_t alarms = 0, unstable = 0;

	(void)state;
	for (size_t i = 0; i < SIZES; i++)
		sizes[i].effect = 1.0;
	for (size_t model = 0; model < models; model++) {
		for (size_t run = 0; run < RUNS; run++) {
			noise_run(&random, &noises[model], 6, sizes, SIZES);
			const struct outcome outcome = prove_run(sizes, proofs);

			alarms += outcome.slower + outcome.faster != 0;
			unstable += outcome.unstable != 0;
		}
	}
	print_message("# %zu runs: verdicts in %zu, unstable sizes in %zu\n", RUNS * models,
		      alarms, unstable);
	assert_true(100 * alarms <= RUNS * models && 100 * unstable <= RUNS * models);
}

/* 5 % where a unit's ratio has 1 %, six passes: at all of the sizes where it is,
 * and nowhere else; and what is said to be resolved is found about as often. */
static void check_power(void **state)
{
	static const struct noise percent = { .name = "1 % a unit", .block = 0.013 };
	enum { RUNS = 40, PLANTED = 20 };
	static struct noise_size sizes[SIZES];
	static struct np_mode_test proofs[SIZES];
	struct np_random random = { 43 };
	size_t found = 0, said = 0, at_resolution = 0;
	double resolution = 0.026;

	(void)state;
	for (size_t run = 0; run < RUNS; run++) {
		for (size_t i = 0; i < SIZES; i++)
			sizes[i].effect = i % 6 == 0 && i < 6 * PLANTED ?
						  (i % 12 == 0 ? 1.05 : 1.0 / 1.05) :
						  1.0;
		noise_run(&random, &percent, 6, sizes, SIZES);
		const struct outcome outcome = prove_run(sizes, proofs);

		for (size_t i = 0; i < SIZES; i++)
			found +=
				(sizes[i].effect > 1.0 && proofs[i].verdict == NP_SLOWER) ||
				(sizes[i].effect < 1.0 && proofs[i].verdict == NP_FASTER);
		said += outcome.slower + outcome.faster;
		for (size_t i = 0; i < SIZES; i++)
			sizes[i].effect = i == 0 ? 1.0 + resolution : 1.0;
		noise_run(&random, &percent, 6, sizes, SIZES);
		prove_run(sizes, proofs);
		at_resolution += proofs[0].verdict == NP_SLOWER;
		resolution = proofs[1].resolution;
	}
	print_message("# of %d effects of 5 %% found %zu, wrong %zu; of %d at the "
		      "resolution %zu\n",
		      RUNS * PLANTED, found, said - found, RUNS, at_resolution);
	assert_true(100 * found >= 98 * RUNS * PLANTED &&
		    100 * (said - found) <= 2 * RUNS * PLANTED);
	assert_true(100 * at_resolution >= 60 * RUNS && 100 * at_resolution <= 97 * RUNS);
}

/* Each size is off by more than its units say, in the null alike: the null's t are
 * spread wide, and nothing is said of ratios that are spread as wide. */
static void check_calibration(void **state)
{
	static struct noise_size sizes[SIZES];
	static struct np_mode_test proofs[SIZES];
	struct np_random random = { 44 };

	(void)state;
	for (size_t i = 0; i < SIZES; i++) {
		const double own = 0.02 * noise_normal(&random),
			     control = 0.02 * noise_normal(&random);

		sizes[i].count = 6;
		for (size_t k = 0; k < 6; k++) {
			sizes[i].ratios[k] = exp(own + 0.01 * noise_normal(&random));
			sizes[i].controls[k] = exp(control + 0.01 * noise_normal(&random));
		}
	}
	const struct outcome outcome = prove_run(sizes, proofs);
	assert_true(outcome.calibration.inflation > 5.0);
	assert_true(outcome.slower + outcome.faster <= 2);
	assert_true(outcome.unstable > 10);
}

/* A verdict and the interval beside it say the same, at every size of runs with and
 * without effects; significant is what the correction rejects; and of the intervals of
 * sizes that are slower or faster a share of 1 % at most misses the ratio. */
static void check_intervals(void **state)
{
	enum { RUNS = 300 };
	static const struct noise percent = { .name = "1 % a unit", .block = 0.013 };
	static struct noise_size sizes[SIZES];
	static struct np_mode_test proofs[SIZES];
	struct np_random random = { 45 };
	size_t said = 0, missed = 0, same = 0, against = 0;

	(void)state;
	for (size_t run = 0; run < RUNS; run++) {
		for (size_t i = 0; i < SIZES; i++)
			sizes[i].effect = i < SIZES / 2 ? 1.0 + 0.001 * (double)i : 1.0;
		noise_run(&random, &percent, run % 2 == 0 ? 6 : 24, sizes, SIZES);
		prove_run(sizes, proofs);
		for (size_t i = 0; i < SIZES; i++) {
			const struct np_mode_test *proof = &proofs[i];
			const bool apart =
				proof->low > 1.0 ||
				proof->high<1.0, misses = proof->low> sizes[i].effect ||
				proof->high < sizes[i].effect;

			assert_int_equal(proof->verdict,
					 np_verdict_of_interval(proof->low, proof->high,
								NP_SAME_WITHIN));
			assert_true(proof->low <= proof->alone_low &&
				    proof->high >= proof->alone_high);
			against += apart && proof->adjusted > NP_MODE_TEST_Q * 1.000001;
			said += np_verdict_is_sure(proof->verdict);
			missed += np_verdict_is_sure(proof->verdict) && misses;
			same += proof->verdict == NP_SAME;
			assert_true(proof->verdict != NP_SAME || sizes[i].effect < 1.03);
		}
	}
	print_message("# %zu slower or faster, %zu intervals of them miss; %zu same\n",
		      said, missed, same);
	assert_true(said > 1000 && same > 1000 && 100 * missed <= said);
	assert_int_equal(against, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_gamma),	       cmocka_unit_test(check_prior),
		cmocka_unit_test(check_prior_edges),   cmocka_unit_test(check_published_t),
		cmocka_unit_test(check_null),	       cmocka_unit_test(check_few_units),
		cmocka_unit_test(check_missing_units), cmocka_unit_test(check_false_alarms),
		cmocka_unit_test(check_power),	       cmocka_unit_test(check_calibration),
		cmocka_unit_test(check_intervals),
	};

	return cmocka_run_group_tests_name("proof", tests, NULL, NULL);
}
