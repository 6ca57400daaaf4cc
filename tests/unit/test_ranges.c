/*
 * test_ranges.c - ranges of sizes with one ratio: where they are planted, and how often
 * something is said where nothing is.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "noisy_units.h"
#include "stats/ranges.h"

enum { SIZES = 26 };

/* faster: a size that is significantly faster by itself; SIZES: as measured. */
static size_t find_beside(const struct noise_size *sizes, size_t count, double margin,
			  size_t faster, struct np_range *ranges)
{
	struct np_size_test trials[SIZES];
	struct np_mode_test proofs[SIZES];
	struct np_calibration calibration;
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		trials[i] = (struct np_size_test){ .ratios = sizes[i].ratios,
						   .control_ratios = sizes[i].controls,
						   .count = sizes[i].count,
						   .control_count = sizes[i].count };
	assert_int_equal(np_test_modes(trials, count, NP_MODE_TEST_Q, NP_SAME_WITHIN,
				       proofs, &calibration),
			 0);
	if (faster < count)
		proofs[faster].verdict = NP_FASTER;
	assert_int_equal(np_find_ranges(trials, proofs, count, &calibration,
					NP_MODE_TEST_Q / 2, margin, ranges, &found),
			 0);
	return found;
}

static size_t find(const struct noise_size *sizes, size_t count, double margin,
		   struct np_range *ranges)
{
	return find_beside(sizes, count, margin, SIZES, ranges);
}

static void draw(struct np_random *random, const struct noise *noise, double effect,
		 size_t first, size_t planted, struct noise_size *sizes)
{
	for (size_t i = 0; i < SIZES; i++)
		sizes[i].effect = i >= first && i < first + planted ? effect : 1.0;
	noise_run(random, noise, 6, sizes, SIZES);
}

/* An effect that few sizes show by themselves, at eight of them: 6 % where a unit's ratio
 * has 3.5 %. */
static void check_found(void **state)
{
	static const struct noise noise = { .name = "3.5 % a unit", .block = 0.042 };
	enum { RUNS = 200 };
	struct noise_size sizes[SIZES];
	struct np_range ranges[SIZES];
	struct np_random random = { 61 };
	size_t found = 0, wrong = 0, held = 0, judged = 0;

	(void)state;
	for (size_t run = 0; run < RUNS; run++) {
		bool slower = false, elsewhere = false;

		draw(&random, &noise, 1.06, 9, 8, sizes);
		const size_t count = find(sizes, SIZES, NP_SAME_WITHIN, ranges);
		for (size_t i = 0; i < count; i++) {
			const struct np_range *range = &ranges[i];
			const bool over = range->first < 17 && range->last >= 9;

			slower |= range->verdict == NP_SLOWER && over;
			elsewhere |= np_verdict_is_sure(range->verdict) && !over;
			assert_int_equal(range->verdict,
					 np_verdict_of_interval(range->low, range->high,
								NP_SAME_WITHIN));
			/* Of ranges that are whole. */
			if (range->first >= 9 && range->last < 17) {
				judged++;
				held += range->low <= 1.06 && range->high >= 1.06;
			}
		}
		found += slower;
		wrong += elsewhere;
	}
	print_message("# of %d found %zu, elsewhere %zu; %zu of %zu intervals hold\n", RUNS,
		      found, wrong, held, judged);
	assert_true(100 * found >= 95 * RUNS && wrong <= 2 && 100 * held >= 99 * judged);
}

/* Without an effect at most one run in a hundred has a range that is slower or faster,
 * whatever the noise; and with little of it all sizes are one range, which is the same. */
static void check_nothing(void **state)
{
	static const struct noise percent = { .name = "1 % a unit", .block = 0.013 };
	enum { RUNS = 100 };
	const size_t models = sizeof(noises) / sizeof(*noises);
	struct noise_size sizes[SIZES];
	struct np_range ranges[SIZES];
	struct np_random random = { 62 };
	size_t alarms = 0, whole = 0;

	(void)state;
	for (size_t model = 0; model < models; model++) {
		for (size_t run = 0; run < RUNS; run++) {
			bool said = false;

			draw(&random, &noises[model], 1.0, 0, 0, sizes);
			const size_t count = find(sizes, SIZES, 0.0, ranges);
			for (size_t i = 0; i < count; i++)
				said |= np_verdict_is_sure(ranges[i].verdict);
			alarms += said;
		}
	}
	print_message("# %zu runs: ranges slower or faster in %zu\n", RUNS * models,
		      alarms);
	assert_true(100 * alarms <= RUNS * models);
	for (size_t run = 0; run < RUNS; run++) {
		draw(&random, &percent, 1.0, 0, 0, sizes);
		if (find(sizes, SIZES, NP_SAME_WITHIN, ranges) != 1 ||
		    ranges[0].sizes != SIZES || ranges[0].verdict != NP_SAME)
			continue;
		whole++;
		/* No range is the same with a size in it that is not. */
		find_beside(sizes, SIZES, NP_SAME_WITHIN, 9, ranges);
		assert_int_equal(ranges[0].verdict, NP_UNCLEAR);
	}
	print_message("# of %d runs %zu have one range, the same\n", RUNS, whole);
	assert_true(100 * whole >= 90 * RUNS);
}

/* Sizes that scatter twenty times as much as those with an effect speak against nothing,
 * and for nothing either: the range ends before them. */
static void check_ends(void **state)
{
	static const struct noise quiet = { .name = "1 % a unit", .block = 0.013 },
				  rough = { .name = "20 % a unit", .block = 0.26 };
	enum { RUNS = 100, QUIET = 18, PLANTED = 8 };
	struct noise_size sizes[SIZES];
	struct np_range ranges[SIZES];
	struct np_random random = { 64 };
	size_t ending = 0;

	(void)state;
	for (size_t run = 0; run < RUNS; run++) {
		for (size_t i = 0; i < SIZES; i++)
			sizes[i].effect = i >= QUIET - PLANTED && i < QUIET ? 1.05 : 1.0;
		noise_run(&random, &quiet, 6, sizes, QUIET);
		noise_run(&random, &rough, 6, sizes + QUIET, SIZES - QUIET);
		const size_t count = find(sizes, SIZES, NP_SAME_WITHIN, ranges);
		bool ends = false;

		for (size_t i = 0; i < count; i++)
			ends |= ranges[i].verdict == NP_SLOWER && ranges[i].last <= QUIET &&
				ranges[i].first + 1 >= QUIET - PLANTED;
		ending += ends;
	}
	print_message("# of %d runs %zu have a range that ends at what is planted\n", RUNS,
		      ending);
	assert_true(100 * ending >= 90 * RUNS);
}

/* Too few units, too few sizes, and sizes of which some cannot be judged. */
static void check_edges(void **state)
{
	static const struct noise percent = { .name = "1 % a unit", .block = 0.013 };
	struct noise_size sizes[SIZES];
	struct np_range ranges[SIZES];
	struct np_random random = { 63 };

	(void)state;
	draw(&random, &percent, 1.2, 0, 10, sizes);
	assert_int_equal(find(sizes, 1, NP_SAME_WITHIN, ranges), 0);
	sizes[3].count = sizes[25].count = 5;
	assert_int_equal(find(sizes, SIZES, NP_SAME_WITHIN, ranges), 2);
	assert_int_equal(ranges[0].first, 0);
	assert_int_equal(ranges[0].last, 9);
	assert_int_equal(ranges[0].sizes, 9);
	assert_int_equal(ranges[0].verdict, NP_SLOWER);
	assert_int_equal(ranges[1].last, 24);
	for (size_t i = 0; i < SIZES; i++)
		sizes[i].count = 5;
	assert_int_equal(find(sizes, SIZES, NP_SAME_WITHIN, ranges), 0);
	/* Whatever moves the null may move the ratio. */
	draw(&random, &percent, 1.1, 0, SIZES, sizes);
	for (size_t i = 0; i < SIZES; i++) {
		for (size_t unit = 0; unit < sizes[i].count; unit++)
			sizes[i].controls[unit] *= 1.1;
	}
	assert_int_equal(find(sizes, SIZES, NP_SAME_WITHIN, ranges), 1);
	assert_int_equal(ranges[0].verdict, NP_UNCLEAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_found),
		cmocka_unit_test(check_nothing),
		cmocka_unit_test(check_ends),
		cmocka_unit_test(check_edges),
	};

	return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
