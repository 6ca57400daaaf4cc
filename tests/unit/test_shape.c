/*
 * test_shape.c - the shape of curves of which all is known: no noise, or one that
 * hides nothing; and what is no curve.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "shapes.h"

static void fill_line(struct np_point *points, const size_t *sizes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		points[i] = (struct np_point){ sizes[i], 1e-5 + 1e-9 * (double)sizes[i],
					       (double)NAN, (double)NAN };
}

/* Without any noise what is there is exact, and nothing else is there. */
static void check_exact(void **state)
{
	size_t sizes[CURVE_MOST];
	const size_t count = schedule(3, sizes);
	struct np_point points[CURVE_MOST];

	(void)state;
	fill_line(points, sizes, count);
	struct np_shape shape = find(points, count);
	assert_int_equal(shape.break_count, 0);
	assert_int_equal(shape.segment_count, 1);
	np_shape_free(&shape);
	for (size_t i = 60; i < count; i++)
		points[i].seconds *= 1.1;
	for (size_t i = 30; i < 33; i++)
		points[i].seconds *= 1.5;
	points[count - 1].seconds *= 1.4;
	shape = find(points, count);
	assert_int_equal(shape.break_count, 3);
	assert_int_equal(shape.breaks[0].kind, NP_BREAK_DROPOUT);
	assert_int_equal(shape.breaks[0].first, 30);
	assert_int_equal(shape.breaks[0].last, 32);
	assert_true(fabs(shape.breaks[0].effect - 1.5) < 0.01);
	assert_false(shape.breaks[0].open);
	assert_int_equal(shape.breaks[1].kind, NP_BREAK_STEP);
	assert_int_equal(shape.breaks[1].first, 59);
	assert_int_equal(shape.breaks[1].bytes_low, sizes[59]);
	assert_int_equal(shape.breaks[1].bytes_high, sizes[60]);
	assert_true(fabs(shape.breaks[1].effect - 1.1) < 0.01);
	assert_true(isnan(shape.breaks[1].low));
	assert_int_equal(shape.breaks[2].kind, NP_BREAK_DROPOUT);
	assert_int_equal(shape.breaks[2].first, count - 1);
	assert_true(shape.breaks[2].open);
	assert_int_equal(shape.segment_count, 2);
	assert_int_equal(shape.segments[0].last, 59);
	assert_int_equal(shape.segments[1].first, 60);
	assert_int_equal(shape.segments[1].last, count - 1);
	assert_true(np_shape_drops(&shape, 31) && !np_shape_drops(&shape, 33));
	np_shape_free(&shape);
}

/* A step does not hide what stands near it: a dropout three sizes behind it, an
 * octave apart, is judged by the points on its own side. */
static void check_near_step(void **state)
{
	struct np_point points[CURVE_MOST];
	size_t sizes[CURVE_MOST];
	const size_t count = octaves(sizes), step = 13, dropout = 16;
	struct np_random random = { 23 };

	(void)state;
	fill_line(points, sizes, count);
	for (size_t i = step; i < count; i++)
		points[i].seconds += 3e-5;
	points[dropout].seconds *= 1.5;
	add_noise(&random, 0.001, 0, points, count);
	struct np_shape shape = find(points, count);
	assert_int_equal(count_sure(&shape), 2);
	assert_int_equal(shape.breaks[0].kind, NP_BREAK_STEP);
	assert_int_equal(shape.breaks[0].last, step);
	assert_int_equal(shape.breaks[1].kind, NP_BREAK_DROPOUT);
	assert_int_equal(shape.breaks[1].first, dropout);
	assert_int_equal(shape.breaks[1].last, dropout);
	assert_true(fabs(shape.breaks[1].effect - 1.5) < 0.01);
	np_shape_free(&shape);
}

static void check_many_points(void **state)
{
	struct np_random random = { 19 };
	size_t sizes[CURVE_MOST];
	struct np_point points[CURVE_MOST];

	(void)state;
	for (size_t i = 0; i < CURVE_MOST; i++)
		sizes[i] = 64 + (size_t)exp2((double)i / 100.0 + 1.0) + i;
	fill_line(points, sizes, CURVE_MOST);
	for (size_t i = 1200; i < CURVE_MOST; i++)
		points[i].seconds *= 1.1;
	points[500].seconds *= 1.3;
	add_noise(&random, 0.01, 0, points, CURVE_MOST);
	struct np_shape shape = find(points, CURVE_MOST);
	assert_int_equal(count_sure(&shape), 2);
	assert_int_equal(shape.breaks[0].kind, NP_BREAK_DROPOUT);
	assert_int_equal(shape.breaks[0].first, 500);
	assert_int_equal(shape.breaks[1].kind, NP_BREAK_STEP);
	assert_int_equal(shape.breaks[1].last, 1200);
	np_shape_free(&shape);
}

/* Every size up to 64 KiB: what is looked at grows with the number of sizes and no
 * faster, and places are looked at again only where something has changed. */
static void check_long_curve(void **state)
{
	enum { SIZES = 65536, STEP = 8192, DROPOUT = 20000, DROPPED = 5 };
	struct np_random random = { 29 };
	struct np_point *points = calloc(SIZES, sizeof(*points));

	(void)state;
	assert_non_null(points);
	for (size_t i = 0; i < SIZES; i++) {
		const double bytes = (double)(i + 1), extra = i >= STEP ? 3e-6 : 0.0;
		const double times = i >= DROPOUT && i < DROPOUT + DROPPED ? 1.2 : 1.0;

		points[i] = (struct np_point){ i + 1, (5e-6 + 1e-9 * bytes + extra) * times,
					       (double)NAN, (double)NAN };
	}
	add_noise(&random, 0.01, 0, points, SIZES);
	struct np_shape shape = find(points, SIZES);
	assert_int_equal(shape.break_count, 2);
	assert_int_equal(shape.breaks[0].kind, NP_BREAK_STEP);
	assert_int_equal(shape.breaks[0].last, STEP);
	assert_int_equal(shape.breaks[1].kind, NP_BREAK_DROPOUT);
	assert_int_equal(shape.breaks[1].first, DROPOUT);
	assert_int_equal(shape.breaks[1].last, DROPOUT + DROPPED - 1);
	np_shape_free(&shape);
	free(points);
}

/* A break of 2x where host states are so far apart. */
static struct np_shape find_beside_states(const struct np_point *points, size_t count,
					  double apart)
{
	struct np_shape_options options = np_shape_defaults();
	struct np_shape shape = { 0 };

	options.apart = apart;
	assert_int_equal(np_shape_find(points, count, &options, &shape), 0);
	return shape;
}

/* Times from one size to another that are this factor off their line. */
static void check_beside_states(size_t first, size_t last, double factor)
{
	static const double hidden[] = { 1.0, 1.6, 3.0 };
	struct np_random random = { 5 };
	struct np_point points[CURVE_MOST];
	size_t sizes[CURVE_MOST];
	const size_t count = schedule(3, sizes);

	fill_line(points, sizes, count);
	for (size_t i = first; i <= last && i < count; i++)
		points[i].seconds *= factor;
	add_noise(&random, 0.01, 8, points, count);
	for (size_t i = 0; i < 3; i++) {
		struct np_shape shape = find_beside_states(points, count, hidden[i]);
		const bool sure = hidden[i] < 2;

		assert_int_equal(count_sure(&shape), sure);
		assert_int_equal(shape.break_count, 1);
		assert_int_equal(shape.breaks[0].of_states, !sure);
		assert_int_equal(shape.segment_count, sure && last == CURVE_MOST ? 2 : 1);
		np_shape_free(&shape);
	}
}

static void check_host_states(void **state)
{
	(void)state;
	check_beside_states(30, CURVE_MOST, 2);
	check_beside_states(30, CURVE_MOST, 0.5);
	check_beside_states(30, 30, 2);
	check_beside_states(30, 30, 0.5);
}

static void check_refusals(void **state)
{
	struct np_shape_options options = np_shape_defaults();
	struct np_shape shape = { 0 };
	struct np_point points[8];
	size_t sizes[8] = { 0, 1, 2, 4, 8, 16, 32, 64 };

	(void)state;
	fill_line(points, sizes, 8);
	assert_int_equal(np_shape_find(points, 0, &options, &shape), 0);
	assert_int_equal(shape.segment_count, 0);
	np_shape_free(&shape);
	assert_int_equal(np_shape_find(points, 3, &options, &shape), 0);
	assert_int_equal(shape.segment_count, 1);
	assert_int_equal(shape.segments[0].last, 2);
	np_shape_free(&shape);
	assert_int_equal(np_shape_find(points, 8, &options, &shape), 0);
	np_shape_free(&shape);
	options.q = 0.0;
	assert_int_equal(np_shape_find(points, 8, &options, &shape), -EINVAL);
	options = np_shape_defaults();
	options.q_reported = 0.001;
	assert_int_equal(np_shape_find(points, 8, &options, &shape), -EINVAL);
	options = np_shape_defaults();
	options.apart = 0.5;
	assert_int_equal(np_shape_find(points, 8, &options, &shape), -EINVAL);
	options = np_shape_defaults();
	points[3].bytes = points[2].bytes;
	assert_int_equal(np_shape_find(points, 8, &options, &shape), -EINVAL);
	fill_line(points, sizes, 8);
	points[5].low = points[5].seconds * 1.1;
	points[5].high = points[5].seconds * 1.2;
	assert_int_equal(np_shape_find(points, 8, &options, &shape), -EINVAL);
	points[5] = (struct np_point){ 16, 0.0, (double)NAN, (double)NAN };
	assert_int_equal(np_shape_find(points, 8, &options, &shape), -EINVAL);
}

static bool overlap(const struct np_shape *shape)
{
	for (size_t i = 0; i < shape->break_count; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct np_break *a = &shape->breaks[i];
			const struct np_break *b = &shape->breaks[k];

			if (a->kind == NP_BREAK_DROPOUT && b->kind == NP_BREAK_DROPOUT &&
			    a->first <= b->last && b->first <= a->last)
				return true;
		}
	}
	return false;
}

/* Dropouts side by side are several or one, but no point is in two. */
static void check_no_overlap(void **state)
{
	struct np_random random = { 77 };
	struct np_point points[CURVE_MOST];
	size_t sizes[CURVE_MOST], overlapping = 0;
	const size_t count = schedule(3, sizes);

	(void)state;
	for (size_t trial = 0; trial < 300; trial++) {
		const struct smooth smooth = draw_smooth(&random);

		fill_times(&smooth, sizes, count, count, 1.0, points);
		for (size_t i = 0; i < 12; i++) {
			const size_t at = 20 + (size_t)np_random_below(&random, 40);

			points[at].seconds *=
				1.0 + (double)np_random_below(&random, 1000) / 1000.0;
		}
		add_noise(&random, 0.005, 0, points, count);
		struct np_shape shape = find(points, count);
		overlapping += overlap(&shape);
		np_shape_free(&shape);
	}
	assert_int_equal(overlapping, 0);
}

static void check_points(void **state)
{
	const struct np_point point = { 1000, 1e-5, 0.9e-5, 1.1e-5 };
	size_t sizes[CURVE_MOST];
	const size_t count = octaves(sizes);
	struct np_point points[CURVE_MOST];

	(void)state;
	assert_true(fabs(np_point_error(&point) - log(1.1 / 0.9) / 3.92) < 1e-12);
	fill_line(points, sizes, count);
	assert_true(isnan(np_point_error(&points[0])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_exact),	     cmocka_unit_test(check_near_step),
		cmocka_unit_test(check_many_points), cmocka_unit_test(check_long_curve),
		cmocka_unit_test(check_refusals),    cmocka_unit_test(check_no_overlap),
		cmocka_unit_test(check_points),	     cmocka_unit_test(check_host_states),
	};

	return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
