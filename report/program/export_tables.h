/*
 * export_tables.h - --export osu and perftest.
 */
#pragma once

#include <stdio.h>

#include "report/curves/run.h"

/* Write the last curve of the only run as a table of the OSU micro-benchmarks, or of
 * perftest.  Return 0 or -errno with a text, as for an operation without such a table. */
int np_export_osu(FILE *file, const struct np_run *runs, size_t count,
		  struct np_error *error);
int np_export_perftest(FILE *file, const struct np_run *runs, size_t count,
		       struct np_error *error);
