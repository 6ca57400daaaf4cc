/*
 * test_sequential.c - decisions while values arrive: how often they are wrong, and when
 * they are made.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/random.h"
#include "lab/draws.h"
#include "stats/sequential.h"

enum { MOST = 200, RUNS = 1000 };

static const struct np_sequential one_percent = { .margin = 0.02,
						  .error_below = 0.01,
						  .error_above = 0.01 };

/* How values scatter around their location. */
enum noise { NORMAL, OUTLIERS, NOISES };

static double draw(struct np_random *random, enum noise noise, double deviation)
{
	const double value = deviation * draw_normal(random);

	/* One value in ten of five times the deviation. */
	return noise == OUTLIERS && draw_uniform(random) < 0.1 ? 5 * value : value;
}

struct tally {
	unsigned below, above;
	size_t values; /* of all decisions */
};

static struct tally tally(double location, enum noise noise, double deviation)
{
	struct np_random random = { .state = 1 };
	struct tally result = { 0 };
	double values[MOST];

	for (unsigned run = 0; run < RUNS; run++) {
		for (size_t i = 0; i < MOST; i++)
			values[i] = location + draw(&random, noise, deviation);
		const struct np_interim look =
			np_sequential_decide(&one_percent, values, MOST);
		result.below += look.side == NP_SIDE_BELOW;
		result.above += look.side == NP_SIDE_ABOVE;
		result.values += look.count;
	}
	return result;
}

/* At the margins a decision is wrong in 1 % at most: with three standard errors of so many
 * runs, in 19 of them. */
static void check_errors(void **state)
{
	static const double deviations[] = { 0.002, 0.015, 0.05 };

	(void)state;
	for (enum noise noise = 0; noise < NOISES; noise++) {
		for (size_t i = 0; i < sizeof(deviations) / sizeof(*deviations); i++) {
			const struct tally above = tally(0.02, noise, deviations[i]);
			const struct tally below = tally(-0.02, noise, deviations[i]);

			assert_true(above.below <= 19);
			assert_true(below.above <= 19);
		}
	}
}

/* Twice the margin from the bound, with a tenth of it as noise, all decide at once. */
static void check_quick(void **state)
{
	(void)state;
	const struct tally far = tally(-0.04, NORMAL, 0.002);

	assert_int_equal(far.below, RUNS);
	assert_int_equal(far.values, RUNS * NP_SEQUENTIAL_FIRST);
}

/* At the bound itself there is a decision, too. */
static void check_at_bound(void **state)
{
	(void)state;
	const struct tally at = tally(0, NORMAL, 0.015);

	assert_true(at.below + at.above > RUNS / 100 * 99);
	assert_true(at.below > RUNS / 3 && at.above > RUNS / 3);
}

/* More values change nothing, and too few decide nothing. */
static void check_prefix(void **state)
{
	double values[MOST];
	struct np_random random = { .state = 5 };

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		values[i] = 0.012 + draw(&random, NORMAL, 0.03);
	const struct np_interim all = np_sequential_decide(&one_percent, values, MOST);

	assert_int_not_equal(all.side, NP_SIDE_UNKNOWN);
	for (size_t count = 0; count <= MOST; count++) {
		const struct np_interim look =
			np_sequential_decide(&one_percent, values, count);

		assert_int_equal(look.side, count < all.count ? NP_SIDE_UNKNOWN : all.side);
		assert_int_equal(isnan(look.estimate), count < NP_SEQUENTIAL_FIRST);
	}
}

/* One look at as many values as were planned errs as rarely. */
static void check_once(void **state)
{
	static const size_t counts[] = { 5, 6, 12, 40 };

	(void)state;
	for (size_t k = 0; k < 2 * sizeof(counts) / sizeof(*counts); k++) {
		const double location = k % 2 == 0 ? 0.02 : -0.02;
		struct np_random random = { .state = 1 };
		unsigned wrong = 0, decided = 0;

		for (unsigned run = 0; run < RUNS; run++) {
			double values[MOST];

			for (size_t i = 0; i < counts[k / 2]; i++)
				values[i] = location + draw(&random, NORMAL, 0.03);
			const struct np_interim look =
				np_sequential_once(&one_percent, values, counts[k / 2]);

			assert_int_equal(look.count, counts[k / 2]);
			decided += look.side != NP_SIDE_UNKNOWN;
			wrong +=
				look.side == (location > 0 ? NP_SIDE_BELOW : NP_SIDE_ABOVE);
		}
		assert_true(wrong <= 19);
		/* And does decide, more often with more of them. */
		assert_true(decided > (counts[k / 2] == 40 ? RUNS / 10 * 9 : RUNS / 20));
	}
	assert_int_equal(
		np_sequential_once(&one_percent, (double[4]){ 1, 1, 1, 1 }, 4).side,
		NP_SIDE_UNKNOWN);
}

/* Values without noise are those of a model. */
static void check_exact(void **state)
{
	static const double below[5] = { -1, -1, -1, -1, -1 }, above[5] = { 1, 1, 1, 1, 1 };

	(void)state;
	assert_int_equal(np_sequential_decide(&one_percent, below, 5).side, NP_SIDE_BELOW);
	assert_int_equal(np_sequential_decide(&one_percent, above, 5).side, NP_SIDE_ABOVE);
	assert_int_equal(np_sequential_decide(&one_percent, above, 4).side,
			 NP_SIDE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_errors),	  cmocka_unit_test(check_quick),
		cmocka_unit_test(check_at_bound), cmocka_unit_test(check_prefix),
		cmocka_unit_test(check_exact),	  cmocka_unit_test(check_once),
	};

	return cmocka_run_group_tests_name("sequential", tests, NULL, NULL);
}
