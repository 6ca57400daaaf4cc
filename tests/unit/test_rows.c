/*
 * test_rows.c - visits whose medians are known, and what rows make of them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "results/findings.h"
#include "visits.h"

static void check_half_round_trip(void **state)
{
	(void)state;
	for (enum np_operation operation = 0; operation < NP_OPERATIONS; operation++) {
		struct np_results results;

		np_results_init(&results);
		results.operation = operation;
		struct np_measured *measured = make_shaped(64, NP_MODE_REUSE, 0, 1, 3);
		measured->visit.messages = 50;
		measured->samples_ns[0] = 90000;
		measured->samples_ns[1] = 10000000;
		measured->samples_ns[2] = 100000;
		add_made(&results, measured);
		const struct np_row row = only_row(&results);
		/* 100 us for 50 messages, there and back or one way. */
		assert_true(near(row.median_s, operation == NP_PINGPONG ? 1e-6 : 2e-6));
		assert_true(
			near(row.messages_per_s, operation == NP_PINGPONG ? 1e6 : 0.5e6));
		assert_true(near(row.min_s, operation == NP_PINGPONG ? 0.9e-6 : 1.8e-6));
		assert_true(near(row.mean_s, (operation == NP_PINGPONG ? 1 : 2) * 10190000 *
						     1e-9 / 300));
		assert_int_equal(row.samples, 3);
		assert_int_equal(row.batch, 50);
		assert_int_equal(row.units, 1);
		np_results_free(&results);
	}
}

static void check_rate(void **state)
{
	(void)state;
	for (enum np_operation operation = 0; operation < NP_OPERATIONS; operation++) {
		struct np_results results;

		np_results_init(&results);
		results.operation = operation;
		/* 125000 bytes in a millisecond are 10^9 bit/s, not 953 Mibit/s. */
		add(&results, 125000, NP_MODE_REUSE, 0, 1000000);
		const struct np_row row = only_row(&results);
		assert_true(near(row.mbps, operation == NP_BIDIRECTIONAL ? 2000 : 1000));
		np_results_free(&results);
	}
}

static void check_zero_bytes(void **state)
{
	struct np_results results;

	(void)state;
	np_results_init(&results);
	add(&results, 0, NP_MODE_REUSE, 0, 1000);
	const struct np_row row = only_row(&results);
	assert_true(row.mbps == 0);
	assert_true(near(row.median_s, 1e-6));
	np_results_free(&results);
}

/* `count` passes with medians of 100, 101, ... us, added in mixed order. */
static struct np_row row_of_passes(unsigned count)
{
	struct np_results results;

	np_results_init(&results);
	for (unsigned i = 0; i < count; i++) {
		const unsigned pass = (i * 7 + 3) % count;

		add(&results, 64, NP_MODE_REUSE, pass, 100000 + pass * 1000);
	}
	const struct np_row row = only_row(&results);
	np_results_free(&results);
	assert_int_equal(row.units, count);
	return row;
}

static void check_interval(void **state)
{
	(void)state;
	for (unsigned count = 1; count < 6; count++) {
		const struct np_row row = row_of_passes(count);

		assert_int_equal(row.flags, NP_ROW_NO_INTERVAL);
		assert_true(isnan(row.ci_low_s) && isnan(row.ci_high_s));
	}
	/* Six passes: 5/14 of the way from the range, which has 96.9 %, to the next
	 * two, which have 78.1. */
	struct np_row row = row_of_passes(6);
	assert_int_equal(row.flags, 0);
	assert_true(near(row.median_s, 102.5e-6));
	assert_true(near(row.ci_low_s, (100 + 5 / 14.0) * 1e-6));
	assert_true(near(row.ci_high_s, (105 - 5 / 14.0) * 1e-6));
	/* Nine leave out one on each side, and 49/215 of the next. */
	row = row_of_passes(9);
	assert_true(near(row.median_s, 104e-6));
	assert_true(near(row.ci_low_s, (101 + 49 / 215.0) * 1e-6));
	assert_true(near(row.ci_high_s, (107 - 49 / 215.0) * 1e-6));
}

/* Many samples in few passes are still few passes. */
static void check_unit_is_the_pass(void **state)
{
	struct np_results results;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 5; pass++) {
		for (unsigned again = 0; again < 20; again++)
			add(&results, 64, NP_MODE_REUSE, pass, 1000 * (pass + 1) + again);
	}
	const struct np_row row = only_row(&results);
	assert_int_equal(row.units, 5);
	assert_int_equal(row.samples, 100 * BLOCKS * SAMPLES);
	assert_true((row.flags & NP_ROW_NO_INTERVAL) != 0);
	/* The median of 3000 ... 3019, the middle pass's. */
	assert_true(near(row.median_s, 3009.5e-9));
	np_results_free(&results);
}

static void check_unit_is_the_run(void **state)
{
	struct np_results results;

	(void)state;
	np_results_init(&results);
	results.runs = 6;
	for (unsigned run_index = 0; run_index < 6; run_index++) {
		for (unsigned pass = 0; pass < 3; pass++)
			add(&results, 64, NP_MODE_REUSE, pass,
			    1000 * (run_index + 1) + 300 * pass)
				->run_index = run_index;
	}
	struct np_row row = only_row(&results);
	assert_int_equal(row.units, 6);
	assert_true(near(row.median_s, 3800e-9));
	assert_true(near(row.ci_low_s, (1300 + 1000 * 5 / 14.0) * 1e-9));
	assert_true(near(row.ci_high_s, (6300 - 1000 * 5 / 14.0) * 1e-9));
	/* The same visits of one run: three passes, no interval. */
	results.runs = 1;
	row = only_row(&results);
	assert_int_equal(row.units, 3);
	assert_true((row.flags & NP_ROW_NO_INTERVAL) != 0);
	np_results_free(&results);
}

static void check_what_does_not_count(void **state)
{
	struct np_results results;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 6; pass++) {
		add(&results, 64, NP_MODE_REUSE, pass, 1000);
		struct np_measured *again = make(&results, 64, NP_MODE_REUSE, pass, 5);
		again->visit.superseded = again->visit.other_state = true;
		np_counts_add(&again->counts, "page_faults", 9);
		add_made(&results, again);
		add(&results, 64, NP_MODE_REUSE, pass, 900000)->sentinel = true;
		add(&results, 128, NP_MODE_REUSE, pass, 900000)->sentinel = true;
	}
	const struct np_row row = only_row(&results);
	assert_int_equal(row.length, 64);
	assert_int_equal(row.samples, 6 * BLOCKS * SAMPLES);
	assert_true(near(row.median_s, 1e-6) && near(row.mean_s, 1e-6));
	assert_int_equal(row.count_count, 0);
	assert_int_equal(row.flags, 0);
	np_results_free(&results);
}

/* Names belong to the counts; one that is too long is cut, alike each time. */
static void check_counts(void **state)
{
	static const char lengthy[] = "a_name_that_is_longer_than_the_room_that_there_is";
	struct np_counts counts = { .count = 0 };
	char name[NP_COUNTER_NAME + 8];

	(void)state;
	for (unsigned i = 0; i < 2 * NP_BLOCK_COUNTS; i++) {
		snprintf(name, sizeof(name), "counter_%u", i / 2);
		np_counts_add(&counts, name, i);
	}
	assert_int_equal(counts.count, NP_BLOCK_COUNTS);
	for (unsigned i = 0; i < NP_BLOCK_COUNTS; i++) {
		snprintf(name, sizeof(name), "counter_%u", i);
		assert_string_equal(counts.list[i].name, name);
		assert_int_equal(counts.list[i].value, 4 * i + 1);
	}
	/* There is room for no more. */
	np_counts_add(&counts, "another", 1);
	assert_int_equal(counts.count, NP_BLOCK_COUNTS);
	counts.count = 0;
	np_counts_add(&counts, lengthy, 3);
	np_counts_add(&counts, lengthy, 4);
	assert_int_equal(counts.count, 1);
	assert_int_equal(counts.list[0].value, 7);
	assert_int_equal(strlen(counts.list[0].name), NP_COUNTER_NAME - 1);
}

static void check_order_of_rows(void **state)
{
	static const size_t lengths[] = { 4096, 1, 64, 3 };
	struct np_results results;
	struct np_table table;

	(void)state;
	np_results_init(&results);
	for (size_t i = 0; i < 4; i++) {
		add(&results, lengths[i], NP_MODE_ROTATE, 0, 2000 + lengths[i]);
		add(&results, lengths[i], NP_MODE_REUSE, 0, 1000 + lengths[i]);
	}
	derive(&results, &table);
	assert_int_equal(table.row_count, 8);
	assert_int_equal(table.pair_count, 4);
	for (size_t i = 1; i < 8; i++)
		assert_true(table.rows[i - 1].length < table.rows[i].length ||
			    (table.rows[i - 1].length == table.rows[i].length &&
			     table.rows[i - 1].mode < table.rows[i].mode));
	for (size_t i = 1; i < 4; i++)
		assert_true(table.pairs[i - 1].length < table.pairs[i].length);
	const struct np_row *row = np_table_find(&table, 64, NP_MODE_ROTATE, 0);
	assert_non_null(row);
	assert_true(near(row->median_s, 2064e-9));
	assert_null(np_table_find(&table, 65, NP_MODE_ROTATE, 0));
	np_table_free(&table);
	np_results_free(&results);
}

static void check_no_visits(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	np_results_init(&results);
	derive(&results, &table);
	assert_int_equal(table.row_count, 0);
	assert_int_equal(table.pair_count, 0);
	const struct np_findings found = np_findings_derive(&results, &table);
	assert_null(found.latency);
	assert_null(found.peak);
	assert_int_equal(found.cost_count, 0);
	assert_true(found.sentinel.drift == 0);
	np_table_free(&table);
	np_results_free(&results);
}

/* One visit of `count` messages that take 1, 2, 3, ... us, in mixed order. */
static struct np_row row_of_messages(size_t count, bool per_message)
{
	struct np_results results;

	np_results_init(&results);
	results.operation = NP_STREAM_ACKED;
	results.per_message = per_message;
	struct np_measured *measured = make_shaped(64, NP_MODE_REUSE, 0, 1, count);
	measured->visit.messages = 1;
	for (size_t i = 0; i < count; i++)
		measured->samples_ns[i] = 1000 * ((i * 7919) % count + 1);
	add_made(&results, measured);
	const struct np_row row = only_row(&results);
	np_results_free(&results);
	assert_int_equal(row.samples, count);
	return row;
}

static void check_percentiles(void **state)
{
	(void)state;
	struct np_row row = row_of_messages(10000, false);
	assert_true(isnan(row.p50_s) && isnan(row.p90_s) && isnan(row.p99_s) &&
		    isnan(row.p999_s));
	row = row_of_messages(99, true);
	assert_true(isnan(row.p50_s) && isnan(row.p90_s) && isnan(row.p99_s) &&
		    isnan(row.p999_s));
	row = row_of_messages(999, true);
	assert_true(near(row.p50_s, 500e-6));
	assert_true(near(row.p90_s, 899.2e-6));
	assert_true(isnan(row.p99_s) && isnan(row.p999_s));
	row = row_of_messages(1000, true);
	assert_true(near(row.p99_s, 990.01e-6));
	assert_true(isnan(row.p999_s));
	row = row_of_messages(9999, true);
	assert_true(isnan(row.p999_s));
	row = row_of_messages(10000, true);
	assert_true(near(row.p50_s, 5000.5e-6));
	assert_true(near(row.p99_s, 9900.01e-6));
	assert_true(near(row.p999_s, 9990.001e-6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_half_round_trip),
		cmocka_unit_test(check_rate),
		cmocka_unit_test(check_zero_bytes),
		cmocka_unit_test(check_interval),
		cmocka_unit_test(check_unit_is_the_pass),
		cmocka_unit_test(check_unit_is_the_run),
		cmocka_unit_test(check_what_does_not_count),
		cmocka_unit_test(check_counts),
		cmocka_unit_test(check_order_of_rows),
		cmocka_unit_test(check_no_visits),
		cmocka_unit_test(check_percentiles),
	};

	return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
