/*
 * test_looks.c - when an interval is looked at, and how often it then holds the median.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/sequential.h"
#include "tests/unit/noisy_units.h"

static void check_when(void **state)
{
	static const unsigned looks[] = { 8, 11, 15, 20, 27, 36 };
	size_t seen = 0;

	(void)state;
	for (unsigned passes = 0; passes <= 36; passes++) {
		if (np_look_is_due(passes, 6))
			assert_int_equal(passes, looks[seen++]);
	}
	assert_int_equal(seen, sizeof(looks) / sizeof(*looks));
	/* Not before the passes that are asked for. */
	assert_false(np_look_is_due(8, 12));
	assert_true(np_look_is_due(12, 12));
	assert_true(np_look_is_due(16, 12));
}

static void check_level(void **state)
{
	(void)state;
	assert_true(np_look_level(30, false) == 0.95);
	/* Nothing has ended because of so few. */
	assert_true(np_look_level(7, true) == 0.95);
	assert_true(np_look_level(8, true) > 0.95);
}

/* Measures until the half interval is within 3 %, for up to 60 passes. */
static bool holds_median(struct np_random *random, double noise)
{
	struct np_interval interval = { 0, 0, 0 };
	double units[NOISE_UNITS_MOST];

	for (unsigned count = 0; count < NOISE_UNITS_MOST;) {
		units[count++] = 1 + noise * noise_normal(random);
		if (count != NOISE_UNITS_MOST && !np_look_is_due(count, 6))
			continue;
		if (np_median_interval(units, count, np_look_level(count, true),
				       &interval) &&
		    interval.high - interval.low <= 0.06 * np_median(units, count))
			break;
	}
	return interval.low <= 1 && 1 <= interval.high;
}

/* An interval of 95 % after 6, 9, 12 ... passes: 92 % at a noise of 6 %, 93 % at 3 %. */
static void check_coverage(void **state)
{
	enum { TRIALS = 4000 };
	struct np_random random = { 5 };

	(void)state;
	for (double noise = 0.015; noise < 0.1; noise *= 2) {
		size_t covered = 0;

		for (size_t i = 0; i < TRIALS; i++)
			covered += holds_median(&random, noise);
		assert_true(1000 * covered >= 955 * TRIALS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_when),
		cmocka_unit_test(check_level),
		cmocka_unit_test(check_coverage),
	};

	return cmocka_run_group_tests_name("looks", tests, NULL, NULL);
}
