/*
 * test_axis.c - an axis has numbers at three places at least, whatever its range.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/pictures/axis.h"

/* Ticks are within the range, ascend, say what they are, and differ. */
static void check_ticks(const struct np_chart_axis *axis)
{
	struct np_tick ticks[NP_TICKS_MOST];
	const size_t count = np_axis_ticks(axis, ticks);

	if (count < 3 || count > NP_TICKS_MOST)
		fail_msg("%zu ticks from %g to %g", count, axis->low, axis->high);
	for (size_t i = 0; i < count; i++) {
		const double share = np_axis_share(axis, ticks[i].at);

		assert_true(share > -1e-6 && share < 1 + 1e-6);
		assert_true(ticks[i].text[0] != '\0');
		if (i == 0)
			continue;
		assert_true(ticks[i].at > ticks[i - 1].at);
		assert_string_not_equal(ticks[i].text, ticks[i - 1].text);
	}
}

/* Values about a centre that differ by a share, as a picture would have them. */
static void check_range(enum np_scale scale, double centre, double share)
{
	struct np_chart_axis axis = { .scale = scale, .low = 1, .high = 0 };

	np_axis_include(&axis, centre);
	np_axis_include(&axis, centre * (1 + share));
	np_axis_margin(&axis, 0.05, 0.05);
	check_ticks(&axis);
}

static void check_ranges(void **state)
{
	static const double shares[] = { 0, 1e-4, 0.01, 0.046, 0.05, 0.3, 1,  2.5,
					 6, 9,	  40,	99,    1e3,  1e5, 1e9 };
	static const double centres[] = { 1e-3, 0.055, 0.9, 1, 5.54, 25, 97, 1234, 1e6 };

	(void)state;
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		for (size_t k = 0; k < sizeof(centres) / sizeof(centres[0]); k++) {
			check_range(NP_SCALE_LINEAR, centres[k], shares[i]);
			check_range(NP_SCALE_LOG, centres[k], shares[i]);
			if (centres[k] >= 0.9)
				check_range(NP_SCALE_POWERS, centres[k], shares[i]);
		}
	}
}

/* The ratios of an effect of 5 %: the numbers have as many digits as they need. */
static void check_five_percent(void **state)
{
	static const char *const expected[] = { "1.00", "1.01", "1.02",
						"1.03", "1.04", "1.05" };
	struct np_chart_axis axis = { .low = 1, .high = 1.05 };
	struct np_tick ticks[NP_TICKS_MOST];

	(void)state;
	np_axis_margin(&axis, 0.08, 0.08);
	assert_int_equal(np_axis_ticks(&axis, ticks), 6);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(ticks[i].text, expected[i]);
}

/* Values that no file should have: an axis has an end. */
static void check_far(void **state)
{
	struct np_chart_axis axis = { .low = 1, .high = 0 };

	(void)state;
	for (axis.scale = NP_SCALE_LINEAR; axis.scale <= NP_SCALE_POWERS; axis.scale++) {
		np_axis_include(&axis, 1e-300);
		np_axis_include(&axis, (double)INFINITY);
		np_axis_include(&axis, (double)NAN);
		np_axis_include(&axis, DBL_MAX);
		np_axis_margin(&axis, 0.05, 0.05);
		check_ticks(&axis);
		axis.low = 1;
		axis.high = 0;
	}
}

/* Sizes are powers of two with their units; 0 bytes have a place of their own. */
static void check_powers(void **state)
{
	const struct np_chart_axis axis = { .scale = NP_SCALE_POWERS,
					    .low = 0.5,
					    .high = 8 << 20 };
	struct np_tick ticks[NP_TICKS_MOST];
	const size_t count = np_axis_ticks(&axis, ticks);

	(void)state;
	assert_true(count > 3);
	assert_string_equal(ticks[0].text, "0");
	assert_string_equal(ticks[1].text, "1");
	for (size_t i = 1; i < count; i++)
		assert_true(strtoul(ticks[i].text, NULL, 10) < 1024);
	assert_string_equal(ticks[count - 1].text, "4M");
}

/* Ratios have 1/2, 1 and 2; an axis of sizes begins with the first. */
static void check_first(void **state)
{
	struct np_chart_axis ratio = { .scale = NP_SCALE_RATIO, .low = 0.4, .high = 3 },
			     size = { .scale = NP_SCALE_POWERS, .low = 8, .high = 8 << 20 };
	struct np_tick ticks[NP_TICKS_MOST];

	(void)state;
	assert_int_equal(np_axis_ticks(&ratio, ticks), 3);
	assert_string_equal(ticks[0].text, "1/2");
	assert_string_equal(ticks[1].text, "1");
	np_axis_margin(&size, 0.02, 0.02);
	assert_true(np_axis_ticks(&size, ticks) > 3);
	assert_string_equal(ticks[0].text, "8");
	size.first = 48;
	np_axis_ticks(&size, ticks);
	assert_string_equal(ticks[0].text, "48");
	assert_string_equal(ticks[1].text, "64");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_ranges), cmocka_unit_test(check_five_percent),
		cmocka_unit_test(check_far),	cmocka_unit_test(check_powers),
		cmocka_unit_test(check_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
