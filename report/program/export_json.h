/*
 * export_json.h - runs as one JSON document.
 */
#pragma once

#include <stdio.h>

#include "report/curves/run.h"

/* Writes figures, ratios and breaks.  Returns 0 or -errno. */
int np_export_json(FILE *file, const struct np_run *runs, size_t count,
		   struct np_error *error);
