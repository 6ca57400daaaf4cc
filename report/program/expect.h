/*
 * expect.h - --expect and --record-expect of NPreport.
 */
#pragma once

#include "report/curves/run.h"
#include "report/program/settings.h"

/* Checks clauses and error rate before any file is read.  Returns 0 or -EINVAL. */
int np_report_expect_check(const struct np_settings *settings, struct np_error *error);

/* Prints a line for each clause and one for a log. broken: a file could not be read to its
 * end, so nothing passes.  Returns 0 if all pass; else -errno with a text. */
int np_report_expect(const struct np_settings *settings, const struct np_run *runs,
		     size_t count, bool broken, struct np_error *error);

/* Writes a line of clauses for each file, each of one program.  Returns 0 or -errno. */
int np_report_record(const struct np_settings *settings, const struct np_run *runs,
		     size_t count, struct np_error *error);
