/*
 * test_scan.c - the level of all ranges at once, by drawing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "noisy_units.h"
#include "stats/ranges.h"
#include "stats/tails.h"

enum { VALUES = 46, DRAWS = 100000 };

/* The greatest |z| of all ranges of values that weigh 1 down to `least`. */
static double greatest_of(struct np_random *random, size_t count, double least)
{
	double sums[VALUES + 1] = { 0.0 }, weights[VALUES + 1] = { 0.0 }, greatest = 0.0;

	for (size_t i = 0; i < count; i++) {
		const double weight = pow(least, (double)i / (double)count);

		weights[i + 1] = weights[i] + weight;
		sums[i + 1] = sums[i] + sqrt(weight) * noise_normal(random);
	}
	for (size_t begin = 0; begin < count; begin++) {
		for (size_t end = begin + 1; end <= count; end++)
			greatest =
				fmax(greatest, fabs(sums[end] - sums[begin]) /
						       sqrt(weights[end] - weights[begin]));
	}
	return greatest;
}

/* The chance of any is as the header says; with unequal weights it is less. */
static void check_chance(void **state)
{
	static const size_t counts[] = { 2, 8, VALUES };
	static const double q = 0.005;
	struct np_random random = { 81 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		const double limit = np_normal_quantile(np_scan_level(counts[i], q));
		size_t equal = 0, unequal = 0;

		for (size_t draw = 0; draw < DRAWS; draw++) {
			equal += greatest_of(&random, counts[i], 1.0) > limit;
			unequal += greatest_of(&random, counts[i], 1e-4) > limit;
		}
		print_message("# %zu values: %.5f, with unequal weights %.5f of %.3f\n",
			      counts[i], (double)equal / DRAWS, (double)unequal / DRAWS, q);
		/* A quarter, and three errors of that share. */
		assert_true((double)equal <= (1.25 * q + 7e-4) * DRAWS &&
			    (double)unequal <= (1.25 * q + 7e-4) * DRAWS &&
			    (double)equal >= 0.8 * q * DRAWS);
	}
}

/* One value is one test; more of them ask for more, and for less than each range would. */
static void check_levels(void **state)
{
	static const double q = 0.005;
	double level, before = q;

	(void)state;
	assert_true(np_scan_level(1, q) <= q && np_scan_level(1, q) > 0.5 * q);
	for (size_t values = 2; values <= 500; values++) {
		level = np_scan_level(values, q);
		assert_true(level < before &&
			    level > q / (0.5 * (double)(values * (values + 1))));
		before = level;
	}
	assert_true(np_scan_level(VALUES, q) > 4.0 * q / 1081.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_chance),
		cmocka_unit_test(check_levels),
	};

	return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
