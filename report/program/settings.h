/*
 * settings.h - the command line of NPreport.
 */
#pragma once

#include "option/option.h"
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

extern const struct np_option np_report_options[];

/* Name of the format of --import; NULL: detect it. */
const char *np_settings_format(const struct np_settings *settings);

/* True with --expect. */
bool np_settings_judge(const struct np_settings *settings);

/* True if findings are printed, which have the warnings of the files, too. */
bool np_settings_print(const struct np_settings *settings);

/* Checks which options exclude or need each other.  files: number of operands.  Returns 0
 * or -EINVAL with NP_ERROR_USAGE. */
int np_settings_check(const struct np_settings *settings, size_t files,
		      struct np_error *error);
