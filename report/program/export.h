/*
 * export.h - --export: figures as CSV, JSON, Prometheus' text, NetPIPE's columns or
 * clauses.
 */
#pragma once

#include "report/curves/run.h"
#include "report/program/settings.h"

/* Writes all runs in the format of the settings, to settings->output or standard output.
 * Returns 0 or -errno. */
int np_export(const struct np_settings *settings, const struct np_run *runs, size_t count,
	      struct np_error *error);
