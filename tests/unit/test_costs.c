/*
 * test_costs.c - what a run with several modes prints: a table that fits a terminal,
 * and findings in words.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "output/output.h"
#include "visits.h"

enum { SIZES = 12, WIDTH = 79 };

/* Powers of two from 64 bytes; rotation takes half as long again at the third to
 * the fifth, twice as long at the ninth; at the eleventh reuse is no measure. */
static double planted(size_t size)
{
	return size >= 2 && size <= 4 ? 1.5 + 0.01 * (double)size : size == 8 ? 2 : 1;
}

static void plant(struct np_results *results, unsigned runs)
{
	struct np_random random = { 51 };

	np_results_init(results);
	results->runs = runs;
	for (unsigned unit = 0; unit < 6; unit++) {
		for (size_t i = 0; i < SIZES; i++) {
			const size_t length = (size_t)64 << i;
			const double noise[3] = {
				1 + 1e-4 * (double)np_random_below(&random, 100),
				1 + 1e-4 * (double)np_random_below(&random, 100),
				1 + 1e-4 * (double)np_random_below(&random, 100),
			};
			const double base = 1000 * (double)(i + 1) * (1 + 0.1 * unit);
			struct np_visit *visits[3] = {
				add(results, length, NP_MODE_REUSE, unit,
				    (uint64_t)(base * noise[0])),
				add(results, length, NP_MODE_CONTROL, unit,
				    (uint64_t)(base * noise[1] * (i == 10 ? 1.3 : 1))),
				add(results, length, NP_MODE_ROTATE, unit,
				    (uint64_t)(base * noise[2] * planted(i))),
			};

			for (size_t k = 0; k < 3 && runs > 1; k++)
				visits[k]->run_index = unit;
		}
	}
}

/* The table and the findings, as one string that the caller frees. */
static char *print_all(const struct np_results *results)
{
	struct np_table table;
	char *text = NULL;
	size_t size = 0;
	const struct np_plan plan = { .passes = 5 };
	const struct np_run_header header = { .plan = &plan };
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	derive(results, &table);
	const struct np_findings found = np_findings_derive(results, &table);
	np_text_table(file, results, &table, false);
	np_text_summary(file, results, &header, &table, &found, true);
	np_text_quality(file, results, &header, &table, &found, true);
	assert_int_equal(fclose(file), 0);
	np_table_free(&table);
	return text;
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		count++;
	return count;
}

/* Every line. */
static void check_width(const char *text)
{
	while (*text != '\0') {
		const size_t length = strcspn(text, "\n");

		assert_true(length <= WIDTH);
		text += length + (text[length] == '\n');
	}
}

static void check_text(void **state)
{
	struct np_results results;

	(void)state;
	plant(&results, 1);
	results.precision = 0.03;
	char *text = print_all(&results);
	check_width(text);
	/* A header and a line for each size; the control has no table. */
	assert_int_equal(count_of(text, " slower   "), 4);
	assert_int_equal(count_of(text, " same     "), 7);
	/* Of one that is unclear, no word. */
	assert_null(strstr(text, "unclear"));
	assert_int_equal(count_of(text, "\n     size   warm us   cold us  ratio"), 1);
	/* The count is that of the ranges below it, ascending. */
	assert_non_null(strstr(text, "  cold buffers  slower at 4 of 12 sizes; 4 by "));
	const char *held = strstr(text, " 256 B to 1 KiB (3 sizes): from 52."),
		   *high = strstr(text, " 16 KiB: 2.0");
	assert_true(held != NULL && high != NULL && held < high);
	assert_non_null(strstr(text, " detection limit at the other sizes: "));
	assert_non_null(strstr(text, "  control       reuse against reuse "));
	assert_non_null(strstr(text, "; differs from 1"));
	assert_non_null(strstr(text, "intervals are widened"));
	assert_non_null(strstr(text, "--why 16K "));
	assert_null(strstr(text, "by run"));
	/* Passes differ by half, ratios do not. */
	assert_non_null(strstr(text, "  quality       good: 12 of 12 ratios within +-3 %"));
	free(text);
	np_results_free(&results);
}

static void check_percent(void **state)
{
	static const struct {
		double share;
		const char *text;
	} cases[] = {
		{ 0.001, "0.1 %" }, { 0.0432, "4.3 %" }, { 0.994, "99 %" },
		{ 0.996, "100 %" }, { 5.87, "587 %" },
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		np_text_percent(cases[i].share, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
	np_text_detection(2461316.38, text, sizeof(text));
	assert_string_equal(text, "above 10x");
	np_text_detection(5.99, text, sizeof(text));
	assert_string_equal(text, "599 %");
}

static void check_runs(void **state)
{
	struct np_results results;

	(void)state;
	plant(&results, 6);
	char *text = print_all(&results);
	const char *ratios = strstr(text, "by run at 16 KiB:");
	size_t count = 0;

	assert_non_null(ratios);
	ratios += strlen("by run at 16 KiB:");
	for (;;) {
		char *end;
		const double ratio = strtod(ratios, &end);

		if (end == ratios)
			break;
		assert_true(fabs(ratio - 2) < 0.05);
		ratios = end;
		count++;
	}
	assert_int_equal(count, 6);
	free(text);
	np_results_free(&results);
}

/* What is slower only together does not say that it is slower at none. */
static void check_together(void **state)
{
	static const struct np_pair_range range = { .smallest = 1,
						    .largest = 8 << 20,
						    .sizes = 46,
						    .ratio = 1.102,
						    .low = 1.018,
						    .high = 1.193,
						    .verdict = NP_SLOWER };
	const struct np_findings findings = {
		.cost_count = 1,
		.costs[0] = { .like = { .mode = NP_MODE_ROTATE },
			      .pairs = 46,
			      .verdicts[NP_UNCLEAR] = 46,
			      .ranges = &range,
			      .range_count = 1,
			      .resolution = (double)NAN,
			      .control_ratio = (double)NAN },
	};
	struct np_results results;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	np_results_init(&results);
	assert_non_null(file);
	np_text_costs(file, &results, &(const struct np_table){ .pairs = NULL }, &findings,
		      false);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(
		text, "  cold buffers  slower at 46 of 46 sizes; 0 by themselves (FDR "
		      "1 %)\n"
		      "                1 B to 8 MiB (46 sizes): 10.2 % slower "
		      "[1.8, 19.3]\n");
	free(text);
	np_results_free(&results);
}

/* Too few passes, and another mode: both are said by name. */
static void check_few(void **state)
{
	struct np_results results;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 5; pass++) {
		add(&results, 64, NP_MODE_REUSE, pass, 1000);
		add(&results, 64, NP_MODE_ROTATE, pass, 2000);
		add(&results, 64, NP_MODE_FRESH, pass, 4000);
	}
	char *text = print_all(&results);
	assert_int_equal(count_of(text, "  ratio  95 %"), 3);
	assert_non_null(
		strstr(text, "  cold buffers  too few passes or runs to judge any size"));
	assert_non_null(strstr(text, " fresh/reuse: too few passes or runs"));
	assert_non_null(strstr(text, " fresh/rotate: too few passes or runs"));
	assert_non_null(strstr(text, "  next          --passes 6 (intervals)"));
	free(text);
	np_results_free(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_text),	  cmocka_unit_test(check_percent),
		cmocka_unit_test(check_runs),	  cmocka_unit_test(check_few),
		cmocka_unit_test(check_together),
	};

	return cmocka_run_group_tests_name("costs", tests, NULL, NULL);
}
