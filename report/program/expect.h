/*
 * expect.h - --expect and --export clauses of NPreport.
 */
#pragma once

#include <stdio.h>

#include "report/curves/run.h"
#include "report/program/settings.h"

/* Slowdown that --export clauses allows without --threshold, percent: runs differ by more
 * than the 5 of --compare, which tests that. */
enum { NP_CLAUSES_SLACK = 10 };

/* Checks the clauses of --expect before any result file is read.  Returns 0 or -EINVAL. */
int np_report_expect_check(const struct np_settings *settings, struct np_error *error);

/* Prints a line for each clause, and a last line that sums them up for a log.  broken: a
 * file could not be read to its end, so nothing passes.  Returns 0 if all clauses pass;
 * else -errno with a text. */
int np_report_expect(const struct np_settings *settings, const struct np_run *runs,
		     size_t count, bool broken, struct np_error *error);

/* Writes a line for each run, "PROGRAM: CLAUSES", which a run that takes longer by the
 * share `slack` still passes.  Returns 0 or -errno. */
int np_export_clauses(FILE *file, double slack, const struct np_run *runs, size_t count,
		      struct np_error *error);
