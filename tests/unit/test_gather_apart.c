/*
 * test_gather_apart.c - a run whose modes have runs of their own, killed before its
 * end: NPreport derives the ratios that the run would have written itself.
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

enum { SIZES = 3, PASSES = 4, SAMPLES = 5, MODES = 3, ROUNDS = 6 };

static const enum np_mode modes[MODES] = { NP_MODE_REUSE, NP_MODE_ROTATE, NP_MODE_CONTROL };

static const char header[] =
	"{\"kind\":\"header\",\"format\":2,\"op\":\"pingpong\",\"program\":\"NPtest\","
	"\"transmitter\":{},\"variants\":[],\"options\":{}}\n";

static void add_visit(struct np_results *results, FILE *file, struct np_random *random,
		      const struct np_visit *like)
{
	struct np_measured *measured = np_measured_new(1, 0, SAMPLES);
	struct np_error error = { .code = 0 };

	assert_non_null(measured);
	measured->visit = *like;
	/* As the driver counts them: modes apart have none in common. */
	measured->visit.serial =
		((uint64_t)like->mode << 32) + like->pass * SIZES + like->length;
	measured->visit.messages = 7;
	for (size_t i = 0; i < SAMPLES; i++)
		measured->samples_ns[i] = 100000 + np_random_below(random, 30000);
	assert_int_equal(np_json_visit(file, results, measured, &error), 0);
	assert_non_null(np_results_add(results, measured));
	np_measured_free(measured);
}

/* One run; a visit of it was made again. */
static void add_run(struct np_results *results, FILE *file, struct np_random *random,
		    unsigned round, enum np_mode mode)
{
	struct np_visit like = { .run_index = round, .mode = mode };
	struct np_error error = { .code = 0 };
	const uint64_t again = ((uint64_t)mode << 32) + SIZES + 2;

	fputs(header, file);
	for (like.pass = 0; like.pass < PASSES; like.pass++) {
		for (like.length = 1; like.length <= SIZES; like.length++)
			add_visit(results, file, random, &like);
	}
	if (round != 2 || mode != NP_MODE_ROTATE)
		return;
	assert_int_equal(np_json_superseded(file, round, again, &error), 0);
	np_results_supersede(results, round, again);
}

/* Killed in its last round, of which there is only the first mode. */
static void make_run(struct np_results *results, uint64_t seed, char **text)
{
	struct np_random random = { seed };
	size_t size = 0;
	FILE *file = open_memstream(text, &size);

	assert_non_null(file);
	np_results_init(results);
	results->runs = ROUNDS;
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned turn = 0; turn < MODES; turn++)
			add_run(results, file, &random, round,
				modes[round % 2 == 0 ? turn : MODES - 1 - turn]);
	}
	add_run(results, file, &random, ROUNDS, NP_MODE_REUSE);
	assert_int_equal(fclose(file), 0);
}

static void assert_same(double a, double b)
{
	if (!(isnan(a) && isnan(b)) && !(a <= b && a >= b))
		fail_msg("%.17g is not %.17g", a, b);
}

static void compare(const struct np_pair *ratio, const struct np_pair *pair)
{
	assert_int_equal(ratio->length, pair->length);
	assert_int_equal(ratio->units, ROUNDS);
	assert_int_equal(ratio->units, pair->units);
	assert_same(ratio->ratio, pair->ratio);
	assert_same(ratio->low, pair->low);
	assert_same(ratio->high, pair->high);
	assert_same(ratio->control_ratio, pair->control_ratio);
	assert_true(ratio->control_ratio > 0);
	assert_same(ratio->adjusted_p, pair->adjusted_p);
	assert_int_equal(ratio->verdict, pair->verdict);
}

static void check_apart(void **state)
{
	struct np_results results;
	struct np_table table;
	struct np_error error = { .code = 0 };
	struct np_run run;
	char *text = NULL;

	(void)state;
	make_run(&results, 1, &text);
	np_mark_host_states(&results);
	assert_int_equal(np_table_derive(&results, &table), 0);
	if (read_memory("x", text, strlen(text), NULL, &run, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(table.pair_count, SIZES);
	assert_int_equal(run.ratios_count, 1);
	assert_string_equal(run.ratios[0].of, "rotate/reuse");
	assert_int_equal(run.ratios[0].count, SIZES);
	for (size_t i = 0; i < SIZES; i++)
		compare(&run.ratios[0].ratios[i], &table.pairs[i]);
	np_run_free(&run);
	np_table_free(&table);
	np_results_free(&results);
	free(text);
}

/* Of one round, only one mode of which was measured, there is none. */
static void check_begun(void **state)
{
	struct np_results results;
	struct np_random random = { 3 };
	struct np_error error = { .code = 0 };
	struct np_run run;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	np_results_init(&results);
	results.runs = ROUNDS;
	add_run(&results, file, &random, 0, NP_MODE_REUSE);
	add_run(&results, file, &random, 1, NP_MODE_ROTATE);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(read_memory("x", text, strlen(text), NULL, &run, &error), 0);
	assert_int_equal(run.series_count, 2);
	assert_int_equal(run.ratios_count, 0);
	np_run_free(&run);
	np_results_free(&results);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_apart),
		cmocka_unit_test(check_begun),
	};

	return cmocka_run_group_tests_name("gather_apart", tests, NULL, NULL);
}
