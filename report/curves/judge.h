/*
 * judge.h - judges the clauses of --expect by files.
 *
 * The units of a single run are its passes.  Their number depended on the data
 * (--precision, --expect), so they are judged by interim analyses, with the stopping
 * bounds of the run.
 * The units of several files, and of a file of --runs, are runs: their number was fixed in
 * advance, so one analysis judges them.  A figure of another tool counts as a run; fewer
 * than five figures decide a clause if they lie outside the indifference zone, without an
 * error rate.
 *
 * A clause without values in the files is undecided, with the reason.
 */
#pragma once

#include "questions/expectation.h"
#include "report/curves/run.h"

/* Judges all clauses.  Returns 0, or -errno with the reason in *error, for example if the
 * files come from different hosts or programs. */
int np_judge_runs(struct np_expectation *expectation, const struct np_run *runs,
		  size_t count, struct np_error *error);

/* Returns the figure of a clause in a complete file: seconds a message, or ratio
 * rotate/reuse; NAN: none. */
double np_judge_value(const struct np_run *run, const struct np_clause *clause);
