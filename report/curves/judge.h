/*
 * judge.h - the clauses of --expect, held against files.
 *
 * Of one run the passes are the units, as they were for the run; their number was chosen by
 * what was measured (--precision, --expect), so they are looked at one after the other,
 * with the bounds of the run.  Of several files, or of --runs, the runs are, and as their
 * number was chosen before, there is one look.  A figure of another tool stands for a run;
 * fewer than five decide by lying outside the indifference zone, without an error rate.
 *
 * It fails closed: what the files lack is undecided, and says why.
 */
#pragma once

#include "questions/expectation.h"
#include "report/curves/run.h"

/* Judges all clauses.  Returns 0, or -errno with a text: also for files that are not of one
 * path, which are no runs of the same. */
int np_judge_runs(struct np_expectation *expectation, const struct np_run *runs,
		  size_t count, struct np_error *error);

/* Seconds a message, or the ratio, that a complete file has for a clause; NAN: none. */
double np_judge_value(const struct np_run *run, const struct np_clause *clause);

/* The first file that does not end as a complete run does, or NULL. */
const struct np_run *np_judge_cut_off(const struct np_run *runs, size_t count);
