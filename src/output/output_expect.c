/*
 * output_expect.c - outcome of --expect: lines for the terminal, for a log and for the
 * result file.
 */
#include <math.h>

#include "base/units.h"
#include "output/json_line.h"
#include "output/output.h"

static const struct {
	const char *one, *several;
} unit_names[] = {
	[NP_OF_PASSES] = { "pass", "passes" },
	[NP_OF_RUNS] = { "run", "runs" },
	[NP_OF_FIGURES] = { "figure", "figures" },
};

static const char *unit_name(const struct np_found_clause *found)
{
	return found->units == 1 ? unit_names[found->unit].one :
				   unit_names[found->unit].several;
}

static void print_clause(FILE *file, const struct np_clause *clause,
			 const struct np_found_clause *found)
{
	char text[NP_CLAUSE_TEXT], value[24], low[24], high[24];

	np_clause_text(clause, text);
	fprintf(file, "expect: %-9s %s", np_outcome_of_clause_name(found->outcome), text);
	if (found->units == 0) {
		fprintf(file, ": not measured%s%s\n", found->lack != NULL ? ": " : "",
			found->lack != NULL ? found->lack : "");
		return;
	}
	if (isnan(found->value)) {
		fprintf(file, ": %zu %s, and five are needed\n", found->units,
			unit_name(found));
		return;
	}
	np_clause_value(clause->quantity, found->value, value, sizeof(value));
	if (found->unrated) {
		fprintf(file, ": %s of %zu %s, without an error rate\n", value,
			found->units, unit_name(found));
		return;
	}
	np_clause_value(clause->quantity, found->low, low, sizeof(low));
	np_clause_value(clause->quantity, found->high, high, sizeof(high));
	fprintf(file, ": %s [%s, %s] after %zu %s\n", value, low, high, found->units,
		unit_name(found));
}

/* Returns the scope of the error rates: "this run" if the units of a clause are passes,
 * which do not cover the variation between runs. */
static const char *name_scope(const struct np_expectation *expectation)
{
	enum np_unit_of_clause unit = NP_OF_RUNS;

	for (size_t i = 0; i < expectation->clauses.count; i++) {
		if (expectation->found[i].unit == NP_OF_PASSES)
			unit = NP_OF_PASSES;
	}
	return unit == NP_OF_PASSES ? "this run" : "this and the next run";
}

static bool is_unrated(const struct np_expectation *expectation)
{
	for (size_t i = 0; i < expectation->clauses.count; i++) {
		if (expectation->found[i].unrated)
			return true;
	}
	return false;
}

void np_text_expectation(FILE *file, const struct np_expectation *expectation,
			 const char *cut_off)
{
	const enum np_outcome_of_clause outcome =
		np_expectation_outcome(expectation, cut_off != NULL);
	const double margin = 100 * expectation->clauses.indifference;

	for (size_t i = 0; i < expectation->clauses.count; i++)
		print_clause(file, &expectation->clauses.list[i], &expectation->found[i]);
	if (is_unrated(expectation))
		fprintf(file,
			"expect: fewer than five figures have no error rate\n"
			"expect: within %.3g %% of a bound they are undecided\n",
			margin);
	else
		fprintf(file,
			"expect: a wrong pass or fail has a chance of at most %.3g %%, of "
			"%s\nexpect: within %.3g %% of a bound either is right\n",
			100 * expectation->clauses.error_rate, name_scope(expectation),
			margin);
	if (cut_off != NULL)
		fprintf(file, "expect: %s\n", cut_off);
	fprintf(file, "expect: %s: %zu of %zu clause%s passed, %zu failed, %zu undecided",
		np_outcome_of_clause_name(outcome),
		np_expectation_count(expectation, NP_CLAUSE_PASS),
		expectation->clauses.count, np_plural(expectation->clauses.count),
		np_expectation_count(expectation, NP_CLAUSE_FAIL),
		np_expectation_count(expectation, NP_CLAUSE_UNDECIDED));
	if (expectation->clauses.left != 0)
		fprintf(file, "; %zu left to %s", expectation->clauses.left,
			np_quantity_is_of_stream(expectation->clauses.list[0].quantity) ?
				"a run without -s" :
				"-s");
	fputc('\n', file);
}

int np_json_expectation(FILE *file, const struct np_expectation *expectation,
			struct np_error *error)
{
	int rc = 0;

	for (size_t i = 0; i < expectation->clauses.count && rc == 0; i++) {
		const struct np_clause *clause = &expectation->clauses.list[i];
		const struct np_found_clause *found = &expectation->found[i];
		json_t *line = json_pack(
			"{s:s, s:s, s:I, s:s, s:o, s:s, s:o, s:o, s:o, s:I, s:o, s:o}",
			"kind", "expect", "quantity", np_quantity_name(clause->quantity),
			"size", (json_int_t)clause->length, "relation",
			clause->at_most ? "<=" : ">=", "bound",
			np_json_number(clause->bound), "outcome",
			np_outcome_of_clause_name(found->outcome), "value",
			np_json_number(found->value), "low", np_json_number(found->low),
			"high", np_json_number(found->high), "units",
			(json_int_t)found->units, "error_rate",
			np_json_number(expectation->clauses.error_rate), "indifference",
			np_json_number(expectation->clauses.indifference));

		rc = np_json_write_line(file, line, error);
	}
	return rc;
}
