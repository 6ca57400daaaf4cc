/*
 * test_variants.c - ways that one run compares: rows of each, and what each
 * costs over the first, from visits whose ratios are known.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "output/output.h"
#include "results/pairs.h"
#include "visits.h"

enum { PASSES = 6 };

static const struct np_request request = { .variants = { "poll", "event", "local_poll" },
					   .variant_count = 3 };

/* Times of a message: event takes 3 times as long as poll and 4 times at 4096
 * bytes, local_poll half as long; rotation adds a half, whatever the variant. */
static uint64_t time_of(size_t length, enum np_mode mode, size_t variant)
{
	const uint64_t factor = variant == 0   ? 2 :
				variant == 2   ? 1 :
				length == 4096 ? 8 :
						 6;

	return factor * 500 * (mode == NP_MODE_ROTATE ? 3 : 2);
}

static void plant(struct np_results *results)
{
	static const size_t lengths[] = { 4096, 64, 512 };

	np_results_init(results);
	np_results_compare(results, &request);
	for (unsigned pass = 0; pass < PASSES; pass++) {
		for (size_t i = 0; i < 3 * 3 * 2; i++) {
			const enum np_mode mode =
				i % 2 == 0 ? NP_MODE_ROTATE : NP_MODE_REUSE;
			const size_t variant = 2 - i / 2 % 3, length = lengths[i / 6];

			/* All ways slow down alike from pass to pass. */
			add(results, length, mode, pass,
			    time_of(length, mode, variant) * (pass + 1))
				->variant = variant;
		}
	}
}

static void check_rows(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	plant(&results);
	derive(&results, &table);
	assert_int_equal(table.row_count, 18);
	for (size_t i = 0; i < table.row_count; i++) {
		const struct np_row *row = &table.rows[i];

		assert_int_equal(row->length, i < 6 ? 64 : i < 12 ? 512 : 4096);
		assert_int_equal(row->variant, i / 2 % 3);
		assert_int_equal(row->mode, i % 2 == 0 ? NP_MODE_REUSE : NP_MODE_ROTATE);
		assert_int_equal(row->units, PASSES);
		assert_true(
			near(row->median_s, 3.5e-9 * (double)time_of(row->length, row->mode,
								     row->variant)));
		assert_ptr_equal(
			np_table_find(&table, row->length, row->mode, row->variant), row);
	}
	assert_null(np_table_find(&table, 64, NP_MODE_REUSE, 3));
	np_table_free(&table);
	np_results_free(&results);
}

static double planted_ratio(const struct np_pair *pair)
{
	return (double)time_of(pair->length, pair->mode, pair->variant) /
	       (double)time_of(pair->length, pair->base_mode, pair->base_variant);
}

static void check_pairs(void **state)
{
	size_t rotations = 0, comparisons = 0;
	struct np_results results;
	struct np_table table;
	char name[2 * NP_WORD];

	(void)state;
	plant(&results);
	derive(&results, &table);
	/* At each size: three of rotation, and two variants in two modes. */
	assert_int_equal(table.pair_count, 3 * (3 + 4));
	for (size_t i = 0; i < table.pair_count; i++) {
		const struct np_pair *pair = &table.pairs[i];

		np_pair_name(&results, pair, name, sizeof(name));
		if (np_pair_is_rotation(pair)) {
			assert_int_equal(pair->variant, pair->base_variant);
			assert_string_equal(name, "rotate/reuse");
			rotations++;
		} else {
			assert_int_equal(pair->base_variant, 0);
			assert_string_equal(name, pair->variant == 1 ? "event/poll" :
								       "local_poll/poll");
			comparisons++;
		}
		/* The slowing down is common to all and falls out. */
		assert_true(near(pair->ratio, planted_ratio(pair)));
		assert_true(near(pair->low, pair->ratio) && near(pair->high, pair->ratio));
		assert_int_equal(pair->units, PASSES);
		assert_true(i == 0 || table.pairs[i - 1].length <= pair->length);
	}
	assert_int_equal(rotations, 9);
	assert_int_equal(comparisons, 12);
	np_table_free(&table);
	np_results_free(&results);
}

/* A variant whose visit has no partner makes a row and no ratio. */
static void check_without_partner(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	np_results_init(&results);
	np_results_compare(&results, &request);
	add(&results, 64, NP_MODE_REUSE, 0, 1000);
	add(&results, 64, NP_MODE_REUSE, 1, 3000)->variant = 1;
	add(&results, 64, NP_MODE_ROTATE, 1, 9000);
	derive(&results, &table);
	assert_int_equal(table.row_count, 3);
	assert_int_equal(table.pair_count, 0);
	np_table_free(&table);
	np_results_free(&results);
}

static void check_findings(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	plant(&results);
	derive(&results, &table);
	const struct np_findings found = np_findings_derive(&results, &table);

	/* Rotation and variants are not counted together. */
	assert_int_equal(found.pairs, 9);
	assert_int_equal(found.pairs_above, 9);
	assert_true(near(found.costs[0].slow_ranges[0].worst->ratio, 1.5));
	assert_int_equal(found.latency->variant, 0);
	assert_int_equal(found.comparison_count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct np_comparison *it = &found.comparisons[i];
		const bool event = it->like.variant == 1;

		assert_true(near(it->ratio, event ? 3 : 0.5));
		assert_true(near(it->least, event ? 3 : 0.5));
		assert_true(near(it->most, event ? 4 : 0.5));
		assert_int_equal(it->pairs, 3);
		assert_int_equal(it->above, event ? 3 : 0);
		assert_int_equal(it->below, event ? 0 : 3);
		assert_int_equal(it->smallest, 64);
		assert_int_equal(it->largest, 4096);
	}
	np_table_free(&table);
	np_results_free(&results);
}

/* What is printed, as one string that the caller frees. */
static char *print_all(const struct np_results *results)
{
	struct np_table table;
	char *text = NULL;
	size_t size = 0;
	const struct np_plan plan = { .passes = 1 };
	const struct np_run_header header = { .plan = &plan };
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	derive(results, &table);
	const struct np_findings found = np_findings_derive(results, &table);
	np_text_table(file, results, &table, false);
	np_text_summary(file, results, &header, &table, &found, false);
	assert_int_equal(fclose(file), 0);
	np_table_free(&table);
	return text;
}

static void check_text(void **state)
{
	struct np_results results;

	(void)state;
	plant(&results);
	char *text = print_all(&results);
	assert_non_null(strstr(text, "  event over poll, one warm buffer\n"));
	assert_non_null(strstr(text, "  4.00x  4.000 - 4.000   slower "));
	assert_non_null(strstr(text, "  local_poll over poll, cold buffers\n"));
	assert_non_null(strstr(text, " 0.500x  0.5000 - 0.5000 faster "));
	assert_non_null(strstr(text,
			       "  variants      event over poll: 3.000x at the median size "
			       "(3.000x to 4.000x),"));
	free(text);
	np_results_free(&results);
	/* Where nothing is compared nothing is said of it. */
	np_results_init(&results);
	add(&results, 64, NP_MODE_REUSE, 0, 1000);
	text = print_all(&results);
	assert_null(strstr(text, "variants"));
	assert_null(strstr(text, " over "));
	free(text);
	np_results_free(&results);
}

/* A single variant is no comparison. */
static void check_names(void **state)
{
	const struct np_request one = { .variants = { "poll" }, .variant_count = 1 };
	struct np_results results;

	(void)state;
	np_results_init(&results);
	np_results_compare(&results, &one);
	assert_null(np_variant_name(&results, 0));
	np_results_compare(&results, &request);
	assert_string_equal(np_variant_name(&results, 2), "local_poll");
	assert_null(np_variant_name(&results, 3));
	np_results_free(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_rows),	  cmocka_unit_test(check_pairs),
		cmocka_unit_test(check_findings), cmocka_unit_test(check_without_partner),
		cmocka_unit_test(check_text),	  cmocka_unit_test(check_names),
	};

	return cmocka_run_group_tests_name("variants", tests, NULL, NULL);
}
