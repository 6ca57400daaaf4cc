/*
 * test_smooth.c - which points lie on one smooth curve.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "curve/fewest.h"

enum { POINTS = 20, JUMP = 12 };

static const double bend = 0.4;

/* Start-up and bandwidth, a size an octave. */
static void fill(struct np_point *points)
{
	for (size_t i = 0; i < POINTS; i++)
		points[i] = (struct np_point){ .bytes = (size_t)1 << i,
					       .seconds = 1e-6 + 1e-9 * (double)(1 << i) };
}

static void check_line(void **state)
{
	struct np_point points[POINTS];

	(void)state;
	fill(points);
	assert_int_equal(np_smooth_reach(points, POINTS, bend, 1e-3), POINTS);
	for (size_t i = 0; i < POINTS; i++)
		points[i].seconds *= i % 2 == 0 ? 1.03 : 0.97;
	assert_int_equal(np_smooth_reach(points, POINTS, bend, 0.04), POINTS);
	assert_true(np_smooth_reach(points, POINTS, bend, 0.01) < POINTS);
}

/* A step is seen from what comes behind it, one downwards at once. */
static void check_step(void **state)
{
	struct np_point points[POINTS];

	(void)state;
	fill(points);
	for (size_t i = JUMP; i < POINTS; i++)
		points[i].seconds *= 1.5;
	const size_t reach = np_smooth_reach(points, POINTS, bend, 0.04);
	assert_true(reach >= JUMP && reach <= JUMP + 2);
	assert_int_equal(np_smooth_reach(points + JUMP, POINTS - JUMP, bend, 0.04),
			 POINTS - JUMP);
	fill(points);
	for (size_t i = JUMP; i < POINTS; i++)
		points[i].seconds /= 10.0;
	assert_int_equal(np_smooth_reach(points, POINTS, bend, 0.04), JUMP);
}

/* Two points are on a curve if time does not fall by more than both may be off. */
static void check_short(void **state)
{
	struct np_point points[POINTS];

	(void)state;
	fill(points);
	assert_int_equal(np_smooth_reach(points, 0, bend, 0.04), 0);
	assert_int_equal(np_smooth_reach(points, 1, bend, 0.04), 1);
	points[1].seconds = points[0].seconds * 100.0;
	assert_int_equal(np_smooth_reach(points, 2, bend, 0.04), 2);
	points[1].seconds = points[0].seconds * 0.9;
	assert_int_equal(np_smooth_reach(points, 2, bend, 0.04), 1);
	points[1].seconds = points[0].seconds * 0.93;
	assert_int_equal(np_smooth_reach(points, 2, bend, 0.04), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_line),
		cmocka_unit_test(check_step),
		cmocka_unit_test(check_short),
	};

	return cmocka_run_group_tests_name("smooth", tests, NULL, NULL);
}
