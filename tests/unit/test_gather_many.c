/*
 * test_gather_many.c - more than NPreport keeps: of a file that is too large for memory
 * it holds a part that stands for all, and knows how many there were.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "report/reading/reading.h"

/* Of more messages than are kept percentiles hardly move; those of a point that came
 * when there was no room any more are not known. */
static void check_many_samples(void **state)
{
	struct np_random random = { 4 };
	struct np_gather gather;
	struct np_results results;
	struct np_sample_list samples = { .count = 0 }, none = { .count = 0 };
	struct np_figure point = { .p99_s = (double)NAN };
	struct np_visit visit = { .messages = 1, .kept = 1000 };

	(void)state;
	visit.samples_ns = calloc(1000, sizeof(*visit.samples_ns));
	assert_non_null(visit.samples_ns);
	np_gather_init(&gather);
	np_results_init(&results);
	gather.per_message = true;
	results.operation = NP_STREAM;
	for (unsigned i = 0; i < 100; i++) {
		visit.serial = i;
		for (size_t k = 0; k < 1000; k++)
			visit.samples_ns[k] = np_random_below(&random, 100000);
		assert_int_equal(np_gather_samples(&gather, &results, &visit, &samples), 0);
	}
	assert_int_equal(samples.count, NP_GATHER_SAMPLES);
	assert_int_equal(np_gather_percentiles(&gather, &samples, &point), 0);
	assert_true(fabs(point.p50_s - 50e-6) < 2e-6);
	assert_true(fabs(point.p999_s - 99.9e-6) < 0.1e-6);
	gather.sample_count = NP_GATHER_SAMPLES_ALL;
	assert_int_equal(np_gather_samples(&gather, &results, &visit, &none), 0);
	assert_int_equal(none.count, 0);
	point.p50_s = (double)NAN;
	assert_int_equal(np_gather_percentiles(&gather, &none, &point), 0);
	assert_true(isnan(point.p50_s));
	/* A number that no run has is no visit of this one. */
	gather.sample_count = 0;
	visit.serial = (uint64_t)1 << 60;
	assert_int_equal(np_gather_samples(&gather, &results, &visit, &none), 0);
	assert_int_equal(none.count, 0);
	free(samples.list);
	free(visit.samples_ns);
	np_gather_free(&gather);
	np_results_free(&results);
}

/* Of more units than are kept the median hardly moves, and nothing is lost of
 * how many there were. */
static void check_many(void **state)
{
	struct np_random random = { 3 };
	struct np_error error = { .code = 0 };
	struct np_gather gather;
	struct np_run run = { .path = NULL };
	struct np_key key = { .length = 64 };

	(void)state;
	np_gather_init(&gather);
	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(np_gather_value(&gather, &key,
						 1 + (double)np_random_below(&random, 1000),
						 &error),
				 0);
	struct np_cell *cell = np_gather_cell(&gather, &key, &error);
	assert_non_null(cell);
	assert_int_equal(cell->units.seen, 100000);
	assert_int_equal(cell->units.count, NP_GATHER_UNITS);
	assert_int_equal(np_gather_finish(&gather, true, &run, &error), 0);
	/* The median of 2048 uniform values is within 5 % of the middle but for one
	 * seed in millions; this seed is fixed. */
	assert_true(fabs(run.series[0].points[0].seconds / 500.5 - 1) < 0.1);
	np_gather_free(&gather);
	np_run_free(&run);
}

static void check_too_many(void **state)
{
	struct np_error error = { .code = 0 };
	struct np_gather gather;
	struct np_key key = { .length = 0 };

	(void)state;
	np_gather_init(&gather);
	for (size_t i = 0; i < NP_GATHER_CELLS; i++) {
		key.length = i;
		assert_int_equal(np_gather_value(&gather, &key, 1, &error), 0);
	}
	key.length = NP_GATHER_CELLS;
	assert_true(np_gather_value(&gather, &key, 1, &error) < 0);
	assert_string_equal(error.text, "more than 65536 different points");
	key.length = 5;
	assert_int_equal(np_gather_value(&gather, &key, 1, &error), 0);
	np_gather_free(&gather);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_many),
		cmocka_unit_test(check_many_samples),
		cmocka_unit_test(check_too_many),
	};

	return cmocka_run_group_tests_name("gather many", tests, NULL, NULL);
}
