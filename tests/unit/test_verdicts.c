/*
 * test_verdicts.c - tests against published tables, and against what they claim
 * where nothing differs.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "curves.h"
#include "stats/tails.h"
#include "stats/adjust.h"
#include "stats/contrast.h"

static bool near(double value, double expected, double within)
{
	return fabs(value - expected) <= within;
}

static size_t count_rejected(const double *adjusted, size_t count)
{
	size_t rejected = 0;

	for (size_t i = 0; i < count; i++)
		rejected += adjusted[i] <= 0.05;
	return rejected;
}

/* The example of Benjamini and Hochberg, 1995, section 3.2: at 0.05 their
 * procedure rejects four, Bonferroni's three. */
static void check_published_p(void **state)
{
	static const double p[15] = { 0.0344, 0.0001, 0.5719, 0.0004, 1.0000,
				      0.0019, 0.0095, 0.3240, 0.0201, 0.0278,
				      0.0298, 0.0459, 0.4262, 0.6528, 0.7590 };
	double adjusted[15];

	(void)state;
	assert_int_equal(np_adjust_p(p, 15, 0, NP_ADJUST_BONFERRONI, adjusted), 0);
	assert_int_equal(count_rejected(adjusted, 15), 3);
	assert_true(near(adjusted[6], 0.0095 * 15, 1e-12));
	assert_int_equal(np_adjust_p(p, 15, 0, NP_ADJUST_FDR, adjusted), 0);
	assert_int_equal(count_rejected(adjusted, 15), 4);
	/* 0.0095 is fourth: 15 / 4 of it; 0.0344 is eighth, 0.0298 seventh at
	 * 15 / 7 of it, less than 0.0344 15 / 8. */
	assert_true(near(adjusted[6], 0.0095 * 15 / 4, 1e-12));
	assert_true(near(adjusted[10], 0.0298 * 15 / 7, 1e-12));
	assert_true(near(adjusted[9], 0.0298 * 15 / 7, 1e-12));
	assert_true(near(adjusted[0], 0.0344 * 15 / 8, 1e-12));
	assert_true(near(adjusted[4], 1.0, 1e-12));
}

/* Holm's steps down: 4, 3, 2 and 1 times p, none below the one before. */
static void check_holm(void **state)
{
	static const double p[4] = { 0.03, 0.01, 0.02, 0.9 };
	static const double expected[4] = { 0.06, 0.04, 0.06, 0.9 };
	double adjusted[4];

	(void)state;
	assert_int_equal(np_adjust_p(p, 4, 0, NP_ADJUST_HOLM, adjusted), 0);
	for (size_t i = 0; i < 4; i++)
		assert_true(near(adjusted[i], expected[i], 1e-15));
	/* A test without a p counts as one. */
	assert_int_equal(np_adjust_p(p, 4, 5, NP_ADJUST_HOLM, adjusted), 0);
	assert_true(near(adjusted[1], 0.05, 1e-15) && near(adjusted[2], 0.08, 1e-15));
	assert_true(near(adjusted[3], 1.0, 1e-15));
}

static void check_adjust_odd(void **state)
{
	double p[4] = { (double)NAN, 0.02, 0.01, (double)NAN }, places[4];

	(void)state;
	/* The smallest of eight. */
	assert_int_equal(np_adjust_p(p, 4, 8, NP_ADJUST_FDR, places), 0);
	assert_true(near(places[1], 0.08, 1e-15) && near(places[2], 0.08, 1e-15));
	assert_int_equal(np_adjust_p(p, 4, 0, NP_ADJUST_FDR, p), 0);
	assert_true(isnan(p[0]) && isnan(p[3]));
	assert_true(near(p[1], 0.02, 1e-15) && near(p[2], 0.02, 1e-15));
	assert_int_equal(np_adjust_p(p, 0, 0, NP_ADJUST_FDR, p), 0);
}

/* By rounding either. */
static void check_adjust_lowers_none(void **state)
{
	enum { MOST = 64 };
	double p[MOST], adjusted[MOST];

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		p[i] = 0.97378158272955206;
	for (size_t count = 1; count <= MOST; count++) {
		assert_int_equal(np_adjust_p(p, count, 0, NP_ADJUST_FDR, adjusted), 0);
		for (size_t i = 0; i < count; i++)
			assert_true(adjusted[i] >= p[i]);
	}
}

/* Critical values in textbooks: t, and both tails of the far end. */
static void check_tails(void **state)
{
	(void)state;
	assert_true(near(np_normal_p(1.959964), 0.05, 1e-7));
	assert_true(near(np_student_p(12.7062, 1), 0.05, 1e-6));
	assert_true(near(np_student_p(4.30265, 2), 0.05, 1e-6));
	assert_true(near(np_student_p(2.57058, 5), 0.05, 1e-6));
	assert_true(near(np_student_p(2.22814, 10), 0.05, 1e-6));
	assert_true(near(np_student_p(4.58689, 10), 0.001, 1e-7));
	assert_true(near(np_student_quantile(0.01, 21), 2.83136, 1e-5));
	/* Of 2 degrees the tail is 1 / (t^2 + 2 + ...): exact in closed form. */
	for (int power = 2; power < 12; power++) {
		const double t = pow(10.0, power);
		const double root = sqrt(t * t + 2.0);
		const double exact = 2.0 / (root * (root + t));
		assert_true(near(np_student_p(t, 2) / exact, 1.0, 1e-4));
	}
}

/* M. Hollander, D. A. Wolfe and E. Chicken, example 3.1: the Hamilton factor of
 * nine patients before and after; T+ = 5, two-sided p = 20 / 512, estimate -0.46. */
static void check_published_pairs(void **state)
{
	static const double before[9] = { 1.83, 0.50, 1.62, 2.48, 1.68,
					  1.88, 1.55, 3.06, 1.30 };
	static const double after[9] = { 0.878, 0.647, 0.598, 2.05, 1.06,
					 1.29,	1.06,  3.14,  1.29 };
	struct np_contrast contrast;
	double ratios[9];

	(void)state;
	for (size_t i = 0; i < 9; i++)
		ratios[i] = exp(after[i] - before[i]);
	assert_int_equal(np_contrast_paired(ratios, 9, &contrast), 0);
	assert_true(near(contrast.p, 20.0 / 512.0, 1e-12));
	assert_true(near(log(contrast.ratio), -0.46, 1e-9));
	assert_true(near(log(contrast.low), -0.786, 1e-9));
	assert_true(near(log(contrast.high), -0.010, 1e-9));
	assert_int_equal(contrast.units, 9);
	assert_int_equal(contrast.verdict, NP_UNCLEAR);
}

/* Sums of ranks 1 to count of which `negative` are below: two-sided p. */
static double paired_p(size_t count, size_t negative)
{
	struct np_contrast contrast;
	double ratios[20];

	for (size_t i = count; i > 0; i--) {
		const bool below = negative >= i;

		ratios[i - 1] = exp(below ? -(double)i : (double)i);
		negative -= below ? i : 0;
	}
	assert_int_equal(np_contrast_paired(ratios, count, &contrast), 0);
	return contrast.p;
}

/* The tables' largest sums at 0.05, two-sided: 5 of 0.0625 has none. */
static void check_paired_table(void **state)
{
	static const size_t table[][2] = { { 6, 0 },  { 7, 2 },	  { 8, 3 },   { 9, 5 },
					   { 10, 8 }, { 12, 13 }, { 15, 25 }, { 20, 52 } };

	(void)state;
	assert_true(near(paired_p(5, 0), 0.0625, 1e-12));
	assert_true(near(paired_p(6, 0), 0.03125, 1e-12));
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_true(paired_p(table[i][0], table[i][1]) <= 0.05);
		assert_true(paired_p(table[i][0], table[i][1] + 1) > 0.05);
	}
}

static double runs_p(size_t each, size_t u)
{
	struct np_contrast contrast;
	double first[20], second[20];

	for (size_t i = 0; i < each; i++) {
		first[i] = exp((double)i);
		second[i] = exp((double)each + (double)i - 0.5);
	}
	/* Each place that the lowest of the second goes down is one of U. */
	second[0] = exp((double)each - 0.5 - (double)(u > each ? each : u));
	if (u > each)
		second[1] = exp((double)each - 0.5 - (double)(u - each));
	assert_int_equal(np_contrast_runs(first, each, second, each, &contrast), 0);
	return contrast.p;
}

/* The tables' largest U at 0.05, two-sided. */
static void check_runs_table(void **state)
{
	static const size_t table[][2] = {
		{ 4, 0 }, { 5, 2 }, { 6, 5 }, { 7, 8 }, { 8, 13 }
	};
	struct np_contrast contrast;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_true(runs_p(table[i][0], table[i][1]) <= 0.05);
		assert_true(runs_p(table[i][0], table[i][1] + 1) > 0.05);
	}
	assert_true(near(runs_p(5, 0), 2.0 / 252.0, 1e-12));
	assert_int_equal(np_contrast_runs((const double[]){ 1.0, 2.0, 3.0 }, 3,
					  (const double[]){ 2.0, 4.0, 6.0 }, 3, &contrast),
			 0);
	assert_true(near(contrast.ratio, 2.0, 1e-12));
	assert_true(isnan(contrast.low) && near(contrast.least_p, 0.1, 1e-12));
	assert_int_equal(np_contrast_runs(NULL, 0, NULL, 0, &contrast), 0);
	assert_true(isnan(contrast.p) && isnan(contrast.ratio));
}

/* Many units, where the exact and the normal p must agree. */
static void check_large(void **state)
{
	struct np_random random = { 31 };
	double a[200], b[200];
	struct np_contrast few, many;

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		a[i] = exp(0.1 * normal(&random));
		b[i] = exp(0.1 * normal(&random) + 0.04);
	}
	assert_int_equal(np_contrast_paired(b, 60, &few), 0);
	assert_int_equal(np_contrast_paired(b, 61, &many), 0);
	assert_true(few.p < 0.05 && many.p < 0.05 && many.low > 1.0);
	assert_true(fabs(log(few.p / many.p)) < 1.0);
	assert_true(fabs(log(few.high / many.high)) < 0.01);
	assert_int_equal(np_contrast_runs(a, 20, b, 20, &few), 0);
	assert_int_equal(np_contrast_runs(a, 20, b, 21, &many), 0);
	assert_true(fabs(log(few.p / many.p)) < 1.0);
	assert_int_equal(np_contrast_runs(a, 200, b, 200, &many), 0);
	assert_true(many.low < exp(0.04) && exp(0.04) < many.high && many.p < 0.01);
}

enum { TRIALS = 2000 };

static void check_coverage(void **state)
{
	static const size_t units[] = { 6, 8, 12, 30 };
	struct np_random random = { 32 };
	double first[30], second[30];

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t paired = 0, runs = 0;

		for (size_t trial = 0; trial < TRIALS; trial++) {
			struct np_contrast contrast;

			for (size_t k = 0; k < units[i]; k++) {
				first[k] = exp(0.1 * normal(&random));
				second[k] = 1.07 * exp(0.1 * normal(&random));
			}
			assert_int_equal(np_contrast_runs(first, units[i], second, units[i],
							  &contrast),
					 0);
			runs += contrast.low <= 1.07 && 1.07 <= contrast.high;
			assert_int_equal(np_contrast_paired(second, units[i], &contrast),
					 0);
			paired += contrast.low <= 1.07 && 1.07 <= contrast.high;
		}
		print_message("# units %zu: 1.07 covered by paired %zu, runs %zu of %d\n",
			      units[i], paired, runs, TRIALS);
		assert_true(100 * paired >= 94 * TRIALS && 100 * runs >= 94 * TRIALS);
	}
}

static void check_names(void **state)
{
	(void)state;
	assert_string_equal(np_verdict_word(NP_UNCLEAR), "unclear");
	assert_int_equal(np_verdict_of_interval(0.99, 1.02, 0.02), NP_SAME);
	/* Within the margin it is the same, even where it leaves out 1. */
	assert_int_equal(np_verdict_of_interval(1.005, 1.015, 0.02), NP_SAME);
	assert_int_equal(np_verdict_of_interval(1.005, 1.015, 0.01), NP_SLOWER);
	assert_int_equal(np_verdict_of_interval(0.979, 0.99, 0.02), NP_FASTER);
	assert_int_equal(np_verdict_of_interval(0.979, 1.001, 0.02), NP_UNCLEAR);
	assert_int_equal(np_verdict_of_interval((double)NAN, (double)NAN, 0.02),
			 NP_UNCLEAR);
}

enum { SIZES = 40, LAUNCHES_MOST = 10 };

/* Runs that share an effect over all sizes, and differ at each; from
 * `slower` runs on, one size takes longer by ratio; or, where they share little, all. */
static void draw_runs(struct np_random *random, size_t runs, size_t slower, size_t size,
		      double ratio, double *times)
{
	for (size_t i = 0; i < runs; i++) {
		const double effect = (size == SIZES ? 0.005 : 0.05) * normal(random);

		for (size_t k = 0; k < SIZES; k++) {
			times[i * SIZES + k] = exp(effect + 0.01 * normal(random));
			if (i >= slower && (k == size || size == SIZES))
				times[i * SIZES + k] *= ratio;
		}
	}
}

/* Equal sides, five runs each, 0.05 from run to run: a verdict on any
 * of the sizes in at most 2 of 252 exchanges. */
static void check_no_difference(void **state)
{
	enum { PAIRS = 400 };
	struct np_random random = { 1033 };
	struct np_contrast contrasts[SIZES];
	struct np_range list[SIZES];
	struct np_contrast_ranges ranges = { .list = list };
	double times[LAUNCHES_MOST * SIZES], p[SIZES];
	size_t alarms = 0, alarms_each = 0;

	(void)state;
	for (size_t pair = 0; pair < PAIRS; pair++) {
		size_t said = 0, said_each = 0;

		draw_runs(&random, 10, 10, 0, 1.0, times);
		assert_int_equal(np_contrast_all(times, SIZES, 5, 5, 0.01, NP_SAME_WITHIN,
						 1, contrasts, &ranges),
				 0);
		for (size_t k = 0; k < SIZES; k++)
			said += contrasts[k].verdict >= NP_FASTER;
		for (size_t k = 0; k < ranges.count; k++)
			said += np_verdict_is_sure(list[k].verdict);
		for (size_t k = 0; k < SIZES; k++)
			p[k] = contrasts[k].p;
		assert_int_equal(np_adjust_p(p, SIZES, 0, NP_ADJUST_FDR, p), 0);
		for (size_t k = 0; k < SIZES; k++)
			said_each += p[k] <= 0.01;
		alarms += said != 0;
		alarms_each += said_each != 0;
	}
	print_message("# %d equal pairs: verdicts in %zu by exchange, %zu by step-up\n",
		      PAIRS, alarms, alarms_each);
	assert_true(alarms <= 8 && alarms_each <= 8);
}

/* Of the run's own 5 %, a size that takes 1.4 as long is found alone. */
static void check_difference(void **state)
{
	enum { PAIRS = 100 };
	struct np_random random = { 1034 };
	struct np_contrast contrasts[SIZES];
	struct np_range list[SIZES];
	struct np_contrast_ranges ranges = { .list = list };
	double times[LAUNCHES_MOST * SIZES];
	size_t found = 0, wrong = 0;

	(void)state;
	for (size_t pair = 0; pair < PAIRS; pair++) {
		bool another = false;

		draw_runs(&random, 10, 5, 17, 1.4, times);
		assert_int_equal(np_contrast_all(times, SIZES, 5, 5, 0.01, NP_SAME_WITHIN,
						 1, contrasts, &ranges),
				 0);
		for (size_t k = 0; k < SIZES; k++) {
			/* Shown is what the verdict follows from. */
			assert_int_equal(contrasts[k].low > 1.0 || contrasts[k].high < 1.0,
					 contrasts[k].adjusted <= 0.01);
			found += k == 17 && contrasts[k].verdict == NP_SLOWER;
			another = another || (k != 17 && contrasts[k].verdict >= NP_FASTER);
		}
		wrong += another;
	}
	print_message("# one size 1.4 times slower: found in %zu of 100, another in %zu\n",
		      found, wrong);
	assert_true(found >= 90 && wrong <= 3);
}

/* 3 % at all sizes, which few sizes show alone. */
static void check_range(void **state)
{
	enum { PAIRS = 100 };
	struct np_random random = { 36 };
	struct np_contrast contrasts[SIZES];
	struct np_range list[SIZES] = { { .first = 0 } };
	struct np_contrast_ranges ranges = { .list = list };
	double times[LAUNCHES_MOST * SIZES];
	size_t found = 0, alone = 0, held = 0;

	(void)state;
	for (size_t pair = 0; pair < PAIRS; pair++) {
		size_t slower = 0;

		draw_runs(&random, 10, 5, SIZES, 1.03, times);
		assert_int_equal(np_contrast_all(times, SIZES, 5, 5, 0.01, NP_SAME_WITHIN,
						 1, contrasts, &ranges),
				 0);
		for (size_t k = 0; k < ranges.count; k++)
			slower += list[k].verdict == NP_SLOWER ? list[k].sizes : 0;
		for (size_t k = 0; k < SIZES; k++)
			alone += contrasts[k].verdict == NP_SLOWER;
		found += slower > SIZES / 2;
		held += ranges.count > 0 && list[0].low <= 1.03 && list[0].high >= 1.03;
	}
	print_message("# 3 %% at %d sizes: found in %zu of 100, in %zu of %d sizes alone\n",
		      SIZES, found, alone, PAIRS * SIZES);
	assert_true(found >= 95 && held >= 95);
}

static void check_few_runs(void **state)
{
	struct np_random random = { 35 };
	struct np_contrast contrasts[SIZES];
	double times[22 * SIZES];

	(void)state;
	draw_runs(&random, 9, 4, 3, 9.0, times);
	times[3] = (double)NAN;
	assert_int_equal(np_contrast_all(times, SIZES, 4, 5, 0.05, NP_SAME_WITHIN, 1,
					 contrasts, NULL),
			 0);
	assert_int_equal(contrasts[3].verdict, NP_UNCLEAR);
	assert_true(contrasts[3].ratio > 5.0 && contrasts[3].units == 3);
	draw_runs(&random, 10, 5, 3, 9.0, times);
	times[4] = (double)NAN;
	assert_int_equal(np_contrast_all(times, SIZES, 5, 5, 0.01, NP_SAME_WITHIN, 1,
					 contrasts, NULL),
			 0);
	assert_int_equal(contrasts[3].verdict, NP_SLOWER);
	assert_int_equal(contrasts[4].verdict, NP_UNCLEAR);
	assert_int_equal(contrasts[5].verdict, NP_UNCLEAR);
	/* Too many exchanges to make all. */
	draw_runs(&random, 22, 11, 3, 2.0, times);
	assert_int_equal(np_contrast_all(times, SIZES, 11, 11, 0.01, NP_SAME_WITHIN, 1,
					 contrasts, NULL),
			 0);
	assert_int_equal(contrasts[3].verdict, NP_SLOWER);
	assert_true(contrasts[3].adjusted > 0.0 && contrasts[3].adjusted < 0.001);
}

static void check_binomial(void **state)
{
	(void)state;
	assert_true(fabs(np_binomial_p(0, 6, 0.25) - 1) < 1e-12);
	assert_true(fabs(np_binomial_p(6, 6, 0.5) - 1.0 / 64) < 1e-12);
	assert_true(fabs(np_binomial_p(2, 3, 0.5) - 0.5) < 1e-12);
	assert_true(fabs(np_binomial_p(1, 3, 0.25) - (1 - 27.0 / 64)) < 1e-12);
	assert_true(fabs(np_binomial_p(1, 3, 1.0) - 1) < 1e-12);
	/* Half of a symmetric distribution, and of the middle. */
	assert_true(fabs(np_binomial_p(10000, 20000, 0.5) - 0.50282) < 1e-4);
	assert_true(np_binomial_p(20000, 20000, 0.5) <= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_binomial),
		cmocka_unit_test(check_published_p),
		cmocka_unit_test(check_holm),
		cmocka_unit_test(check_adjust_odd),
		cmocka_unit_test(check_adjust_lowers_none),
		cmocka_unit_test(check_tails),
		cmocka_unit_test(check_published_pairs),
		cmocka_unit_test(check_paired_table),
		cmocka_unit_test(check_runs_table),
		cmocka_unit_test(check_large),
		cmocka_unit_test(check_coverage),
		cmocka_unit_test(check_names),
		cmocka_unit_test(check_no_difference),
		cmocka_unit_test(check_difference),
		cmocka_unit_test(check_range),
		cmocka_unit_test(check_few_runs),
	};

	return cmocka_run_group_tests_name("verdicts", tests, NULL, NULL);
}
