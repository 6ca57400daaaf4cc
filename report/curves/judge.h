/*
 * judge.h - judges the clauses of --expect by files.
 *
 * Units are passes in the file of one run.  Their number depended on the data (--precision,
 * --expect), so they are judged by interim analyses, with the bounds of the run.  Units are
 * runs in several files, and in a file of --runs: their number was chosen before, so there
 * is one analysis.  A figure of another tool counts as a run; fewer than five decide by
 * lying outside the indifference zone, without an error rate.
 *
 * A clause without values in the files is undecided, with the reason.
 */
#pragma once

#include "questions/expectation.h"
#include "report/curves/run.h"

/* Judges all clauses.  Returns 0, or -errno with a text, as for files of different paths.
 */
int np_judge_runs(struct np_expectation *expectation, const struct np_run *runs,
		  size_t count, struct np_error *error);

/* Returns seconds a message, or the ratio, that a complete file has for a clause; NAN:
 * none. */
double np_judge_value(const struct np_run *run, const struct np_clause *clause);

/* Returns the first file without the end of a complete run, or NULL. */
const struct np_run *np_judge_cut_off(const struct np_run *runs, size_t count);
