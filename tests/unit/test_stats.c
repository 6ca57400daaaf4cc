/*
 * test_stats.c - against published tables, and against the truth: how often
 * the interval covers a median that is known because the test made it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/random.h"
#include "stats/stats.h"

static bool close_to(double value, double expected)
{
	return fabs(value - expected) <= 1e-12 * fabs(expected);
}

static void check_order_statistic(void **state)
{
	static const double values[] = { 3.0, -1.0, 2.5, -0.0, 1e308, -1e-300, 7.0, 7.0 };
	static const double sorted[] = { -1.0, -1e-300, -0.0, 2.5, 3.0, 7.0, 7.0, 1e308 };
	const double infinite = (double)INFINITY;

	(void)state;
	for (size_t rank = 1; rank <= 8; rank++)
		assert_true(np_order_statistic(values, 8, rank) == sorted[rank - 1]);
	assert_true(isnan(np_order_statistic(values, 8, 0)));
	assert_true(isnan(np_order_statistic(values, 8, 9)));
	assert_true(np_order_statistic((const double[]){ infinite, -infinite }, 2, 2) ==
		    infinite);
}

static void check_median(void **state)
{
	(void)state;
	assert_true(np_median((const double[]){ 5.0 }, 1) == 5.0);
	assert_true(np_median((const double[]){ 5.0, 1.0 }, 2) == 3.0);
	assert_true(np_median((const double[]){ 5.0, 1.0, 2.0 }, 3) == 2.0);
	assert_true(np_median((const double[]){ 4.0, 1.0, 3.0, 2.0 }, 4) == 2.5);
	assert_true(isnan(np_median(NULL, 0)));
}

/* What R's quantile(x, type = 7), its default, says of 1, 2, 4, 8, 16. */
static void check_quantile(void **state)
{
	static const double values[] = { 16.0, 1.0, 4.0, 2.0, 8.0 };

	(void)state;
	assert_true(np_quantile(values, 5, 0.0) == 1.0);
	assert_true(np_quantile(values, 5, 0.25) == 2.0);
	assert_true(close_to(np_quantile(values, 5, 0.1), 1.4));
	assert_true(close_to(np_quantile(values, 5, 0.9), 12.8));
	assert_true(np_quantile(values, 5, 1.0) == 16.0);
	assert_true(np_quantile(values, 5, 2.0) == 16.0);
	assert_true(np_quantile(values, 5, -1.0) == 1.0);
	assert_true(isnan(np_quantile(values, 0, 0.5)));
	assert_true(isnan(np_quantile(values, 5, (double)NAN)));
}

static void check_mean_and_min(void **state)
{
	static const double lossy[] = { 1.0, 1e100, 1.0, -1e100 };
	double tenths[1000];

	(void)state;
	assert_true(np_mean(lossy, 4) == 0.5);
	for (size_t i = 0; i < 1000; i++)
		tenths[i] = 0.1;
	assert_true(np_mean(tenths, 1000) == 0.1);
	assert_true(np_min(lossy, 4) == -1e100);
	assert_true(isnan(np_mean(NULL, 0)));
	assert_true(isnan(np_min(NULL, 0)));
}

struct ranks {
	size_t count, rank;
};

/* The table of the sign test's interval in textbooks of nonparametric
 * statistics, two-sided at 95 %. */
static void check_published_ranks(void **state)
{
	static const struct ranks table[] = {
		{ 1, 0 },   { 5, 0 },	{ 6, 1 },   { 7, 1 },	 { 8, 1 },   { 9, 2 },
		{ 10, 2 },  { 11, 2 },	{ 12, 3 },  { 13, 3 },	 { 14, 3 },  { 15, 4 },
		{ 16, 4 },  { 17, 5 },	{ 18, 5 },  { 19, 5 },	 { 20, 6 },  { 21, 6 },
		{ 22, 6 },  { 23, 7 },	{ 24, 7 },  { 25, 8 },	 { 30, 10 }, { 40, 14 },
		{ 50, 18 }, { 60, 22 }, { 70, 27 }, { 100, 40 },
	};
	double coverage = 0.0;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_int_equal(np_median_interval_rank(table[i].count, 0.95, &coverage),
				 table[i].rank);
		assert_true(table[i].rank == 0 || coverage >= 0.95);
	}
	assert_int_equal(np_median_interval_rank(6, 0.95, &coverage), 1);
	assert_true(coverage == 0.96875);
	assert_int_equal(np_median_interval_rank(6, 0.96875, &coverage), 1);
	assert_int_equal(np_median_interval_rank(6, 0.97, &coverage), 0);
	assert_int_equal(np_median_interval_rank(8, 0.99, &coverage), 1);
	assert_int_equal(np_median_interval_rank(7, 0.99, &coverage), 0);
	assert_int_equal(np_median_interval_rank(10, 0.0, &coverage), 0);
	assert_int_equal(np_median_interval_rank(10, 1.0, &coverage), 0);
	assert_int_equal(np_median_interval_rank(10, (double)NAN, &coverage), 0);
}

/* For many units the rank is near n/2 - 1.96 sqrt(n)/2, and the coverage just
 * above what was asked: the next rank would change it by less than 2 / sqrt(n). */
static void check_many_units(void **state)
{
	(void)state;
	for (size_t count = 995; count < 4000000;
	     count = count < 1010 ? count + 1 : count * 3) {
		double root = sqrt((double)count);
		double coverage = 0.0;
		size_t rank = np_median_interval_rank(count, 0.95, &coverage);
		double expected = ((double)count + 1.0 - 1.959964 * root) / 2.0;
		assert_true(fabs((double)rank - expected) <= 1.0);
		assert_true(coverage >= 0.95 && coverage < 0.95 + 0.3 / root);
	}
}

static void check_interval(void **state)
{
	static const double units[] = { 4.0, 9.0, 1.0, 7.0, 3.0, 6.0, 2.0, 8.0, 5.0 };
	struct np_interval interval = { 0.0, 0.0, 0.0 };

	(void)state;
	assert_false(np_median_interval(units, 5, 0.95, &interval));
	assert_true(interval.confidence <= 0.0);
	/* Ranks 1 and 2 of six have 62/64 and 50/64: I = (0.96875 - 0.95) / 0.1875 is
	 * 0.1, and the place between them 5 I / (1 + 4 I). */
	assert_true(np_median_interval(units, 6, 0.95, &interval));
	assert_true(close_to(interval.low, 1.0 + 2.0 * 5.0 / 14.0));
	assert_true(close_to(interval.high, 9.0 - 2.0 * 5.0 / 14.0));
	assert_true(close_to(interval.confidence, 0.95));
	/* Ranks 2 and 3 of nine: 492/512 and 420/512, I = 7 / 90, 7 I / (2 + 5 I). */
	assert_true(np_median_interval(units, 9, 0.95, &interval));
	assert_true(close_to(interval.low, 2.0 + 49.0 / 215.0));
	assert_true(close_to(interval.high, 8.0 - 49.0 / 215.0));
	/* Where a rank has just what is asked for it is taken. */
	assert_true(np_median_interval(units, 6, 0.96875, &interval));
	assert_true(interval.low == 1.0 && interval.high == 9.0);
	assert_true(close_to(interval.confidence, 0.96875));
	/* Nothing lies between the only two, or beyond the median itself. */
	assert_true(np_median_interval(units, 2, 0.4, &interval));
	assert_true(interval.low == 4.0 && interval.high == 9.0);
	assert_true(np_median_interval(units, 3, 0.7, &interval));
	assert_true(interval.low == 1.0 && interval.high == 9.0);
	assert_true(close_to(interval.confidence, 0.75));
}

/* Of (0, 1), never 0. */
static double uniform(struct np_random *random)
{
	return ((double)(np_random_next(random) >> 11) + 0.5) * 0x1p-53;
}

/* G. E. P. Box and M. E. Muller, "A Note on the Generation of Random Normal
 * Deviates", 1958. */
static double normal(struct np_random *random)
{
	double radius = sqrt(-2.0 * log(uniform(random)));

	return radius * cos(6.283185307179586 * uniform(random));
}

enum { TRIALS = 4000 };

/* Times and ratios whose median is 1. */
static double draw_normal(struct np_random *random)
{
	return 1.0 + 0.05 * normal(random);
}

static double draw_skewed(struct np_random *random)
{
	return exp(0.5 * normal(random));
}

/* One in ten is ten times as far off. */
static double draw_contaminated(struct np_random *random)
{
	return 1.0 +
	       0.02 * normal(random) * (np_random_below(random, 10) == 0 ? 10.0 : 1.0);
}

static double draw_exponential(struct np_random *random)
{
	return -log(uniform(random)) / M_LN2;
}

static void check_coverage(void **state)
{
	static double (*const draws[])(struct np_random *) = { draw_normal, draw_skewed,
							       draw_contaminated,
							       draw_exponential };
	static const size_t counts[] = { 6, 7, 8, 9, 12, 17, 21, 30 };
	const double noise = sqrt(0.95 * 0.05 / TRIALS);
	struct np_random random = { 20 };
	double units[30];

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		for (size_t k = 0; k < sizeof(draws) / sizeof(*draws); k++) {
			struct np_interval interval = { 0.0, 0.0, 0.0 };
			double covered = 0.0;

			for (int trial = 0; trial < TRIALS; trial++) {
				for (size_t j = 0; j < counts[i]; j++)
					units[j] = draws[k](&random);
				np_median_interval(units, counts[i], 0.95, &interval);
				covered += interval.low <= 1.0 && 1.0 <= interval.high;
			}
			/* Half a percent for the place, which is no exact one. */
			assert_true(fabs(covered / TRIALS - 0.95) < 0.005 + 3.0 * noise);
		}
	}
}

/* Six passes that differ by 5 %, and samples within a pass by 5 %: the samples
 * thrown together believe themselves far too much; the passes do not. */
static void check_pass_is_the_unit(void **state)
{
	enum { PASSES = 6, SAMPLES = 20, ALL = PASSES * SAMPLES };
	struct np_random random = { 21 };
	double pooled_covered = 0.0;
	double passes_covered = 0.0;

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct np_interval interval;
		double samples[PASSES][SAMPLES];
		double all[ALL];
		double medians[PASSES];
		for (size_t i = 0; i < PASSES; i++) {
			double effect = 0.05 * normal(&random);
			for (size_t j = 0; j < SAMPLES; j++)
				samples[i][j] = exp(effect + 0.05 * normal(&random));
			medians[i] = np_median(samples[i], SAMPLES);
		}
		memcpy(all, samples, sizeof(all));
		assert_true(np_median_interval(all, ALL, 0.95, &interval));
		pooled_covered += interval.low <= 1.0 && 1.0 <= interval.high;
		assert_true(np_median_interval(medians, PASSES, 0.95, &interval));
		passes_covered += interval.low <= 1.0 && 1.0 <= interval.high;
	}
	assert_true(pooled_covered / TRIALS < 0.65);
	assert_true(fabs(passes_covered / TRIALS - 0.95) < 0.015);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_order_statistic),
		cmocka_unit_test(check_median),
		cmocka_unit_test(check_quantile),
		cmocka_unit_test(check_mean_and_min),
		cmocka_unit_test(check_published_ranks),
		cmocka_unit_test(check_many_units),
		cmocka_unit_test(check_interval),
		cmocka_unit_test(check_coverage),
		cmocka_unit_test(check_pass_is_the_unit),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
