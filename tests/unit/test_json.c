/*
 * test_json.c - a visit that was written is read back as it was; what is derived
 * from visits is well-formed, and not taken for one.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "base/random.h"
#include "tests/lib/schema.h"

static struct np_measured *make_visit(size_t blocks, size_t warmup, size_t samples,
				      struct np_random *random)
{
	struct np_measured *measured = np_measured_new(blocks, warmup, samples);

	struct np_visit *visit = &measured->visit;

	assert_non_null(measured);
	visit->run_index = (unsigned)(np_random_next(random) >> 33);
	visit->pass = (unsigned)(np_random_next(random) >> 33);
	visit->serial = np_random_next(random) >> 1;
	visit->length = (size_t)(np_random_next(random) >> 1);
	visit->mode = np_random_next(random) % 2 != 0 ? NP_MODE_ROTATE : NP_MODE_REUSE;
	visit->sentinel = np_random_next(random) % 2 != 0;
	visit->messages = 1 + (np_random_next(random) >> 2);
	visit->core_latency_ns = (double)(np_random_next(random) % 3) * 13.9;
	for (size_t i = 0; i < blocks * warmup; i++)
		measured->warmup_ns[i] = np_random_next(random) >> 1;
	for (size_t i = 0; i < blocks * samples; i++)
		measured->samples_ns[i] = np_random_next(random) >> 1;
	np_counts_add(&measured->counts, "page_faults", 0);
	np_counts_add(&measured->counts, "retransmits", np_random_next(random) >> 1);
	return measured;
}

/* The line of a visit; the caller frees it. */
static char *write_visit(const struct np_results *results, const struct np_measured *visit)
{
	struct np_error error = { 0 };
	char *line = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&line, &size);

	assert_non_null(file);
	assert_int_equal(np_json_visit(file, results, visit, &error), 0);
	assert_int_equal(fclose(file), 0);
	assert_ptr_equal(strchr(line, '\n'), line + size - 1);
	return line;
}

static void assert_same_labels(const struct np_visit *a, const struct np_visit *b)
{
	assert_int_equal(a->run_index, b->run_index);
	assert_int_equal(a->pass, b->pass);
	assert_int_equal(a->serial, b->serial);
	assert_int_equal(a->length, b->length);
	assert_int_equal(a->mode, b->mode);
	assert_int_equal(a->variant, b->variant);
	assert_int_equal(a->sentinel, b->sentinel);
	assert_int_equal(a->messages, b->messages);
	assert_true(fabs(a->core_latency_ns - b->core_latency_ns) < 1e-9);
}

static void assert_same(const struct np_measured *a, const struct np_measured *b)
{
	assert_same_labels(&a->visit, &b->visit);
	assert_string_equal(a->code_path, b->code_path);
	assert_int_equal(a->blocks, b->blocks);
	assert_int_equal(a->warmup_per_block, b->warmup_per_block);
	assert_int_equal(a->samples_per_block, b->samples_per_block);
	assert_memory_equal(a->warmup_ns, b->warmup_ns,
			    a->blocks * a->warmup_per_block * sizeof(uint64_t));
	assert_memory_equal(a->samples_ns, b->samples_ns,
			    a->blocks * a->samples_per_block * sizeof(uint64_t));
	assert_int_equal(a->counts.count, b->counts.count);
	for (size_t i = 0; i < a->counts.count; i++) {
		assert_string_equal(a->counts.list[i].name, b->counts.list[i].name);
		assert_int_equal(a->counts.list[i].value, b->counts.list[i].value);
	}
}

static const struct np_request compared = { .variants = { "poll", "event" },
					    .variant_count = 2 };

/* What is compared has to be what the reader compares. */
static void check_variants(void **state)
{
	struct np_random random = { 7 };
	struct np_results with, without;
	struct np_error error = { 0 };
	struct np_measured *read = NULL;

	(void)state;
	np_results_init(&with);
	np_results_init(&without);
	np_results_compare(&with, &compared);
	struct np_measured *visit = make_visit(1, 0, 1, &random);
	visit->visit.variant = 1;
	char *chosen = write_visit(&with, visit), *plain = write_visit(&without, visit);
	assert_non_null(strstr(chosen, "\"variant\":\"event\""));
	assert_non_null(strstr(plain, "\"variant\":null"));
	assert_int_equal(np_json_read_visit(chosen, &without, &read, &error), -EBADMSG);
	error = (struct np_error){ 0 };
	assert_int_equal(np_json_read_visit(plain, &with, &read, &error), -EBADMSG);
	with.variants[1] = "local_poll";
	error = (struct np_error){ 0 };
	assert_int_equal(np_json_read_visit(chosen, &with, &read, &error), -EBADMSG);
	assert_null(read);
	free(chosen);
	free(plain);
	np_measured_free(visit);
	np_results_free(&with);
	np_results_free(&without);
}

static void check_round_trip(void **state)
{
	struct np_random random = { 5 };
	struct np_results results;

	(void)state;
	np_results_init(&results);
	for (size_t i = 0; i < 200; i++) {
		if (i == 100)
			np_results_compare(&results, &compared);
		struct np_measured *visit =
			make_visit(1 + i % 4, i % 3, 1 + i % 7, &random);
		snprintf(visit->code_path, sizeof(visit->code_path), "%s",
			 i % 2 == 0 ? "mailbox, spinning" : "ring");
		visit->visit.variant = i < 100 ? 0 : i % 2;
		char *line = write_visit(&results, visit);
		struct np_measured *read = NULL;
		struct np_error error = { 0 };

		assert_int_equal(np_json_read_visit(line, &results, &read, &error), 1);
		assert_int_equal(error.code, 0);
		assert_same(visit, read);
		np_measured_free(visit);
		np_measured_free(read);
		free(line);
	}
	np_results_free(&results);
}

/* Names of counts outlive the line and the visits that follow. */
static void check_names_are_kept(void **state)
{
	struct np_random random = { 6 };
	struct np_results results;
	struct np_error error = { 0 };
	char name[32];

	(void)state;
	np_results_init(&results);
	for (unsigned i = 0; i < 40; i++) {
		struct np_measured *visit = make_visit(1, 0, 1, &random), *read = NULL;

		snprintf(name, sizeof(name), "counter_%u", i);
		np_counts_add(&visit->counts, name, i);
		char *line = write_visit(&results, visit);
		assert_int_equal(np_json_read_visit(line, &results, &read, &error), 1);
		assert_non_null(np_results_add(&results, read));
		np_measured_free(visit);
		np_measured_free(read);
		free(line);
	}
	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "counter_%u", i);
		const struct np_visit *visit = results.visits[i];

		assert_int_equal(visit->count_count, 3);
		assert_string_equal(results.count_names[visit->counts[2].name], name);
		assert_int_equal(visit->counts[2].value, i);
	}
	np_results_free(&results);
}

/* Rows, pairs and findings, as lines: split at '\n' and parsed. */
static json_t *next_line(char **at)
{
	char *end = strchr(*at, '\n');

	assert_non_null(end);
	*end = '\0';
	json_t *object = json_loads(*at, 0, NULL);
	char text[200];

	assert_non_null(object);
	if (!np_line_check(object, text, sizeof(text)))
		fail_msg("%s", text);
	struct np_error error = { 0 };
	struct np_measured *visit = NULL;
	struct np_results results;
	np_results_init(&results);
	assert_int_equal(np_json_read_visit(*at, &results, &visit, &error), 0);
	assert_null(visit);
	np_results_free(&results);
	*at = end + 1;
	return object;
}

static void assert_kind(const json_t *object, const char *kind)
{
	assert_string_equal(json_string_value(json_object_get(object, "kind")), kind);
}

static double real_of(const json_t *object, const char *name)
{
	assert_true(json_is_real(json_object_get(object, name)));
	return json_real_value(json_object_get(object, name));
}

static void check_pair_line(const json_t *object)
{
	const json_t *ratios = json_object_get(object, "unit_ratios");

	assert_true(json_is_null(json_object_get(object, "ratio_low")));
	assert_true(json_is_null(json_object_get(object, "control_low")));
	assert_true(json_is_null(json_object_get(object, "resolution")));
	assert_true(real_of(object, "control_ratio") == 1.125);
	assert_true(real_of(object, "p") == 0.25 && real_of(object, "adjusted_p") == 0.5);
	assert_string_equal(json_string_value(json_object_get(object, "verdict")),
			    "unclear");
	assert_true(json_is_true(json_object_get(object, "unstable")));
	assert_int_equal(json_array_size(ratios), 2);
	assert_true(json_real_value(json_array_get(ratios, 1)) == 1.75);
}

static int64_t whole_of(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static void check_costs_of(const json_t *object)
{
	const json_t *cost = json_array_get(json_object_get(object, "costs"), 0);
	const json_t *dropout = json_array_get(json_object_get(cost, "slow_ranges"), 0);

	assert_int_equal(json_array_size(json_object_get(object, "costs")), 1);
	assert_string_equal(json_string_value(json_object_get(cost, "of")), "rotate/reuse");
	assert_int_equal(whole_of(cost, "pairs"), 3);
	assert_int_equal(whole_of(cost, "slower"), 2);
	assert_int_equal(whole_of(cost, "faster"), 0);
	assert_int_equal(whole_of(cost, "unclear"), 1);
	assert_int_equal(whole_of(cost, "unstable"), 1);
	assert_true(real_of(cost, "resolution") == 0.03125);
	assert_int_equal(whole_of(dropout, "smallest_bytes"), 64);
	assert_int_equal(whole_of(dropout, "largest_bytes"), 67);
	assert_int_equal(whole_of(dropout, "sizes"), 2);
	assert_true(real_of(dropout, "worst_ratio") == 1.5);
}

static void check_table(void **state)
{
	struct np_row row = { .length = 64,
			      .code_path = "ring, spinning",
			      .median_s = 2e-6,
			      .ci_low_s = (double)NAN,
			      .ci_high_s = (double)NAN,
			      .p99_s = (double)NAN,
			      .units = 5,
			      .flags = NP_ROW_NO_INTERVAL };
	double unit_ratios[] = { 1.25, 1.75 };
	struct np_pair pair = { .length = 64,
				.mode = NP_MODE_ROTATE,
				.ratio = 1.5,
				.low = (double)NAN,
				.high = (double)NAN,
				.control_ratio = 1.125,
				.control_low = (double)NAN,
				.control_high = (double)NAN,
				.p = 0.25,
				.adjusted_p = 0.5,
				.resolution = (double)NAN,
				.unstable = true,
				.verdict = NP_UNCLEAR,
				.unit_ratios = unit_ratios,
				.units = 2 };
	const struct np_table table = {
		.rows = &row, .row_count = 1, .pairs = &pair, .pair_count = 1
	};
	const struct np_findings findings = {
		.latency = &row,
		.costs = { { .like = pair,
			     .pairs = 3,
			     .verdicts = { [NP_SLOWER] = 2, [NP_UNCLEAR] = 1 },
			     .unstable = 1,
			     .slow_ranges = { { 64, 67, 2, &pair } },
			     .slow_range_count = 1,
			     .resolution = 0.03125 } },
		.cost_count = 1,
	};
	struct np_error error = { 0 }, why = { 0 };
	struct np_results results;
	char *text = NULL;
	size_t size = 0;

	(void)state;
	np_results_init(&results);
	np_fail(&why, NP_ERROR_PEER, EPIPE, "the peer is \"gone\"");
	FILE *file = open_memstream(&text, &size);
	assert_int_equal(np_json_table(file, &results, &table, &findings, &why, &error), 0);
	assert_int_equal(np_json_checked(file, &results, 64, NP_MODE_REUSE, 0, 3, &error),
			 0);
	fclose(file);
	np_results_free(&results);

	char *at = text;
	json_t *object = next_line(&at);
	assert_kind(object, "row");
	assert_string_equal(json_string_value(json_object_get(object, "code_path")),
			    "ring, spinning");
	assert_true(json_is_null(json_object_get(object, "ci_low_s")));
	assert_true(json_is_null(json_object_get(object, "p99_s")));
	assert_true(fabs(json_real_value(json_object_get(object, "median_s")) - 2e-6) <
		    1e-15);
	assert_int_equal(json_integer_value(json_object_get(object, "passes")), 5);
	json_decref(object);
	object = next_line(&at);
	assert_kind(object, "pair");
	check_pair_line(object);
	json_decref(object);
	object = next_line(&at);
	assert_kind(object, "findings");
	assert_true(json_is_false(json_object_get(object, "complete")));
	assert_string_equal(json_string_value(json_object_get(object, "reason")),
			    "the peer is \"gone\"");
	assert_true(json_is_null(json_object_get(object, "peak_mbps")));
	check_costs_of(object);
	json_decref(object);
	object = next_line(&at);
	assert_kind(object, "checked");
	json_decref(object);
	assert_int_equal(*at, '\0');
	free(text);
}

/* A visit that was taken back: those of its serial and run, no others. */
static void check_superseded(void **state)
{
	struct np_random random = { 9 };
	struct np_error error = { 0 };
	struct np_measured *read = NULL;
	struct np_results results;
	char *line = NULL;
	size_t size = 0;

	(void)state;
	np_results_init(&results);
	for (unsigned i = 0; i < 8; i++) {
		struct np_measured *visit = make_visit(1, 0, 1, &random);

		visit->visit.run_index = i % 2;
		visit->visit.serial = i / 4;
		assert_non_null(np_results_add(&results, visit));
		np_measured_free(visit);
	}
	FILE *file = open_memstream(&line, &size);
	assert_int_equal(np_json_superseded(file, 1, 0, &error), 0);
	fclose(file);
	assert_int_equal(np_json_read_visit(line, &results, &read, &error), 0);
	assert_null(read);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(results.visits[i]->superseded, i == 1 || i == 3);
	free(line);
	np_results_free(&results);
}

static void check_full_disk(void **state)
{
	struct np_random random = { 8 };
	struct np_error error = { 0 };
	struct np_results results;
	FILE *file = fopen("/dev/full", "w");

	(void)state;
	if (file == NULL)
		skip();
	np_results_init(&results);
	struct np_measured *visit = make_visit(1, 1, 1, &random);
	assert_int_equal(np_json_visit(file, &results, visit, &error), -ENOSPC);
	assert_string_equal(error.text,
			    "cannot write the result file: No space left on device");
	np_measured_free(visit);
	np_results_free(&results);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_variants),	cmocka_unit_test(check_round_trip),
		cmocka_unit_test(check_names_are_kept), cmocka_unit_test(check_table),
		cmocka_unit_test(check_superseded),	cmocka_unit_test(check_full_disk),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
