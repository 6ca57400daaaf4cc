/*
 * test_segments.c - breaks in curves where it is known what is planted.
 *
 * The shares asserted below are of fixed seeds, and lie a little under what was
 * counted; the counts are in doc/published-tables.md.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "curves.h"
#include "segments.h"

static size_t schedule(size_t perturbation, size_t *sizes)
{
	size_t *made = NULL, count = 0;

	assert_int_equal(np_sizes_schedule(1, 8 << 20, perturbation, &made, &count), 0);
	memcpy(sizes, made, count * sizeof(*sizes));
	free(made);
	return count;
}

static size_t octaves(size_t *sizes)
{
	size_t count = 0;

	for (size_t bytes = 1; bytes <= 4 << 20; bytes *= 2)
		sizes[count++] = bytes;
	return count;
}

static struct np_shape find(const struct np_point *points, size_t count)
{
	const struct np_shape_options options = np_shape_defaults();
	struct np_shape shape = { 0 };

	assert_int_equal(np_shape_find(points, count, &options, &shape), 0);
	return shape;
}

static size_t count_sure(const struct np_shape *shape)
{
	size_t sure = 0;

	for (size_t i = 0; i < shape->break_count; i++)
		sure += shape->breaks[i].sure;
	return sure;
}

/* Smooth curves of which anything sure was said. */
static size_t false_alarms(const size_t *sizes, size_t count, double noise, size_t passes,
			   size_t trials, uint64_t seed)
{
	struct np_random random = { seed };
	struct np_point points[CURVE_MOST];
	size_t alarms = 0;

	for (size_t trial = 0; trial < trials; trial++) {
		const struct smooth smooth = draw_smooth(&random);

		fill_times(&smooth, sizes, count, count, 1.0, points);
		add_noise(&random, noise, passes, points, count);
		struct np_shape shape = find(points, count);
		alarms += count_sure(&shape) != 0;
		np_shape_free(&shape);
	}
	return alarms;
}

static void check_nothing_in_smooth_curves(void **state)
{
	size_t sizes[CURVE_MOST];
	const size_t count = schedule(3, sizes);
	size_t alarms = 0;

	(void)state;
	alarms += false_alarms(sizes, count, 0.0005, 0, 50, 1);
	alarms += false_alarms(sizes, count, 0.005, 7, 50, 2);
	alarms += false_alarms(sizes, count, 0.02, 0, 50, 3);
	alarms += false_alarms(sizes, count, 0.05, 7, 50, 4);
	print_message("# false alarms, 200 curves of 124 sizes: %zu\n", alarms);
	assert_true(alarms <= 2);
}

static void check_nothing_in_smooth_tables(void **state)
{
	size_t sizes[CURVE_MOST];
	const size_t count = octaves(sizes);
	size_t alarms = 0;

	(void)state;
	alarms += false_alarms(sizes, count, 0.0005, 0, 250, 5);
	alarms += false_alarms(sizes, count, 0.005, 0, 250, 6);
	alarms += false_alarms(sizes, count, 0.02, 0, 250, 7);
	alarms += false_alarms(sizes, count, 0.05, 0, 250, 8);
	print_message("# false alarms, 1000 tables of 23 sizes: %zu\n", alarms);
	assert_true(alarms <= 5);
}

/* What is planted, and where: a point, or the first one behind a break. */
struct planted {
	double step, dip, knee; /* ratios; 1 for none */
};

struct found {
	size_t steps, dips, knees; /* sure, at the very place */
	size_t covered;		   /* steps whose interval has the ratio */
	size_t intervals;
	size_t wrong; /* sure, and not there */
};

static void count_breaks(const struct np_shape *shape, const struct planted *planted,
			 size_t step, size_t dip, size_t knee, struct found *found)
{
	for (size_t i = 0; i < shape->break_count; i++) {
		const struct np_break *seen = &shape->breaks[i];

		if (!seen->sure)
			continue;
		if (seen->kind == NP_BREAK_STEP && seen->last == step) {
			found->steps++;
			found->intervals += isnan(seen->low) ? 0 : 1;
			found->covered +=
				seen->low <= planted->step && planted->step <= seen->high;
		} else if (seen->kind == NP_BREAK_DROPOUT && seen->first == dip &&
			   seen->last == dip) {
			found->dips++;
		} else if (seen->kind == NP_BREAK_KNEE && seen->last + 3 >= knee &&
			   seen->last <= knee + 3) {
			found->knees++;
		} else {
			found->wrong++;
		}
	}
}

static struct found plant(const size_t *sizes, size_t count, struct planted planted,
			  double noise, size_t passes, size_t trials, uint64_t seed)
{
	struct np_random random = { seed };
	struct np_point points[CURVE_MOST];
	struct found found = { .steps = 0 };

	for (size_t trial = 0; trial < trials; trial++) {
		const struct smooth smooth = draw_smooth(&random);
		size_t at[3];

		/* One in each third, in any order, not at the ends. */
		for (size_t i = 0; i < 3; i++)
			at[i] = i * (count / 3) + count / 12 + 3 +
				(size_t)np_random_below(&random, count / 6);
		np_shuffle(&random, at, 3);
		const size_t step = planted.step > 1.0 ? at[0] : count;
		const size_t dip = planted.dip < 1.0 || planted.dip > 1.0 ? at[1] : count;
		const size_t knee = planted.knee > 1.0 ? at[2] : count;
		fill_times(&smooth, sizes, count, knee, planted.knee, points);
		for (size_t i = step; i < count; i++)
			points[i].seconds *= planted.step;
		if (dip < count)
			points[dip].seconds *= planted.dip;
		add_noise(&random, noise, passes, points, count);
		struct np_shape shape = find(points, count);
		count_breaks(&shape, &planted, step, dip, knee, &found);
		np_shape_free(&shape);
	}
	print_message("# step %g dip %g knee %g noise %g passes %zu: of %zu, steps %zu "
		      "(covered %zu of %zu) dips %zu knees %zu wrong %zu\n",
		      planted.step, planted.dip, planted.knee, noise, passes, trials,
		      found.steps, found.covered, found.intervals, found.dips, found.knees,
		      found.wrong);
	return found;
}

static void check_recall(void **state)
{
	const struct planted both = { 1.2, 1.2, 1.0 };
	const struct planted faster = { 1.0, 0.8, 1.0 };
	const struct planted small = { 1.05, 1.0, 1.0 };
	const struct planted knee = { 1.0, 1.0, 4.0 };
	size_t sizes[CURVE_MOST];
	const size_t count = schedule(3, sizes);

	(void)state;
	struct found found = plant(sizes, count, both, 0.005, 7, 100, 11);
	assert_true(found.steps >= 95 && found.dips >= 95 && found.wrong <= 5);
	found = plant(sizes, count, both, 0.01, 0, 50, 12);
	assert_true(found.steps >= 42 && found.dips >= 48 && found.wrong <= 4);
	found = plant(sizes, count, faster, 0.01, 7, 50, 13);
	assert_true(found.dips >= 48 && found.wrong <= 2);
	found = plant(sizes, count, small, 0.002, 7, 50, 14);
	assert_true(found.steps >= 40 && found.wrong <= 2);
	found = plant(sizes, count, knee, 0.005, 7, 50, 15);
	assert_true(found.knees >= 30 && found.wrong <= 2);
}

/* A size an octave, and no intervals, as in print. */
static void check_recall_in_tables(void **state)
{
	const struct planted step = { 1.5, 1.0, 1.0 };
	const struct planted dip = { 1.0, 1.5, 1.0 };
	size_t sizes[CURVE_MOST];
	const size_t count = octaves(sizes);

	(void)state;
	struct found found = plant(sizes, count, step, 0.005, 0, 500, 16);
	assert_true(found.steps >= 350 && found.wrong <= 5);
	found = plant(sizes, count, dip, 0.005, 0, 500, 17);
	assert_true(found.dips >= 475 && found.wrong <= 5);
}

/* What the interval of a step covers, of those found among 1000 curves. */
static void check_step_interval(void **state)
{
	const struct planted step = { 1.25, 1.0, 1.0 };
	size_t sizes[CURVE_MOST];
	const size_t count = schedule(0, sizes);

	(void)state;
	const struct found found = plant(sizes, count, step, 0.005, 7, 1000, 18);
	const double share = (double)found.covered / (double)found.intervals;
	assert_true(found.steps >= 750 && found.intervals == found.steps);
	assert_true(found.wrong <= 10);
	assert_true(share > 0.93 && share < 0.98);
}

/* The table of doc/published-tables.md, which takes a minute: run
 * instead of the others if NP_RESOLUTION_TABLE is in the environment.  Its seeds are its
 * own: nothing was chosen by them. */
static void check_resolution(void **state)
{
	static const double noises[] = { 0.005, 0.01, 0.02 };
	static const struct planted all[] = {
		{ 1.2, 1.2, 1.0 }, { 1.05, 1.0, 1.0 }, { 1.0, 0.9, 1.0 }, { 1.0, 1.0, 3.0 }
	};
	size_t sizes[CURVE_MOST];
	const size_t count = schedule(3, sizes);

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		const double noise = noises[i / 2];
		const size_t passes = i % 2 == 0 ? 7 : 0;
		const size_t alarms =
			false_alarms(sizes, count, noise, passes, 300, 2000 + i);

		print_message("# nothing, noise %g passes %zu: of 300, wrong %zu\n", noise,
			      passes, alarms);
		assert_true(alarms <= 9);
		for (size_t k = 0; k < 4; k++) {
			const struct found found = plant(sizes, count, all[k], noise,
							 passes, 200, 2100 + 10 * i + k);
			assert_true(found.wrong <= 20);
		}
	}
}

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

static void check_refusals(void **state)
{
	struct np_shape_options options = np_shape_defaults();
	struct np_shape shape = { 0 };
	struct np_point points[8];
	size_t sizes[8] = { 0, 1, 2, 4, 8, 16, 32, 64 };
	size_t bad = 99;

	(void)state;
	fill_line(points, sizes, 8);
	assert_true(np_curve_valid(points, 8, &bad) && bad == 99);
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
	points[3].bytes = points[2].bytes;
	assert_int_equal(np_shape_find(points, 8, &options, &shape), -EINVAL);
	assert_false(np_curve_valid(points, 8, &bad));
	assert_int_equal(bad, 3);
	fill_line(points, sizes, 8);
	points[5].low = points[5].seconds * 1.1;
	points[5].high = points[5].seconds * 1.2;
	assert_false(np_curve_valid(points, 8, &bad));
	assert_int_equal(bad, 5);
	points[5] = (struct np_point){ 16, 0.0, (double)NAN, (double)NAN };
	assert_false(np_curve_valid(points, 8, NULL));
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
	assert_true(fabs(np_point_bandwidth(&point) - 1e8) < 1.0);
	assert_true(fabs(np_point_transfers(&point) - 1e5) < 1e-3);
	assert_true(fabs(np_point_error(&point) - log(1.1 / 0.9) / 3.92) < 1e-12);
	fill_line(points, sizes, count);
	assert_true(isnan(np_point_error(&points[0])));
	assert_ptr_equal(np_curve_peak(points, count), &points[count - 1]);
	assert_null(np_curve_peak(points, 0));
	/* Half of what 4 MiB reaches, and the whole is 1e9. */
	const double peak = np_point_bandwidth(&points[count - 1]);
	const double half = 0.5 * peak * 1e-5 / (1.0 - 0.5 * peak * 1e-9);
	assert_true(fabs(np_curve_share_size(points, count, 0.5) / half - 1.0) < 1e-9);
	assert_true(isnan(np_curve_share_size(points + count - 1, 1, 0.5)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_nothing_in_smooth_curves),
		cmocka_unit_test(check_nothing_in_smooth_tables),
		cmocka_unit_test(check_recall),
		cmocka_unit_test(check_recall_in_tables),
		cmocka_unit_test(check_step_interval),
		cmocka_unit_test(check_exact),
		cmocka_unit_test(check_many_points),
		cmocka_unit_test(check_refusals),
		cmocka_unit_test(check_no_overlap),
		cmocka_unit_test(check_points),
	};

	const struct CMUnitTest resolution[] = { cmocka_unit_test(check_resolution) };

	if (getenv("NP_RESOLUTION_TABLE") != NULL)
		return cmocka_run_group_tests_name("resolution", resolution, NULL, NULL);
	return cmocka_run_group_tests_name("segments", tests, NULL, NULL);
}
