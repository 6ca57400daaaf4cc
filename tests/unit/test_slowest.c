/*
 * test_slowest.c - the slowest rank of a pattern: of one run by its passes, of several by
 * runs, and again from the lines of a file.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"

static void add(struct np_results *results, unsigned rank, unsigned times)
{
	struct np_job_slowest one = {
		.rank = rank, .times = times, .passes = 20, .ranks = 4, .core = 1
	};

	snprintf(one.host, sizeof(one.host), "node%u", rank);
	assert_int_equal(np_slowest_add(&results->slowest, &one), 0);
}

static void check_text(const struct np_results *results, const char *wanted)
{
	char text[NP_SLOWEST_TEXT];

	np_text_slowest(results, text, sizeof(text));
	print_message("%s\n", text);
	assert_int_equal(strncmp(text, wanted, strlen(wanted)), 0);
	assert_int_equal(*text == '\0', *wanted == '\0');
}

/* Writes the line, and reads it into others. */
static void copy(const struct np_results *results, struct np_results *others)
{
	struct np_error error = { .code = 0 };
	struct np_measured *measured = NULL;
	char *line = NULL;
	size_t size;
	FILE *file = open_memstream(&line, &size);

	assert_int_equal(np_json_slowest(file, results, &error), 0);
	fclose(file);
	assert_int_equal(np_json_read_visit(line, others, &measured, &error), 0);
	/* The schema has cores from 0 on. */
	assert_null(strstr(line, "\"core\":-"));
	free(line);
}

static void of_one_run(void **state)
{
	struct np_results results, read;

	(void)state;
	np_results_init(&results);
	np_results_init(&read);
	check_text(&results, "");
	add(&results, 2, 19);
	check_text(&results, "2, host node2 core 1: in 19 of 20 passes, of 4 ranks");
	copy(&results, &read);
	check_text(&read, "2, host node2 core 1: in 19 of 20 passes, of 4 ranks");
	results.slowest.list[0].core = -1;
	copy(&results, &read);
	assert_int_equal(read.slowest.list[1].core, -1);
	results.slowest.list[0].times = 7;
	check_text(&results, "");
	np_results_free(&results);
	np_results_free(&read);
}

static void of_several(void **state)
{
	struct np_results results, read;

	(void)state;
	np_results_init(&results);
	np_results_init(&read);
	results.runs = 8;
	add(&results, 1, 20);
	check_text(&results, "");
	for (unsigned i = 0; i < 7; i++)
		add(&results, 3, 8);
	check_text(&results, "3, host node3 core 1: in 7 of 8 runs, of 4 ranks");
	/* What follows from the lines of each run is none of one more. */
	copy(&results, &read);
	assert_int_equal(read.slowest.count, 0);
	np_results_free(&results);
	np_results_free(&read);
}

static void damaged(void **state)
{
	static const char *const lines[] = {
		"{\"kind\":\"slowest\"}",
		"{\"kind\":\"slowest\",\"rank\":0,\"host\":\"a\",\"core\":0,\"times\":9,"
		"\"passes\":8,\"ranks\":2,\"p\":1.0}",
		"{\"kind\":\"slowest\",\"rank\":0,\"host\":\"a\",\"core\":0,\"times\":8,"
		"\"passes\":8,\"ranks\":0,\"p\":1.0}",
	};
	struct np_results results;

	(void)state;
	np_results_init(&results);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct np_measured *measured = NULL;
		struct np_error error = { .code = 0 };

		assert_true(np_json_read_visit(lines[i], &results, &measured, &error) < 0);
	}
	assert_int_equal(results.slowest.count, 0);
	np_results_free(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_run),
		cmocka_unit_test(of_several),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
