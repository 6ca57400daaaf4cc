/*
 * test_changes.c - which counts are named beside a difference in time: t by hand,
 * planted changes, and how often chance is believed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "noisy_units.h"
#include "output/output.h"
#include "stats/mode_test.h"
#include "visits.h"

enum { UNITS = 6 };

static bool about(double value, double expected)
{
	return fabs(value - expected) <= 1e-4 * fabs(expected);
}

/* Rates that differ by 1, 2, 3, 4, 5 and 6 from 10: mean 3.5, standard error of
 * sqrt(3.5 / 6), t = 4.5826 with 5 degrees of freedom. */
static void takes_students_t(void **state)
{
	const double messages = 1e9;
	struct np_change_unit units[UNITS];
	struct np_change change = { .name = "events" };

	(void)state;
	for (size_t i = 0; i < UNITS; i++)
		units[i] =
			(struct np_change_unit){ 10 * messages, (11 + (double)i) * messages,
						 messages, messages };
	np_change_test(units, UNITS, &change);
	assert_true(about(change.base, 10));
	assert_true(about(change.over, 13.5));
	assert_true(about(change.p, 0.00593354));
	assert_true(change.clear);
}

/* One event in each unit of one side and none on the other: of events that come by
 * themselves, a sum of 6 against 0, which is sqrt(6) of its standard deviations. */
static void makes_nothing_of_a_few(void **state)
{
	struct np_change_unit units[UNITS];
	struct np_change change = { .name = "events" };

	(void)state;
	for (size_t i = 0; i < UNITS; i++)
		units[i] = (struct np_change_unit){ 0, 1, 500, 500 };
	np_change_test(units, UNITS, &change);
	assert_true(about(change.p, 0.0579728));
	for (size_t i = 0; i < UNITS; i++)
		units[i].over = 500;
	np_change_test(units, UNITS, &change);
	assert_true(change.p < 1e-6);
	assert_true(near(change.over, 1));
}

static void needs_agreement(void **state)
{
	struct np_change_unit units[UNITS];
	struct np_change change = { .name = "events" };

	(void)state;
	/* Large in one unit alone: not clear, whatever t says. */
	for (size_t i = 0; i < UNITS; i++)
		units[i] = (struct np_change_unit){ 1000, i == 3 ? 90000 : 1000, 1e4, 1e4 };
	np_change_test(units, UNITS, &change);
	assert_false(change.clear);
	/* Sure, but of a twentieth. */
	for (size_t i = 0; i < UNITS; i++)
		units[i] = (struct np_change_unit){ 1e6, 1.05e6, 1e6, 1e6 };
	np_change_test(units, UNITS, &change);
	assert_true(change.p < 0.001);
	assert_false(change.clear);
	/* Sure, but in one of ten thousand messages. */
	for (size_t i = 0; i < UNITS; i++)
		units[i] = (struct np_change_unit){ 0, 1e4, 1e8, 1e8 };
	np_change_test(units, UNITS, &change);
	assert_true(change.p < 0.001);
	assert_false(change.clear);
	/* Never at all, or too seldom asked. */
	for (size_t i = 0; i < UNITS; i++)
		units[i] = (struct np_change_unit){ 0, 0, 100, 100 };
	np_change_test(units, UNITS, &change);
	assert_true(isnan(change.p));
	assert_false(change.clear);
	units[0].over = 100;
	np_change_test(units, 1, &change);
	assert_true(isnan(change.p));
	np_change_test(units, 0, &change);
	assert_true(isnan(change.p));
	assert_false(change.clear);
}

/* Counts as a machine has them: few, more in some passes than in others, now and then
 * a burst.  Of runs where nothing differs, hardly any may name one. */
static void names_no_noise(void **state)
{
	enum { RUNS = 1000, TESTS = 60 };
	struct np_random random = { 91 };
	size_t named = 0;

	(void)state;
	for (size_t run = 0; run < RUNS; run++) {
		struct np_change changes[TESTS];
		bool any = false;

		for (size_t i = 0; i < TESTS; i++) {
			struct np_change_unit units[UNITS];
			const double usual = exp(3 * noise_normal(&random));

			for (size_t k = 0; k < UNITS; k++) {
				const double pass =
					usual * exp(0.5 * noise_normal(&random));

				units[k] = (struct np_change_unit){
					floor(pass * exp(0.7 * noise_normal(&random))),
					floor(pass * exp(0.7 * noise_normal(&random))),
					1000, 1000
				};
			}
			changes[i] = (struct np_change){ .name = "events" };
			np_change_test(units, UNITS, &changes[i]);
		}
		assert_int_equal(np_changes_judge(changes, TESTS, NP_MODE_TEST_Q), 0);
		for (size_t i = 0; i < TESTS; i++)
			any |= changes[i].sure;
		named += any;
	}
	assert_true(named <= RUNS / 100);
}

enum { SIZES = 10, SLOW = 6, FAST = 2 };

/* Rotation takes half as long again at one size and a third less at another; there a
 * page is faulted in with each second message, or twice as many switches are counted.
 * Elsewhere the counts differ as much, and the times do not. */
static void plant(struct np_results *results)
{
	struct np_random random = { 57 };

	np_results_init(results);
	for (unsigned unit = 0; unit < 8; unit++) {
		for (size_t i = 0; i < SIZES; i++) {
			const double base = 1e5 + (double)np_random_below(&random, 1000);
			const double factor = i == SLOW ? 1.5 : i == FAST ? 0.66 : 1;
			const size_t length = (size_t)64 << i;
			struct np_measured *reuse =
				make(results, length, NP_MODE_REUSE, unit, (uint64_t)base);
			struct np_measured *rotate = make(results, length, NP_MODE_ROTATE,
							  unit, (uint64_t)(base * factor));
			/* A round trip is two of them. */
			const uint64_t messages = 2 * MESSAGES * BLOCKS * SAMPLES;

			np_counts_add(&reuse->counts, "page_faults", 0);
			np_counts_add(&rotate->counts, "page_faults",
				      i == FAST ? 0 : messages / 2);
			np_counts_add(&reuse->counts, "voluntary_switches", messages / 4);
			np_counts_add(&rotate->counts, "voluntary_switches",
				      i == FAST ? messages / 2 : messages / 4);
			np_counts_add(&reuse->counts, "involuntary_switches",
				      np_random_below(&random, 3));
			np_counts_add(&rotate->counts, "involuntary_switches",
				      np_random_below(&random, 3));
			np_counts_add(&reuse->counts, "rank_least_ns", 100 * messages);
			np_counts_add(&rotate->counts, "rank_least_ns",
				      (uint64_t)(100 * factor * (double)messages));
			add_made(results, reuse);
			add_made(results, rotate);
		}
	}
}

static void names_what_is_planted(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	plant(&results);
	derive(&results, &table);
	assert_int_equal(table.pair_count, SIZES);
	for (size_t i = 0; i < SIZES; i++) {
		const struct np_pair *pair = &table.pairs[i];

		assert_int_equal(pair->change_count, i == SLOW || i == FAST ? 1 : 0);
	}
	const struct np_change *slow = table.pairs[SLOW].changes,
			       *fast = table.pairs[FAST].changes;
	assert_string_equal(slow->name, "page_faults");
	assert_true(near(slow->base + 1, 1) && near(slow->over, 0.5));
	assert_true(slow->adjusted >= slow->p && slow->adjusted <= NP_MODE_TEST_Q);
	assert_string_equal(fast->name, "voluntary_switches");
	assert_true(near(fast->base, 0.25) && near(fast->over, 0.5));
	np_table_free(&table);
	np_results_free(&results);
}

static void says_so(void **state)
{
	struct np_results results;
	struct np_table table;
	char *text = NULL;
	size_t size = 0;
	const struct np_plan plan = { .passes = 6 };
	const struct np_run_header header = { .plan = &plan };
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	plant(&results);
	derive(&results, &table);
	const struct np_findings found = np_findings_derive(&results, &table);
	np_text_summary(file, &results, &header, &table, &found, true);
	assert_int_equal(fclose(file), 0);
	assert_non_null(
		strstr(text, " counted at 4 KiB: page faults 0.00 -> 0.50 per message\n"));
	assert_non_null(strstr(text,
			       " counted at 256 B: voluntary switches 0.25 -> 0.50 per "
			       "message\n"));
	assert_null(strstr(text, "involuntary"));
	free(text);
	np_table_free(&table);
	np_results_free(&results);
}

/* A pass that lacks one side, or the count, is no unit. */
static void leaves_gaps_out(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	plant(&results);
	for (size_t i = 0; i < results.count; i++) {
		struct np_visit *visit = results.visits[i];

		if (visit->length == (size_t)64 << SLOW && visit->pass == 2)
			visit->count_count = 0;
		if (visit->length == (size_t)64 << SLOW && visit->pass == 3 &&
		    visit->mode == NP_MODE_REUSE)
			visit->superseded = true;
	}
	derive(&results, &table);
	assert_int_equal(table.pairs[SLOW].change_count, 1);
	assert_true(near(table.pairs[SLOW].changes->over, 0.5));
	np_table_free(&table);
	np_results_free(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_students_t),
		cmocka_unit_test(makes_nothing_of_a_few),
		cmocka_unit_test(needs_agreement),
		cmocka_unit_test(names_no_noise),
		cmocka_unit_test(names_what_is_planted),
		cmocka_unit_test(says_so),
		cmocka_unit_test(leaves_gaps_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
