/*
 * test_pairs.c - what rotation costs, from visits whose ratio is known.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "results/pairs.h"
#include "visits.h"

/* Runs count their visits from 0, each for itself. */
static void check_pairs_within_run(void **state)
{
	struct np_results results;

	(void)state;
	np_results_init(&results);
	results.runs = 2;
	add(&results, 64, NP_MODE_REUSE, 0, 1000);
	add(&results, 64, NP_MODE_ROTATE, 0, 2000);
	add(&results, 64, NP_MODE_ROTATE, 0, 400000)->run_index = 1;
	add(&results, 64, NP_MODE_REUSE, 0, 100000)->run_index = 1;
	const struct np_pair pair = only_pair(&results);
	assert_int_equal(pair.units, 2);
	assert_true(near(pair.ratio, 3));
	assert_true(isnan(pair.low) && isnan(pair.high));
	np_results_free(&results);
}

/* Each mode in runs of its own: no visits belong together, rounds do. */
static void check_runs_apart(void **state)
{
	static const uint64_t reuse_ns[] = { 1000, 3000, 2000 };
	struct np_results results;

	(void)state;
	np_results_init(&results);
	results.runs = 3;
	for (unsigned run_index = 0; run_index < 3; run_index++) {
		for (unsigned pass = 0; pass < 2; pass++) {
			struct np_visit *reuse =
				add(&results, 64, NP_MODE_REUSE, pass, reuse_ns[run_index]);
			struct np_visit *rotate =
				add(&results, 64, NP_MODE_ROTATE, pass,
				    reuse_ns[run_index] * (4 + run_index));

			reuse->run_index = rotate->run_index = run_index;
			rotate->serial = 100 + pass;
		}
	}
	/* A run that one mode never reached. */
	add(&results, 64, NP_MODE_REUSE, 0, 900000)->run_index = 3;
	const struct np_pair pair = only_pair(&results);
	assert_int_equal(pair.units, 3);
	assert_true(near(pair.ratio, 5));
	np_results_free(&results);
}

static void check_pairs_within_visit(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	np_results_init(&results);
	add(&results, 64, NP_MODE_REUSE, 0, 1000);
	add(&results, 64, NP_MODE_ROTATE, 1, 2000);
	add(&results, 128, NP_MODE_ROTATE, 0, 2000);
	derive(&results, &table);
	assert_int_equal(table.row_count, 3);
	assert_int_equal(table.pair_count, 0);
	np_table_free(&table);
	/* Without its partner, a visit that counts makes a row and no ratio. */
	add(&results, 64, NP_MODE_REUSE, 2, 1000);
	struct np_visit *partner = add(&results, 64, NP_MODE_ROTATE, 2, 7000);
	partner->superseded = true;
	derive(&results, &table);
	assert_int_equal(table.pair_count, 0);
	np_table_free(&table);
	partner->superseded = false;
	assert_true(near(only_pair(&results).ratio, 7));
	np_results_free(&results);
}

/* The machine slows down over the run and within each visit, for both modes:
 * the rows spread, the ratio does not. */
static void check_common_drift(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 6; pass++) {
		struct np_measured *reuse = make(&results, 64, NP_MODE_REUSE, pass, 1000);
		struct np_measured *rotate = make(&results, 64, NP_MODE_ROTATE, pass, 1000);

		for (size_t i = 0; i < BLOCKS * SAMPLES; i++) {
			const uint64_t slow = (pass + 1) * (1 + i / SAMPLES);

			reuse->samples_ns[i] *= slow;
			rotate->samples_ns[i] = rotate->samples_ns[i] * slow * 6 / 5;
		}
		add_made(&results, reuse);
		add_made(&results, rotate);
	}
	derive(&results, &table);
	assert_int_equal(table.pair_count, 1);
	assert_true(near(table.pairs[0].ratio, 1.2));
	assert_true(near(table.pairs[0].low, 1.2) && near(table.pairs[0].high, 1.2));
	assert_int_equal(table.pairs[0].units, 6);
	assert_true(table.rows[0].ci_high_s > 4 * table.rows[0].ci_low_s);
	np_table_free(&table);
	np_results_free(&results);
}

/* One block of the four was disturbed: the median of pairs looks past it. */
static void check_disturbed_block(void **state)
{
	struct np_results results;

	(void)state;
	np_results_init(&results);
	add(&results, 64, NP_MODE_REUSE, 0, 1000);
	struct np_measured *rotate = make(&results, 64, NP_MODE_ROTATE, 0, 1500);
	for (size_t i = SAMPLES; i < 2 * SAMPLES; i++)
		rotate->samples_ns[i] *= 40;
	add_made(&results, rotate);
	assert_true(near(only_pair(&results).ratio, 1.5));
	np_results_free(&results);
}

static void check_pair_interval(void **state)
{
	struct np_results results;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 6; pass++) {
		add(&results, 64, NP_MODE_REUSE, pass, 1000);
		add(&results, 64, NP_MODE_ROTATE, pass, 1100 + 100 * pass);
	}
	const struct np_pair pair = only_pair(&results);
	assert_true(near(pair.ratio, 1.35));
	/* 5/14 of the way from the range inwards: stats.h. */
	assert_true(near(pair.alone_low, 1.1 + 0.5 / 14) &&
		    near(pair.alone_high, 1.6 - 0.5 / 14));
	/* The verdict's is at 1 % and of the means of logarithms. */
	assert_true(pair.low > 1 && pair.low < 1.1 && pair.high > 1.6);
	np_results_free(&results);
}

/* Reuse once more stands beside what is over reuse, and is no pair itself. */
static void check_null(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 6; pass++) {
		add(&results, 64, NP_MODE_REUSE, pass, 1000);
		add(&results, 64, NP_MODE_CONTROL, pass, 950 + 20 * pass);
		add(&results, 64, NP_MODE_ROTATE, pass, 1500 + 5 * pass);
		add(&results, 64, NP_MODE_FRESH, pass, 3000);
		/* Of another size, whose null went wrong. */
		add(&results, 128, NP_MODE_REUSE, pass, 1000);
		add(&results, 128, NP_MODE_CONTROL, pass, 1200 + 2 * pass);
		add(&results, 128, NP_MODE_ROTATE, pass, 1500 + 5 * pass);
	}
	derive(&results, &table);
	assert_int_equal(table.row_count, 7);
	assert_int_equal(table.pair_count, 4);
	for (size_t i = 0; i < table.pair_count; i++) {
		const struct np_pair *pair = &table.pairs[i];
		const bool fresh = pair->mode == NP_MODE_FRESH;

		assert_int_equal(pair->base_mode,
				 fresh && i == 1 ? NP_MODE_ROTATE : NP_MODE_REUSE);
		assert_true(near(pair->control_ratio, pair->length == 64 ? 1 : 1.205));
		assert_true(pair->control_low < pair->control_ratio &&
			    pair->control_ratio < pair->control_high);
		assert_int_equal(pair->verdict, NP_SLOWER);
		/* The null that went wrong is off by 20 %, the ratio by 50 %. */
		assert_int_equal(pair->unstable, pair->length == 128);
		assert_true(pair->length == 64 || pair->low < 1.5 / 1.2);
		assert_int_equal(pair->units, 6);
	}
	assert_int_equal(table.pairs[0].mode, NP_MODE_ROTATE);
	for (unsigned pass = 0; pass < 6; pass++)
		assert_true(near(table.pairs[0].unit_ratios[pass], 1.5 + 0.005 * pass));
	assert_true(table.pairs[0].adjusted_p >= table.pairs[0].p);
	np_table_free(&table);
	np_results_free(&results);
}

/* Rotation that is slower with a chance of 0.7 %. */
static void add_nearly_sure(struct np_results *results, enum np_axis axis)
{
	static const uint64_t rotate_ns[6] = { 1008, 1047, 1020, 1015, 1038, 1028 };

	for (unsigned pass = 0; pass < 6; pass++) {
		add(results, 64, NP_MODE_REUSE, pass, 1000)->axis = axis;
		add(results, 64, NP_MODE_ROTATE, pass, rotate_ns[pass])->axis = axis;
	}
}

/* That is sure, but not beside causes: these have half of what may be wrong. */
static void check_causes_beside(void **state)
{
	struct np_results results;

	(void)state;
	np_results_init(&results);
	add_nearly_sure(&results, NP_AXIS_NONE);
	const struct np_pair alone = only_pair(&results);
	assert_int_equal(alone.verdict, NP_SLOWER);
	assert_true(alone.adjusted_p > 0.005);
	add(&results, 64, NP_MODE_TOUCHED, 0, 1000);
	const struct np_pair beside = only_pair(&results);
	assert_int_equal(beside.verdict, NP_UNCLEAR);
	assert_true(near(beside.adjusted_p, 2 * alone.adjusted_p));
	assert_true(beside.resolution > alone.resolution);
	np_results_free(&results);
}

/* Nor where it is one of three axes that has it. */
static void check_axes(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	np_results_init(&results);
	for (enum np_axis axis = NP_AXIS_LINES; axis <= NP_AXIS_LARGE_PAGES; axis++)
		add_nearly_sure(&results, axis);
	derive(&results, &table);
	assert_int_equal(table.pair_count, 3);
	for (size_t i = 0; i < table.pair_count; i++) {
		assert_true(near(table.pairs[i].adjusted_p, 3 * table.pairs[i].p));
		assert_true(table.pairs[i].p < 0.01);
		assert_int_equal(table.pairs[i].verdict, NP_UNCLEAR);
	}
	np_table_free(&table);
	np_results_free(&results);
}

static void check_wanted(void **state)
{
	(void)state;
	assert_true(np_pair_is_wanted(NP_MODE_ROTATE, 1, NP_MODE_REUSE, 1));
	assert_true(np_pair_is_wanted(NP_MODE_FRESH, 0, NP_MODE_ROTATE, 0));
	assert_true(np_pair_is_wanted(NP_MODE_CONTROL, 2, NP_MODE_REUSE, 2));
	assert_true(np_pair_is_wanted(NP_MODE_ROTATE, 2, NP_MODE_ROTATE, 0));
	assert_false(np_pair_is_wanted(NP_MODE_ROTATE, 2, NP_MODE_ROTATE, 1));
	assert_false(np_pair_is_wanted(NP_MODE_ROTATE, 1, NP_MODE_REUSE, 0));
	assert_false(np_pair_is_wanted(NP_MODE_TOUCHED, 0, NP_MODE_REUSE, 0));
	assert_true(np_pair_is_wanted(NP_MODE_TOUCHED, 1, NP_MODE_TOUCHED, 0));
	assert_false(np_pair_is_wanted(NP_MODE_REUSE, 0, NP_MODE_ROTATE, 0));
	assert_false(np_pair_is_wanted(NP_MODE_CONTROL, 1, NP_MODE_CONTROL, 0));
	assert_false(np_pair_is_wanted(NP_MODE_CONTROL, 0, NP_MODE_ROTATE, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_pairs_within_run),
		cmocka_unit_test(check_runs_apart),
		cmocka_unit_test(check_pairs_within_visit),
		cmocka_unit_test(check_common_drift),
		cmocka_unit_test(check_disturbed_block),
		cmocka_unit_test(check_pair_interval),
		cmocka_unit_test(check_null),
		cmocka_unit_test(check_causes_beside),
		cmocka_unit_test(check_axes),
		cmocka_unit_test(check_wanted),
	};

	return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
