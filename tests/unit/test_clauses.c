/*
 * test_clauses.c - clauses of --expect: what they say, and where they cannot be read.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/clauses.h"

static void check_read(void **state)
{
	static const struct {
		const char *text;
		struct np_clause clause;
		const char *back;
	} cases[] = {
		{ "latency(8) <= 2us",
		  { NP_QUANTITY_LATENCY, 8, true, 2e-6 },
		  "latency(8) <= 2us" },
		{ " latency ( 0 )>=1500 n", { NP_QUANTITIES, 0, false, 0 }, NULL },
		{ " latency ( 0 )>=1500 ns",
		  { NP_QUANTITY_LATENCY, 0, false, 1.5e-6 },
		  "latency(0) >= 1.5us" },
		{ "bandwidth(1 MiB) >= 54.5 Gbit/s",
		  { NP_QUANTITY_BANDWIDTH, 1 << 20, false, 54.5e9 },
		  "bandwidth(1M) >= 54.5G" },
		{ "bandwidth( 131 B ) >= 900 kbit/s #",
		  { NP_QUANTITY_BANDWIDTH, 131, false, 9e5 },
		  "bandwidth(131) >= 900K" },
		{ "latency( 0 )>=1500ns # a comment",
		  { NP_QUANTITY_LATENCY, 0, false, 1.5e-6 },
		  "latency(0) >= 1.5us" },
		{ "bandwidth(1M) >= 180G",
		  { NP_QUANTITY_BANDWIDTH, 1 << 20, false, 180e9 },
		  "bandwidth(1M) >= 180G" },
		{ "stream_bandwidth(64K)>=2.5Gbit/s;",
		  { NP_QUANTITY_STREAM_BANDWIDTH, 65536, false, 2.5e9 },
		  "stream_bandwidth(64K) >= 2.5G" },
		{ "ratio(4K) <= 1.2x",
		  { NP_QUANTITY_RATIO, 4096, true, 1.2 },
		  "ratio(4K) <= 1.2" },
		{ "\n\nmessage_rate(64) >= 5M\n",
		  { NP_QUANTITY_MESSAGE_RATE, 64, false, 5e6 },
		  "message_rate(64) >= 5M" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct np_clauses clauses;
		struct np_error error = { .code = 0 };
		char text[NP_CLAUSE_TEXT];
		const int rc = np_clauses_parse(cases[i].text, &clauses, &error);

		assert_int_equal(rc == 0, cases[i].back != NULL);
		if (rc != 0)
			continue;
		const struct np_clause *clause = &clauses.list[0];

		assert_int_equal(clauses.count, 1);
		assert_int_equal(clause->quantity, cases[i].clause.quantity);
		assert_int_equal(clause->length, cases[i].clause.length);
		assert_int_equal(clause->at_most, cases[i].clause.at_most);
		assert_true(fabs(clause->bound / cases[i].clause.bound - 1) < 1e-12);
		np_clause_text(clause, text);
		assert_string_equal(text, cases[i].back);
	}
}

static void check_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "latency(8) = 2us", "column 12: expected <= or >=, found '= 2us'" },
		{ "latency(8) < 2us", "column 12: expected <= or >=" },
		{ "latency(8) <= 2", "column 15: expected a time with ns, us, ms or s" },
		{ "latency(8) <= nan", "column 15: expected a time" },
		{ "latency(8) <= 0x2us", "column 15: expected a time" },
		{ "latency(8) <= 0us", "column 15: expected a time" },
		{ "latency(8) <= -1us", "column 15: expected a time" },
		{ "latency <= 2us", "column 9: expected a size in parentheses" },
		{ "latency() <= 2us", "column 9: expected a size" },
		{ "latency(8 <= 2us", "column 11: expected ')'" },
		{ "latency(99999T) <= 2us", "column 9: expected a size" },
		{ "bandwidth(0) >= 1G", "column 11: expected a size" },
		{ "bandwidth(1M) >= 180", "column 18: expected bit/s with K, M, G or T" },
		{ "bandwidth(1M) >= 180Gb", "column 18: expected bit/s" },
		{ "speed(1M) >= 1G", "column 1: expected latency, bandwidth" },
		{ "latency(8) <= 2us latency(9) <= 2us", "column 19: expected a comma" },
		{ "latency(8) <= 2us\nratio(8)",
		  "line 2, column 9: expected <= or >=, found "
		  "'the end'" },
		{ " , ", "column 4: expected a clause" },
		{ "latency(8) <= 2us, latency(8) <= 3us", "bound the same twice" },
		{ "latency(8) <= 2us, latency(8) >= 3us", "cannot both be" },
		{ "bandwidth(8) >= 2M, bandwidth(8) <= 1M", "cannot both be" },
		/* 8 bytes in 2 us are 32 Mbit/s. */
		{ "latency(8) <= 2us, bandwidth(8) <= 31M", "cannot both be" },
		{ "bandwidth(8) >= 33M, latency(8) >= 2us", "cannot both be" },
		{ "message_rate(64) >= 5M, stream_bandwidth(64) <= 2.5G",
		  "cannot both be" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct np_clauses clauses;
		struct np_error error = { .code = 0 };

		assert_int_equal(np_clauses_parse(cases[i].text, &clauses, &error),
				 -EINVAL);
		assert_int_equal(error.kind, NP_ERROR_USAGE);
		if (strstr(error.text, cases[i].words) == NULL)
			fail_msg("%s: %s", cases[i].text, error.text);
	}
}

static void check_several(void **state)
{
	struct np_clauses clauses;
	struct np_error error = { .code = 0 };
	size_t *sizes = NULL, count = 0;

	(void)state;
	assert_int_equal(
		np_clauses_parse("latency(8)<=2us,latency(8)>=1us", &clauses, &error), 0);
	assert_int_equal(clauses.count, 2);
	assert_int_equal(np_clauses_parse("latency(8)<=2us, bandwidth(8)<=32M, "
					  "bandwidth(8)>=16M, bandwidth(9)<=1M",
					  &clauses, &error),
			 0);
	assert_int_equal(
		np_clauses_sizes("latency(4K)<=2us,latency(8)<=1us,bandwidth(4K)>=1M",
				 &sizes, &count, &error),
		0);
	assert_int_equal(count, 2);
	assert_int_equal(sizes[0], 8);
	assert_int_equal(sizes[1], 4096);
	free(sizes);
}

static void check_options(void **state)
{
	struct np_options options = { .expect = "ratio(4K) <= 2" };
	struct np_error error = { .code = 0 };

	(void)state;
	assert_int_equal(np_clauses_apply(&options, &error), 0);
	assert_true(options.invalidate && !options.stream);
	options = (struct np_options){ .expect = "message_rate(4K) >= 2" };
	assert_int_equal(np_clauses_apply(&options, &error), 0);
	assert_true(options.stream && !options.invalidate);
	options =
		(struct np_options){ .expect = "message_rate(4K) >= 2, latency(1) <= 1s" };
	assert_int_equal(np_clauses_apply(&options, &error), -EINVAL);
	assert_non_null(strstr(error.text, "two commands"));
	options = (struct np_options){ .expect = "latency(1) <= 1s", .stream = true };
	error.code = 0;
	assert_int_equal(np_clauses_apply(&options, &error), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_read),
		cmocka_unit_test(check_refused),
		cmocka_unit_test(check_several),
		cmocka_unit_test(check_options),
	};

	return cmocka_run_group_tests_name("clauses", tests, NULL, NULL);
}
