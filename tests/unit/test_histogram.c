/*
 * test_histogram.c - the bars of --per-message: each message is in one, at the time
 * that it took, and what a row does not hold is in none.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "output/output.h"
#include "visits.h"

/* What is printed of results that have rows of these two modes. */
static char *print(const struct np_results *results)
{
	struct np_table table;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	derive(results, &table);
	np_text_histograms(file, results, &table);
	np_table_free(&table);
	assert_int_equal(fclose(file), 0);
	return text;
}

static struct np_visit *add_each(struct np_results *results, unsigned pass,
				 const uint64_t *ns, size_t count)
{
	struct np_measured *measured = make_shaped(64, NP_MODE_REUSE, pass, 1, count);

	measured->visit.messages = 1;
	memcpy(measured->samples_ns, ns, count * sizeof(*ns));
	return add_made(results, measured);
}

/* A bar begins at a power of the sixteenth root of 2: 1024 ns is the first time of
 * its own, and 1217 ns the last of another. */
static void check_bars(void **state)
{
	static const uint64_t ns[] = { 1023, 1024, 1217, 1218, 1218, 1218, 4096, 1 };
	struct np_results results;

	(void)state;
	np_results_init(&results);
	results.operation = NP_STREAM;
	results.per_message = true;
	for (unsigned pass = 0; pass < 2; pass++)
		add_each(&results, pass, ns, 8);
	char *text = print(&results);
	assert_string_equal(text, "\n# 64 bytes, reuse, 16 messages, from:\n"
				  "#        0.001 us  12.5000 % *****************\n"
				  "#        0.981 us  12.5000 % *****************\n"
				  "#        1.024 us  12.5000 % *****************\n"
				  "#        1.166 us  12.5000 % *****************\n"
				  "#        1.218 us  37.5000 % "
				  "**************************************************\n"
				  "#        4.096 us  12.5000 % *****************\n");
	free(text);
	np_results_free(&results);
}

/* Half a round trip; each mode has bars of its own; a sentinel and a visit that was
 * made again have none; a time beyond the last bar is in it. */
static void check_what_counts(void **state)
{
	static const uint64_t ns[] = { 2048, 2048 }, forever[] = { UINT64_MAX / 2 };
	struct np_results results;

	(void)state;
	np_results_init(&results);
	results.per_message = true;
	add_each(&results, 0, ns, 2);
	add_each(&results, 1, ns, 2)->superseded = true;
	add_each(&results, 2, ns, 2)->sentinel = true;
	add_each(&results, 3, forever, 1)->mode = NP_MODE_ROTATE;
	char *text = print(&results);
	assert_string_equal(text, "\n# 64 bytes, reuse, 2 messages, from:\n"
				  "#        1.024 us 100.0000 % "
				  "**************************************************\n"
				  "\n# 64 bytes, rotate, 1 messages, from:\n"
				  "#  1028218.693 us 100.0000 % "
				  "**************************************************\n");
	free(text);
	np_results_free(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_bars),
		cmocka_unit_test(check_what_counts),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
