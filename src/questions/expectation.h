/*
 * expectation.h - whether the visits of a run meet the clauses of --expect.
 *
 * The unit is the pass, or with several runs the run.  A sequential test
 * (stats/sequential.h) decides a clause from the logarithms of the medians of units, in the
 * order of measurement.  Fails closed: a clause without values is undecided.
 */
#pragma once

#include "plan/clauses.h"
#include "results/results.h"

enum np_outcome_of_clause { NP_CLAUSE_UNDECIDED, NP_CLAUSE_PASS, NP_CLAUSE_FAIL };

/* Unit of the test: passes of one run, runs, or figures of other tools, each counted as a
 * run. */
enum np_unit_of_clause { NP_OF_PASSES, NP_OF_RUNS, NP_OF_FIGURES };

struct np_found_clause {
	enum np_outcome_of_clause outcome;
	enum np_unit_of_clause unit;
	/* Estimate and confidence interval, in the unit of the clause; NAN if unknown. */
	double value, low, high;
	size_t units;	  /* units of the last interim analysis; all before the first */
	bool unrated;	  /* too few figures for a test with an error rate */
	const char *lack; /* reason of missing values; NULL: unknown */
};

/* Values of a clause, in the order of their units: seconds of a message, or ratios. */
struct np_clause_values {
	const double *list;
	size_t count;
	enum np_unit_of_clause unit;
	bool fixed; /* the number of values was fixed before: no interim analyses */
};

struct np_expectation {
	struct np_clauses clauses;
	struct np_found_clause found[NP_CLAUSES_MAX];
};

/* Parses --expect.  Returns 0 or -errno. */
int np_expectation_init(struct np_expectation *expectation, const char *text,
			struct np_error *error);

/* Parses the clauses of a file of --expect @FILE (plan/clauses.h), for NPreport.
 * Returns 0 or -errno. */
int np_expectation_clauses(const char *file, const char *text, const char *program,
			   struct np_clauses *clauses, struct np_error *error);

/* Medians of the units of a clause, from visits in every host state. */
struct np_clause_units {
	/* Ratio: rotate and reuse; else reuse, and base is empty. */
	struct np_units over, base;
};

/* Collects the units of a clause, of one variant.  Returns 0 or -ENOMEM;
 * np_clause_units_free() copes with both. */
int np_clause_units_collect(const struct np_results *results,
			    const struct np_clause *clause, size_t variant,
			    struct np_clause_units *units);
void np_clause_units_free(struct np_clause_units *units);

/* Replaces `over` by over / base, for the units that both have. */
void np_clause_units_divide(struct np_clause_units *units);

/* Judges all clauses.  Returns 0 or -ENOMEM. */
int np_expectation_judge(struct np_expectation *expectation,
			 const struct np_results *results);

/* Judges one clause by the given values.  Returns 0 or -ENOMEM. */
int np_expectation_judge_values(struct np_expectation *expectation, size_t clause,
				const struct np_clause_values *values);

/* Return true if all clauses are decided; if all clauses of size `length` are decided, one
 * at least. */
bool np_expectation_is_decided(const struct np_expectation *expectation);
bool np_expectation_decides(const struct np_expectation *expectation, size_t length);

size_t np_expectation_count(const struct np_expectation *expectation,
			    enum np_outcome_of_clause outcome);

/* "pass", "fail" or "undecided". */
const char *np_outcome_of_clause_name(enum np_outcome_of_clause outcome);

/* Outcome of all clauses; a run that was cut off never passes. */
enum np_outcome_of_clause np_expectation_outcome(const struct np_expectation *expectation,
						 bool cut_off);

/* Returns 0 if all clauses pass; else -errno with NP_ERROR_VERDICT or NP_ERROR_UNDECIDED.
 * advice: remedy for undecided clauses, a part of the message. */
int np_expectation_fail(const struct np_expectation *expectation, const char *advice,
			struct np_error *error);
