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

#include "shapes.h"

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
	assert_true(alarms <= 10);
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
		} else if (seen->kind == NP_BREAK_BEND && seen->last + 3 >= knee &&
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
	assert_true(found.steps >= 38 && found.wrong <= 2);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_nothing_in_smooth_curves),
		cmocka_unit_test(check_nothing_in_smooth_tables),
		cmocka_unit_test(check_recall),
		cmocka_unit_test(check_recall_in_tables),
		cmocka_unit_test(check_step_interval),
	};

	const struct CMUnitTest resolution[] = { cmocka_unit_test(check_resolution) };

	if (getenv("NP_RESOLUTION_TABLE") != NULL)
		return cmocka_run_group_tests_name("resolution", resolution, NULL, NULL);
	return cmocka_run_group_tests_name("segments", tests, NULL, NULL);
}
