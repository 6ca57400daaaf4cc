/*
 * output_json_expect.c - a line of the result file for each clause of --expect.
 */
#include "output/json_line.h"
#include "output/output.h"

int np_json_expectation(FILE *file, const struct np_expectation *expectation,
			struct np_error *error)
{
	int rc = 0;

	for (size_t i = 0; i < expectation->clauses.count && rc == 0; i++) {
		const struct np_clause *clause = &expectation->clauses.list[i];
		const struct np_found_clause *found = &expectation->found[i];
		json_t *line = json_pack(
			"{s:s, s:s, s:I, s:s, s:o, s:s, s:o, s:o, s:o, s:I, s:o, s:o}",
			"kind", "expect", "quantity", np_asked_name(clause->quantity),
			"size", (json_int_t)clause->length, "relation",
			clause->at_most ? "<=" : ">=", "bound",
			np_json_number(clause->bound), "outcome",
			np_outcome_of_clause_name(found->outcome), "value",
			np_json_number(found->value), "low", np_json_number(found->low),
			"high", np_json_number(found->high), "units",
			(json_int_t)found->units, "error_rate",
			np_json_number(expectation->error_rate), "indifference",
			np_json_number(expectation->indifference));

		rc = np_json_write_line(file, line, error);
	}
	return rc;
}
