/*
 * test_facts.c - facts keep their order, one line each, and survive a journey.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/facts.h"

static void check_add_and_find(void **state)
{
	struct np_facts facts = { 0 };

	(void)state;
	assert_null(np_facts_find(&facts, "cpu"));
	np_facts_add(&facts, "cpu", "%s, %d cores", "Example", 2);
	np_facts_add(&facts, "kernel", "6.1");
	np_facts_add(&facts, "cpu", "%s!", np_facts_find(&facts, "cpu"));
	assert_int_equal(facts.count, 2);
	assert_string_equal(np_facts_find(&facts, "cpu"), "Example, 2 cores!");
	assert_string_equal(facts.list[0].name, "cpu");
	np_facts_free(&facts);
	assert_int_equal(facts.count, 0);
	assert_null(facts.list);
	np_facts_free(&facts);
}

/* Files of the kernel end in a newline; a library may report several lines. */
static void check_one_line(void **state)
{
	struct np_facts facts = { 0 };

	(void)state;
	np_facts_add(&facts, "governor", "performance\n");
	np_facts_add(&facts, "library", "one\nseed=7\ttwo \n");
	assert_string_equal(np_facts_find(&facts, "governor"), "performance");
	assert_string_equal(np_facts_find(&facts, "library"), "one seed=7 two");
	char *text = np_facts_to_text(&facts);
	assert_string_equal(text, "governor=performance\nlibrary=one seed=7 two\n");
	free(text);
	np_facts_free(&facts);
}

/* A number has a unit; a text that looks like one has none. */
static void check_numbers(void **state)
{
	struct np_facts facts = { 0 };

	(void)state;
	np_facts_add(&facts, "mss", "1448");
	assert_int_equal(np_facts_number(&facts, "mss"), 0);
	np_facts_add_number(&facts, "mss", 1448, NP_UNIT_BYTES, NULL);
	assert_int_equal(facts.count, 1);
	assert_int_equal(np_facts_number(&facts, "mss"), 1448);
	assert_string_equal(np_facts_find(&facts, "mss"), "1448");
	np_facts_add(&facts, "mss", "not reported");
	assert_int_equal(np_facts_number(&facts, "mss"), 0);
	assert_int_equal(facts.list[0].unit, NP_UNIT_NONE);
	np_facts_add_number(&facts, "max_mr_size", UINT64_MAX, NP_UNIT_BYTES, NULL);
	assert_true(np_facts_number(&facts, "max_mr_size") == UINT64_MAX);
	assert_string_equal(facts.list[1].text, "18446744073709551615");
	assert_int_equal(np_facts_number(&facts, "of nobody"), 0);
	for (unsigned unit = NP_UNIT_NONE + 1; unit < NP_UNITS; unit++)
		assert_int_equal(np_unit_named(np_unit_word((enum np_unit)unit)), unit);
	assert_int_equal(np_unit_named("parsec"), NP_UNIT_NONE);
	np_facts_free(&facts);
}

/* A peer may send anything: what is no number with a unit stays a text of one line. */
static void check_malformed_numbers(void **state)
{
	static const char *const values[] = {
		"1\tparsec\t", "1\tbytes",  "-1\tbytes\t",
		"1x\tbytes\t", "\tbytes\t", "99999999999999999999\tbytes\t"
	};
	char line[64];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct np_facts facts = { 0 };

		snprintf(line, sizeof(line), "mtu=%s\n", values[i]);
		np_facts_from_text(&facts, line);
		assert_int_equal(facts.count, 1);
		assert_int_equal(facts.list[0].unit, NP_UNIT_NONE);
		assert_int_equal(facts.list[0].number, 0);
		assert_null(strchr(facts.list[0].text, '\t'));
		np_facts_free(&facts);
	}
}

/* A byte that is not UTF-8 would make the line of the header impossible. */
static void check_harmless(void **state)
{
	struct np_facts facts = { 0 };

	(void)state;
	np_facts_from_text(&facts, "cpu=a\xff\xc2\x9b.\ncp\xfe=\xe2\x82\xac\n"
				   "limit=1\tbytes\tv\xff\n");
	assert_string_equal(np_facts_find(&facts, "cpu"), "a???.");
	assert_string_equal(np_facts_find(&facts, "cp?"), "\xe2\x82\xac");
	assert_string_equal(np_facts_find(&facts, "limit"), "1 (v?)");
	np_facts_free(&facts);
}

/* A megabyte of names is read in no time, since the list has a bound. */
static void check_bound(void **state)
{
	enum { LINES = 120000 };
	struct np_facts facts = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	for (int i = 0; i < LINES; i++)
		fprintf(stream, "n%d=%d\n", i, i);
	assert_int_equal(fclose(stream), 0);
	np_facts_from_text(&facts, text);
	assert_int_equal(facts.count, NP_FACTS_MAX);
	np_facts_add(&facts, "one more", "yes");
	assert_null(np_facts_find(&facts, "one more"));
	np_facts_add(&facts, "n0", "replaced");
	assert_string_equal(np_facts_find(&facts, "n0"), "replaced");
	free(text);
	np_facts_free(&facts);
}

static void check_journey(void **state)
{
	struct np_facts from = { 0 };
	struct np_facts to = { 0 };
	char name[32];

	(void)state;
	char *empty = np_facts_to_text(&from);
	assert_string_equal(empty, "");
	np_facts_from_text(&to, empty);
	assert_int_equal(to.count, 0);
	free(empty);
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "fact_%d", i);
		np_facts_add(&from, name, "%d=%d", i, i * i);
	}
	np_facts_add(&from, "nothing", "%s", "");
	np_facts_add_number(&from, "eager_limit_bytes", 4096, NP_UNIT_BYTES,
			    "btl_vader_eager_limit");
	np_facts_add_number(&from, "cores", 2, NP_UNIT_COUNT, NULL);
	char *text = np_facts_to_text(&from);
	np_facts_add(&to, "fact_3", "old");
	np_facts_from_text(&to, text);
	assert_int_equal(to.count, 103);
	assert_string_equal(np_facts_find(&to, "fact_99"), "99=9801");
	assert_string_equal(np_facts_find(&to, "fact_3"), "3=9");
	assert_string_equal(np_facts_find(&to, "nothing"), "");
	const struct np_fact *eager = &to.list[to.count - 2];
	assert_string_equal(eager->name, "eager_limit_bytes");
	assert_string_equal(eager->text, "4096 (btl_vader_eager_limit)");
	assert_string_equal(eager->source, "btl_vader_eager_limit");
	assert_int_equal(eager->unit, NP_UNIT_BYTES);
	assert_int_equal(eager->number, 4096);
	assert_int_equal(np_facts_number(&to, "cores"), 2);
	assert_null(to.list[to.count - 1].source);
	np_facts_from_text(&to, "no equals sign\nlast=1");
	assert_int_equal(to.count, 104);
	assert_string_equal(np_facts_find(&to, "last"), "1");
	assert_int_equal(np_facts_number(&to, "last"), 0);
	free(text);
	np_facts_free(&from);
	np_facts_free(&to);
}

static void check_sums_of_counts(void **state)
{
	struct np_counts counts = { .count = 0 };

	(void)state;
	/* The increase of a counter: from 5 to 7, and beyond what a file holds. */
	np_counts_add(&counts, "packets", UINT64_MAX * 5);
	np_counts_add(&counts, "packets", 7);
	assert_true(counts.list[0].value == 2);
	np_counts_add(&counts, "packets", INT64_MAX);
	np_counts_add(&counts, "packets", 1);
	assert_true(counts.list[0].value == INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_add_and_find),
		cmocka_unit_test(check_one_line),
		cmocka_unit_test(check_numbers),
		cmocka_unit_test(check_malformed_numbers),
		cmocka_unit_test(check_harmless),
		cmocka_unit_test(check_bound),
		cmocka_unit_test(check_journey),
		cmocka_unit_test(check_sums_of_counts),
	};

	return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
