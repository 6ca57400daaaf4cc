/*
 * export.h - NPreport: its settings, --expect and --export.
 */
#pragma once

#include "option/option.h"
#include "report/curves/run.h"
#include "report/pictures/pictures.h"

enum np_export_kind {
	NP_EXPORT_NONE,
	NP_EXPORT_CSV,
	NP_EXPORT_JSON,
	NP_EXPORT_NETPIPE,
	NP_EXPORT_PROMETHEUS,
	NP_EXPORT_CLAUSES /* for --expect @FILE */
};

struct np_settings {
	int import; /* index of the choices of --import; 0: detect */
	int export;
	const char *output;
	const char *plot, *html;
	struct np_picture_options picture;
	int fail_on; /* other than 0: warnings of a file are errors */
	bool compare, force;
	double threshold; /* percent; NAN: --threshold not given */
	const char *expect;
};

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

/* Writes all runs in the format of the settings, to settings->output or standard output.
 * Returns 0 or -errno. */
int np_export(const struct np_settings *settings, const struct np_run *runs, size_t count,
	      struct np_error *error);
