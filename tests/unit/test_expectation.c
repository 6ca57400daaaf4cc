/*
 * test_expectation.c - outcomes of clauses, from visits: right in each unit, and never a
 * pass without data.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "questions/expectation.h"
#include "visits.h"

enum { PASSES = 6 };

/* A ping-pong: 64 bytes take 1 us reused and 1.5 us rotated; 1 MiB 100 us, or 83.9
 * Gbit/s. */
static void fill(struct np_results *results, unsigned passes)
{
	np_results_init(results);
	results->operation = NP_PINGPONG;
	results->runs = 1;
	for (unsigned pass = 0; pass < passes; pass++) {
		add_made(results, make(results, 64, NP_MODE_REUSE, pass, 1000));
		add_made(results, make(results, 64, NP_MODE_ROTATE, pass, 1500));
		add_made(results, make(results, 1 << 20, NP_MODE_REUSE, pass, 100000));
	}
}

static struct np_expectation judge(const struct np_results *results, const char *text)
{
	struct np_expectation expectation;
	struct np_error error = { .code = 0 };

	assert_int_equal(np_expectation_init(&expectation, text, &error), 0);
	assert_int_equal(np_expectation_judge(&expectation, results), 0);
	return expectation;
}

static void check_outcomes(void **state)
{
	static const struct {
		const char *text;
		enum np_outcome_of_clause outcome;
		double value;
	} cases[] = {
		{ "latency(64) <= 2us", NP_CLAUSE_PASS, 1e-6 },
		{ "latency(64) <= 900ns", NP_CLAUSE_FAIL, 1e-6 },
		{ "latency(64) >= 900ns", NP_CLAUSE_PASS, 1e-6 },
		{ "latency(64) >= 2us", NP_CLAUSE_FAIL, 1e-6 },
		{ "bandwidth(1M) >= 80G", NP_CLAUSE_PASS, 8.0 * (1 << 20) / 100e-6 },
		{ "bandwidth(1M) >= 90G", NP_CLAUSE_FAIL, 8.0 * (1 << 20) / 100e-6 },
		{ "bandwidth(1M) <= 90G", NP_CLAUSE_PASS, 8.0 * (1 << 20) / 100e-6 },
		{ "ratio(64) <= 1.6", NP_CLAUSE_PASS, 1.5 },
		{ "ratio(64) <= 1.4", NP_CLAUSE_FAIL, 1.5 },
		/* Not measured: the size, and the mode. */
		{ "latency(128) <= 2us", NP_CLAUSE_UNDECIDED, (double)NAN },
		{ "ratio(1M) <= 2", NP_CLAUSE_UNDECIDED, (double)NAN },
	};
	struct np_results results;

	(void)state;
	fill(&results, PASSES);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct np_expectation found = judge(&results, cases[i].text);

		assert_int_equal(found.found[0].outcome, cases[i].outcome);
		assert_int_equal(isnan(found.found[0].value), isnan(cases[i].value));
		if (!isnan(cases[i].value)) {
			assert_true(near(found.found[0].value, cases[i].value));
			assert_true(found.found[0].low <= found.found[0].high);
		}
	}
	np_results_free(&results);
}

static void check_closed(void **state)
{
	struct np_results results;
	struct np_error error = { .code = 0 };

	(void)state;
	fill(&results, 4);
	struct np_expectation found = judge(&results, "latency(64) <= 2us");
	assert_int_equal(found.found[0].outcome, NP_CLAUSE_UNDECIDED);
	assert_int_equal(np_expectation_outcome(&found, false), NP_CLAUSE_UNDECIDED);
	np_expectation_fail(&found, "more may", &error);
	assert_int_equal(error.kind, NP_ERROR_UNDECIDED);
	np_results_free(&results);

	fill(&results, PASSES);
	found = judge(&results, "latency(64) <= 2us, latency(128) <= 2us");
	assert_false(np_expectation_is_decided(&found));
	assert_true(np_expectation_decides(&found, 64));
	assert_false(np_expectation_decides(&found, 128));
	assert_int_equal(np_expectation_outcome(&found, false), NP_CLAUSE_UNDECIDED);
	/* One that fails is enough. */
	found = judge(&results, "latency(64) <= 500ns, latency(128) <= 2us");
	assert_int_equal(np_expectation_outcome(&found, false), NP_CLAUSE_FAIL);
	error.code = 0;
	np_expectation_fail(&found, "more may", &error);
	assert_int_equal(error.kind, NP_ERROR_VERDICT);
	/* A run that was cut off passes nothing. */
	found = judge(&results, "latency(64) <= 2us");
	assert_int_equal(np_expectation_outcome(&found, false), NP_CLAUSE_PASS);
	assert_int_equal(np_expectation_outcome(&found, true), NP_CLAUSE_UNDECIDED);
	/* Superseded visits are no data. */
	for (unsigned pass = 0; pass < PASSES; pass++)
		np_results_supersede(&results, 0, pass);
	found = judge(&results, "latency(64) <= 2us");
	assert_int_equal(found.found[0].units, 0);
	np_results_free(&results);
}

/* Visits in every host state count: half of them take twice as long. */
static void check_states(void **state)
{
	struct np_results results;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 2 * PASSES; pass++) {
		const bool other = pass < PASSES;
		struct np_visit *visit =
			add_made(&results, make(&results, 64, NP_MODE_REUSE, pass,
						other ? 2000 : 1000));

		visit->other_state = other;
	}
	const struct np_expectation found = judge(&results, "latency(64) <= 1.2us");
	assert_int_equal(found.found[0].outcome, NP_CLAUSE_FAIL);
	assert_true(found.found[0].units >= 5);
	np_results_free(&results);
}

static struct np_found_clause judge_values(const char *text, enum np_unit_of_clause unit,
					   bool fixed, const double *list, size_t count)
{
	const struct np_clause_values values = {
		.list = list, .count = count, .unit = unit, .fixed = fixed
	};
	struct np_expectation expectation;
	struct np_error error = { .code = 0 };

	assert_int_equal(np_expectation_init(&expectation, text, &error), 0);
	assert_int_equal(np_expectation_judge_values(&expectation, 0, &values), 0);
	return expectation.found[0];
}

/* Fewer than five figures decide outside the indifference zone, each of them, and claim
 * nothing; fewer than five passes or runs decide nothing. */
static void check_figures(void **state)
{
	static const char clause[] = "latency(8) <= 1us";
	static const double clear[] = { 0.9e-6, 0.97e-6 }, one_near[] = { 0.9e-6, 0.99e-6 },
			    beyond[] = { 1.03e-6 }, mixed[] = { 0.9e-6, 1.1e-6 };
	static const struct {
		const double *list;
		size_t count;
		enum np_outcome_of_clause outcome;
	} cases[] = {
		{ clear, 1, NP_CLAUSE_PASS },	      { clear, 2, NP_CLAUSE_PASS },
		{ one_near, 2, NP_CLAUSE_UNDECIDED }, { beyond, 1, NP_CLAUSE_FAIL },
		{ mixed, 2, NP_CLAUSE_UNDECIDED },    { clear, 0, NP_CLAUSE_UNDECIDED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct np_found_clause found = judge_values(
			clause, NP_OF_FIGURES, true, cases[i].list, cases[i].count);

		assert_int_equal(found.outcome, cases[i].outcome);
		assert_int_equal(found.unrated, cases[i].count != 0);
		assert_int_equal(judge_values(clause, NP_OF_RUNS, true, cases[i].list,
					      cases[i].count)
					 .outcome,
				 NP_CLAUSE_UNDECIDED);
	}
}

/* As many values as were planned are looked at once, at all of them and with the whole
 * error rate: these 12 pass, where the bounds of looks at 5, 7, 9 and 12 do not yet. */
static void check_fixed(void **state)
{
	static const double list[12] = { 1.00e-6, 1.06e-6, 0.97e-6, 1.05e-6,
					 0.98e-6, 1.04e-6, 1.00e-6, 1.03e-6,
					 0.99e-6, 1.06e-6, 1.01e-6, 1.02e-6 };
	static const char clause[] = "latency(8) <= 1.04us";

	(void)state;
	const struct np_found_clause fixed =
		judge_values(clause, NP_OF_RUNS, true, list, 12);
	const struct np_found_clause looked =
		judge_values(clause, NP_OF_RUNS, false, list, 12);

	assert_int_equal(fixed.outcome, NP_CLAUSE_PASS);
	assert_int_equal(fixed.units, 12);
	/* The median, which a table has, not the mean. */
	assert_true(fabs(fixed.value / 1.015e-6 - 1) < 1e-3);
	assert_false(fixed.unrated);
	assert_int_equal(looked.outcome, NP_CLAUSE_UNDECIDED);
	assert_true(looked.high > fixed.high);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_outcomes), cmocka_unit_test(check_closed),
		cmocka_unit_test(check_states),	  cmocka_unit_test(check_figures),
		cmocka_unit_test(check_fixed),
	};

	return cmocka_run_group_tests_name("expectation", tests, NULL, NULL);
}
