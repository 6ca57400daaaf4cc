/*
 * recording.h - --record-expect of NPreport.
 */
#pragma once

#include "report/curves/run.h"
#include "report/program/settings.h"

/* Writes a line of clauses for each file, each of one program.  Returns 0 or -errno. */
int np_report_record(const struct np_settings *settings, const struct np_run *runs,
		     size_t count, struct np_error *error);
