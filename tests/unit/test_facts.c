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
	char *text = np_facts_to_text(&from);
	np_facts_add(&to, "fact_3", "old");
	np_facts_from_text(&to, text);
	assert_int_equal(to.count, 101);
	assert_string_equal(np_facts_find(&to, "fact_99"), "99=9801");
	assert_string_equal(np_facts_find(&to, "fact_3"), "3=9");
	assert_string_equal(np_facts_find(&to, "nothing"), "");
	np_facts_from_text(&to, "no equals sign\nlast=1");
	assert_int_equal(to.count, 102);
	assert_string_equal(np_facts_find(&to, "last"), "1");
	free(text);
	np_facts_free(&from);
	np_facts_free(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_add_and_find),
		cmocka_unit_test(check_one_line),
		cmocka_unit_test(check_journey),
	};

	return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
