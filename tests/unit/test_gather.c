/*
 * test_gather.c - what NPreport derives from the visits of a file is what the run
 * would have written itself: rows and pairs, with several modes and variants, and
 * with visits that were superseded or made in another state of the machine.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "base/random.h"
#include "in_memory.h"
#include "results/pairs.h"

enum { SIZES = 5, PASSES = 8, BLOCKS = 3, SAMPLES = 8 };

static const char header[] =
	"{\"kind\":\"header\",\"format\":2,\"op\":\"pingpong\",\"program\":\"NPtest\","
	"\"transmitter\":{},\"variants\":[\"poll\",\"event\"],"
	"\"options\":{\"per-message\":\"yes\"}}\n";

/* As with -I: the second reuse is compared with the first, like rotate. */
enum { MODES = 3 };
static const enum np_mode modes[MODES] = { NP_MODE_REUSE, NP_MODE_ROTATE, NP_MODE_CONTROL };

/* Visits that are in no curve over sizes, which only the file has. */
static void add_others(const struct np_results *results, FILE *file)
{
	struct np_measured *measured = np_measured_new(1, 0, 1);
	struct np_error error = { .code = 0 };

	assert_non_null(measured);
	measured->visit = (struct np_visit){ .messages = 1, .length = 1, .refine = true };
	measured->samples_ns[0] = 1;
	assert_int_equal(np_json_visit(file, results, measured, &error), 0);
	measured->visit.refine = false;
	measured->visit.axis = NP_AXIS_PAGES;
	measured->visit.buffers = 3;
	assert_int_equal(np_json_visit(file, results, measured, &error), 0);
	np_measured_free(measured);
}

/* From this seed on rotation takes twice as long at two sizes, and faults pages in. */
enum { PLANTED = 100 };

static bool is_slow(uint64_t seed, size_t length, unsigned which)
{
	return seed >= PLANTED && (length == 2 || length == 5) &&
	       modes[which % MODES] == NP_MODE_ROTATE;
}

static void add_visit(struct np_results *results, FILE *file, struct np_random *random,
		      unsigned run_index, unsigned pass, size_t length, unsigned which,
		      bool slow)
{
	struct np_measured *measured = np_measured_new(BLOCKS, 1, SAMPLES);
	struct np_error error = { .code = 0 };

	assert_non_null(measured);
	measured->visit = (struct np_visit){ .run_index = run_index,
					     .pass = pass,
					     .serial = pass * SIZES + length,
					     .length = length,
					     .mode = modes[which % MODES],
					     .variant = which / MODES,
					     .messages = 7 };
	/* A state that few visits are made in, and some that were not probed. */
	measured->visit.core_latency_ns = (double[]){ 27, 0, 27, 28 }[pass % 4];
	if (length == 1 && pass == 2)
		measured->visit.core_latency_ns = 200;
	for (size_t i = 0; i < BLOCKS * SAMPLES; i++)
		measured->samples_ns[i] =
			(slow ? 2 : 1) * (100000 + np_random_below(random, 30000));
	np_counts_add(&measured->counts, "page_faults",
		      slow		       ? 300 + np_random_below(random, 9) :
		      length == 3 && pass == 2 ? 1 :
						 0);
	np_counts_add(&measured->counts, "voluntary_switches", np_random_below(random, 20));
	np_counts_add(&measured->counts, "rank_least_ns", slow ? 2000 : 1000);
	assert_int_equal(np_json_visit(file, results, measured, &error), 0);
	assert_non_null(np_results_add(results, measured));
	np_measured_free(measured);
}

/* A run of two modes and two variants; the caller frees text. */
static void make_run(struct np_results *results, unsigned runs, uint64_t seed, char **text)
{
	struct np_random random = { seed };
	struct np_error error = { .code = 0 };
	size_t size = 0;
	FILE *file = open_memstream(text, &size);

	assert_non_null(file);
	np_results_init(results);
	results->runs = runs;
	results->variants[0] = "poll";
	results->variants[1] = "event";
	results->variant_count = 2;
	results->per_message = true;
	for (unsigned run_index = 0; run_index < runs; run_index++) {
		fputs(header, file);
		for (unsigned pass = 0; pass < PASSES; pass++) {
			for (size_t length = 1; length <= SIZES; length++) {
				for (unsigned which = 0; which < 2 * MODES; which++)
					add_visit(results, file, &random, run_index, pass,
						  length, which,
						  is_slow(seed, length, which));
			}
		}
		add_others(results, file);
		assert_int_equal(np_json_superseded(file, run_index, SIZES + 2, &error), 0);
		np_results_supersede(results, run_index, SIZES + 2);
	}
	assert_int_equal(fclose(file), 0);
}

/* To the last bit, or both not known. */
static void assert_same(double a, double b)
{
	if (!(isnan(a) && isnan(b)) && !(a <= b && a >= b))
		fail_msg("%.17g is not %.17g", a, b);
}

static void compare_row(const struct np_results *results, const struct np_run *run,
			const struct np_row *row)
{
	const struct np_row *point = NULL;
	for (size_t i = 0; i < run->series_count; i++) {
		const struct np_series *series = &run->series[i];

		if (strcmp(series->mode, np_mode_name(row->mode)) == 0 &&
		    strcmp(series->variant, np_variant_name(results, row->variant)) == 0)
			point = np_series_find(series, row->length);
	}
	if (point == NULL) {
		fail_msg("no point of %zu bytes", row->length);
		return;
	}
	assert_same(point->median_s, row->median_s);
	assert_same(point->ci_low_s, row->ci_low_s);
	assert_same(point->ci_high_s, row->ci_high_s);
	assert_same(point->min_s, row->min_s);
	assert_same(point->mean_s, row->mean_s);
	assert_same(point->p50_s, row->p50_s);
	assert_same(point->p90_s, row->p90_s);
	assert_same(point->p99_s, row->p99_s);
	assert_same(point->p999_s, row->p999_s);
	assert_same(point->mbps, row->mbps);
	assert_int_equal(point->samples, row->samples);
	assert_int_equal(point->units, row->units);
	assert_int_equal(point->flags, row->flags);
}

static void compare_pair(const struct np_results *results, const struct np_run *run,
			 const struct np_pair *pair)
{
	const struct np_pair *ratio = NULL;
	char name[2 * NP_WORD];

	np_pair_name(results, pair, name, sizeof(name));
	const char *within = np_pair_is_of_modes(pair) ?
				     np_variant_name(results, pair->variant) :
				     np_mode_name(pair->mode);
	for (size_t i = 0; i < run->ratios_count; i++) {
		const struct np_ratio_list *list = &run->ratios[i];

		for (size_t k = 0; k < list->count; k++) {
			if (list->ratios[k].length == pair->length &&
			    strcmp(list->of, name) == 0 &&
			    strcmp(list->within, within) == 0)
				ratio = &list->ratios[k];
		}
	}
	if (ratio == NULL) {
		fail_msg("no ratio %s of %zu bytes", name, pair->length);
		return;
	}
	assert_same(ratio->ratio, pair->ratio);
	assert_same(ratio->low, pair->low);
	assert_same(ratio->high, pair->high);
	assert_same(ratio->control_ratio, pair->control_ratio);
	assert_same(ratio->control_low, pair->control_low);
	assert_same(ratio->control_high, pair->control_high);
	assert_same(ratio->adjusted_p, pair->adjusted_p);
	assert_same(ratio->resolution, pair->resolution);
	assert_int_equal(ratio->verdict, pair->verdict);
	assert_true(pair->control_ratio > 0);
	assert_int_equal(ratio->units, pair->units);
	assert_int_equal(ratio->change_count, pair->change_count);
	for (size_t i = 0; i < pair->change_count; i++) {
		const struct np_change *change = &ratio->changes[i],
				       *like = &pair->changes[i];

		assert_string_equal(change->name, like->name);
		assert_same(change->base, like->base);
		assert_same(change->over, like->over);
		assert_same(change->p, like->p);
		assert_same(change->adjusted, like->adjusted);
	}
}

/* Two sizes in two variants have one each. */
static void count_changes(const struct np_table *table, uint64_t seed)
{
	size_t changes = 0;

	for (size_t i = 0; i < table->pair_count; i++) {
		for (size_t k = 0; k < table->pairs[i].change_count; k++)
			assert_string_equal(table->pairs[i].changes[k].name, "page_faults");
		changes += table->pairs[i].change_count;
	}
	assert_int_equal(changes, seed >= PLANTED ? 4 : 0);
}

static void check_derived(unsigned runs, uint64_t seed)
{
	struct np_results results;
	struct np_table table;
	struct np_error error = { .code = 0 };
	struct np_run run;
	char *text = NULL;
	size_t points = 0, ratios = 0;

	make_run(&results, runs, seed, &text);
	np_mark_host_states(&results);
	assert_int_equal(np_table_derive(&results, &table), 0);
	if (read_memory("x", text, strlen(text), NULL, &run, &error) != 0)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < run.series_count; i++)
		points += run.series[i].count;
	for (size_t i = 0; i < run.ratios_count; i++)
		ratios += run.ratios[i].count;
	assert_int_equal(points, table.row_count);
	assert_int_equal(ratios, table.pair_count);
	assert_int_equal(points, 2 * MODES * SIZES);
	assert_int_equal(run.states.other,
			 np_findings_derive(&results, &table).states.other);
	assert_int_not_equal(run.states.other, 0);
	for (size_t i = 0; i < table.row_count; i++)
		compare_row(&results, &run, &table.rows[i]);
	for (size_t i = 0; i < table.pair_count; i++)
		compare_pair(&results, &run, &table.pairs[i]);
	count_changes(&table, seed);
	np_run_free(&run);
	np_table_free(&table);
	np_results_free(&results);
	free(text);
}

static void check_passes(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++)
		check_derived(1, seed);
}

static void check_runs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++)
		check_derived(7, seed);
}

static void check_changes(void **state)
{
	(void)state;
	for (uint64_t seed = PLANTED; seed < PLANTED + 4; seed++) {
		check_derived(1, seed);
		check_derived(7, seed);
	}
}

static const struct np_pair *find_ratio(const struct np_run *run, const char *of,
					const char *within, size_t length)
{
	for (size_t i = 0; i < run->ratios_count; i++) {
		const struct np_ratio_list *list = &run->ratios[i];

		for (size_t k = 0; k < list->count; k++) {
			if (strcmp(list->of, of) == 0 &&
			    strcmp(list->within, within) == 0 &&
			    list->ratios[k].length == length)
				return &list->ratios[k];
		}
	}
	return NULL;
}

/* A finished run from before there were verdicts keeps its ratios, and gets verdicts
 * from its visits; where it has some, they are its own. */
static void check_old_pairs(void **state)
{
	static const char lines[] =
		"{\"kind\":\"pair\",\"bytes\":1,\"op\":\"pingpong\",\"variant\":\"poll\","
		"\"of\":\"rotate/reuse\",\"ratio\":1.25,\"ratio_low\":1.125,"
		"\"ratio_high\":1.5,\"passes\":8}\n"
		"{\"kind\":\"pair\",\"bytes\":9,\"op\":\"pingpong\",\"variant\":\"poll\","
		"\"of\":\"fresh/reuse\",\"ratio\":3,\"passes\":8,"
		"\"verdict\":\"slower\",\"control_ratio\":1.0625,\"changes\":["
		"{\"count\":\"page_faults\",\"base\":0.0,\"over\":2.5,\"p\":1e-9,"
		"\"adjusted_p\":1e-8}]}\n"
		"{\"kind\":\"findings\",\"complete\":true}\n";
	struct np_results results;
	struct np_error error = { .code = 0 };
	struct np_run run;
	char *text = NULL, *whole = NULL;

	(void)state;
	make_run(&results, 1, 1, &text);
	assert_true(asprintf(&whole, "%s%s", text, lines) > 0);
	if (read_memory("x", whole, strlen(whole), NULL, &run, &error) != 0)
		fail_msg("%s", error.text);
	const struct np_pair *old = find_ratio(&run, "rotate/reuse", "poll", 1);
	const struct np_pair *own = find_ratio(&run, "fresh/reuse", "poll", 9);
	if (old == NULL || own == NULL) {
		fail_msg("a pair of the file is missing");
		return;
	}
	assert_same(old->ratio, 1.25);
	/* What the file says of 95 % is not what a verdict follows from. */
	assert_true(old->low != 1.125 && old->low <= old->alone_low);
	assert_true(old->control_low > 0 && old->adjusted_p > 0);
	assert_int_equal(old->verdict, NP_UNCLEAR);
	assert_int_equal(own->verdict, NP_SLOWER);
	assert_same(own->control_ratio, 1.0625);
	assert_int_equal(old->change_count, 0);
	assert_int_equal(own->change_count, 1);
	assert_string_equal(own->changes->name, "page_faults");
	assert_same(own->changes->over, 2.5);
	assert_null(find_ratio(&run, "null/reuse", "poll", 1));
	np_run_free(&run);
	np_results_free(&results);
	free(text);
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_old_pairs),
		cmocka_unit_test(check_passes),
		cmocka_unit_test(check_runs),
		cmocka_unit_test(check_changes),
	};

	return cmocka_run_group_tests_name("gather", tests, NULL, NULL);
}
