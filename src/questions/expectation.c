/*
 * expectation.c - values of a clause from visits, and its outcome from values.
 */
#include "questions/expectation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "plan/clauses.h"
#include "stats/sequential.h"
#include "stats/stats.h"

/* Lower bound of the relative standard error of a time: a sample of 100 us is read with a
 * clock of nanoseconds. */
static const double resolution = 1e-4;

int np_expectation_init(struct np_expectation *expectation, const char *text,
			struct np_error *error)
{
	*expectation = (struct np_expectation){ .clauses = { .count = 0 } };
	return np_clauses_parse(text, &expectation->clauses, error);
}

int np_expectation_clauses(const char *file, const char *text, const char *program,
			   struct np_clauses *clauses, struct np_error *error)
{
	return np_clauses_parse_file(file, text, program, clauses, error);
}

int np_clause_units_collect(const struct np_results *results,
			    const struct np_clause *clause, size_t variant,
			    struct np_clause_units *units)
{
	const bool ratio = clause->quantity == NP_QUANTITY_RATIO;
	struct np_selection selection = { .purposes = NP_FOR_CURVE,
					  .modes = 1u << (ratio ? NP_MODE_ROTATE :
								  NP_MODE_REUSE),
					  .length = &clause->length,
					  .variant = variant,
					  .every_state = true,
					  .timed = true };

	*units = (struct np_clause_units){ .over = { .count = 0 } };
	int rc = np_units_select(results, &selection, &units->over);
	selection.modes = 1u << NP_MODE_REUSE;
	if (rc == 0 && ratio)
		rc = np_units_select(results, &selection, &units->base);
	return rc;
}

void np_clause_units_free(struct np_clause_units *units)
{
	np_units_free(&units->over);
	np_units_free(&units->base);
}

void np_clause_units_divide(struct np_clause_units *units)
{
	struct np_units *over = &units->over;
	const struct np_units *base = &units->base;
	size_t kept = 0;

	for (size_t i = 0, j = 0; i < over->count; i++) {
		while (j < base->count && base->numbers[j] < over->numbers[i])
			j++;
		if (j < base->count && base->numbers[j] == over->numbers[i])
			over->seconds[kept++] = over->seconds[i] / base->seconds[j];
	}
	over->count = kept;
}

/* Returns true if a time below the bound passes; rates are judged as times
 * (np_clause_invert()). */
static bool below_passes(const struct np_clause *clause)
{
	return clause->at_most != np_quantity_is_rate(clause->quantity);
}

static struct np_sequential test_of(const struct np_expectation *expectation,
				    const struct np_clause *clause)
{
	/* Bonferroni: one wrong fail fails the run, so the clauses divide the error rate of
	 * fails.  A wrong pass of the run needs a wrong pass of every violated clause: no
	 * correction. */
	const double pass_error = expectation->clauses.error_rate;
	const double fail_error =
		expectation->clauses.error_rate / (double)expectation->clauses.count;

	return (struct np_sequential){
		.bound = log(np_clause_invert(clause, clause->bound)),
		.margin = log1p(expectation->clauses.indifference),
		.error_below = below_passes(clause) ? pass_error : fail_error,
		.error_above = below_passes(clause) ? fail_error : pass_error,
		.resolution = resolution,
	};
}

/* With too few figures for an error rate: decides only if all lie on one side of the bound,
 * outside the indifference zone. */
static struct np_interim compare_figures(const struct np_sequential *test,
					 const double *values, size_t count)
{
	const double low = np_min(values, count),
		     high = np_order_statistic(values, count, count);

	return (struct np_interim){
		.side = high < test->bound - test->margin ? NP_SIDE_BELOW :
			low > test->bound + test->margin  ? NP_SIDE_ABOVE :
							    NP_SIDE_UNKNOWN,
		.estimate = np_median(values, count),
		.low = low,
		.high = high,
		.count = count,
	};
}

static void decide(const struct np_expectation *expectation, const struct np_clause *clause,
		   const struct np_clause_values *logarithms, struct np_found_clause *found)
{
	const struct np_sequential test = test_of(expectation, clause);
	const double *values = logarithms->list;
	const size_t count = logarithms->count;

	found->unrated = logarithms->unit == NP_OF_FIGURES && count != 0 &&
			 count < NP_SEQUENTIAL_FIRST;
	const struct np_interim look =
		found->unrated	  ? compare_figures(&test, values, count) :
		logarithms->fixed ? np_sequential_once(&test, values, count) :
				    np_sequential_decide(&test, values, count);
	found->units = look.count != 0 ? look.count : count;
	/* The median is the figure of the table; the test has a trimmed mean. */
	const double median = look.count != 0 ? np_median(values, found->units) :
						(double)NAN,
		     low = np_clause_invert(clause, exp(fmin(look.low, median))),
		     high = np_clause_invert(clause, exp(fmax(look.high, median)));

	found->value = np_clause_invert(clause, exp(median));
	found->low = np_quantity_is_rate(clause->quantity) ? high : low;
	found->high = np_quantity_is_rate(clause->quantity) ? low : high;
	if (look.side != NP_SIDE_UNKNOWN)
		found->outcome = (look.side == NP_SIDE_BELOW) == below_passes(clause) ?
					 NP_CLAUSE_PASS :
					 NP_CLAUSE_FAIL;
}

int np_expectation_judge_values(struct np_expectation *expectation, size_t clause,
				const struct np_clause_values *values)
{
	double *list = malloc((values->count + 1) * sizeof(*list));
	struct np_clause_values logarithms = *values;
	struct np_found_clause *found = &expectation->found[clause];

	*found = (struct np_found_clause){ .unit = values->unit,
					   .value = (double)NAN,
					   .low = (double)NAN,
					   .high = (double)NAN };
	if (list == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < values->count; i++)
		list[i] = log(values->list[i]);
	logarithms.list = list;
	decide(expectation, &expectation->clauses.list[clause], &logarithms, found);
	free(list);
	return 0;
}

int np_expectation_judge(struct np_expectation *expectation,
			 const struct np_results *results)
{
	int rc = 0;

	for (size_t i = 0; i < expectation->clauses.count && rc == 0; i++) {
		const struct np_clause *clause = &expectation->clauses.list[i];
		struct np_clause_units units;

		rc = np_clause_units_collect(results, clause, 0, &units);
		if (rc == 0 && clause->quantity == NP_QUANTITY_RATIO)
			np_clause_units_divide(&units);
		const struct np_clause_values values = {
			.list = units.over.seconds,
			.count = rc == 0 ? units.over.count : 0,
			.unit = results->runs > 1 ? NP_OF_RUNS : NP_OF_PASSES,
		};
		const int judged = np_expectation_judge_values(expectation, i, &values);

		rc = rc == 0 ? judged : rc;
		np_clause_units_free(&units);
	}
	return rc;
}

bool np_expectation_is_decided(const struct np_expectation *expectation)
{
	return np_expectation_count(expectation, NP_CLAUSE_UNDECIDED) == 0;
}

bool np_expectation_decides(const struct np_expectation *expectation, size_t length)
{
	bool any = false;

	for (size_t i = 0; i < expectation->clauses.count; i++) {
		if (expectation->clauses.list[i].length != length)
			continue;
		if (expectation->found[i].outcome == NP_CLAUSE_UNDECIDED)
			return false;
		any = true;
	}
	return any;
}

size_t np_expectation_count(const struct np_expectation *expectation,
			    enum np_outcome_of_clause outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < expectation->clauses.count; i++)
		count += expectation->found[i].outcome == outcome;
	return count;
}

const char *np_outcome_of_clause_name(enum np_outcome_of_clause outcome)
{
	return outcome == NP_CLAUSE_PASS ? "pass" :
	       outcome == NP_CLAUSE_FAIL ? "fail" :
					   "undecided";
}

enum np_outcome_of_clause np_expectation_outcome(const struct np_expectation *expectation,
						 bool cut_off)
{
	if (np_expectation_count(expectation, NP_CLAUSE_FAIL) != 0)
		return NP_CLAUSE_FAIL;
	return cut_off || !np_expectation_is_decided(expectation) ? NP_CLAUSE_UNDECIDED :
								    NP_CLAUSE_PASS;
}

int np_expectation_fail(const struct np_expectation *expectation, const char *advice,
			struct np_error *error)
{
	const enum np_outcome_of_clause outcome =
		np_expectation_outcome(expectation, false);
	char text[NP_CLAUSE_TEXT];

	if (outcome == NP_CLAUSE_PASS)
		return 0;
	size_t first = 0;
	while (expectation->found[first].outcome != outcome)
		first++;
	np_clause_text(&expectation->clauses.list[first], text);
	if (outcome == NP_CLAUSE_FAIL)
		return np_fail(error, NP_ERROR_VERDICT, EDOM,
			       "--expect: %zu of %zu clause%s failed: %s%s",
			       np_expectation_count(expectation, NP_CLAUSE_FAIL),
			       expectation->clauses.count,
			       np_plural(expectation->clauses.count), text,
			       np_expectation_count(expectation, NP_CLAUSE_FAIL) > 1 ?
				       " and others" :
				       "");
	return np_fail(error, NP_ERROR_UNDECIDED, EDOM,
		       "--expect: %zu of %zu clause%s undecided: %s: %s",
		       np_expectation_count(expectation, NP_CLAUSE_UNDECIDED),
		       expectation->clauses.count, np_plural(expectation->clauses.count),
		       text, advice);
}
