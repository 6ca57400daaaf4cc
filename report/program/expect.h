/*
 * expect.h - --expect and --record-expect of NPreport.
 */
#pragma once

#include "report/curves/run.h"
#include "report/program/settings.h"

/* Checks the clauses of --expect, and --expect-error, before any result file is read.
 * Returns 0 or -EINVAL. */
int np_report_expect_check(const struct np_settings *settings, struct np_error *error);

/* Prints a line for each clause, and a last line that sums them up for a log.  broken: a
 * file could not be read to its end, so nothing passes.  Returns 0 if all clauses pass;
 * else -errno with a text. */
int np_report_expect(const struct np_settings *settings, const struct np_run *runs,
		     size_t count, bool broken, struct np_error *error);

/* Writes the file of --record-expect: a line for each run, "PROGRAM: CLAUSES".  Returns 0
 * or -errno. */
int np_report_record(const struct np_settings *settings, const struct np_run *runs,
		     size_t count, struct np_error *error);
