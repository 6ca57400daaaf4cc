/*
 * import_case.h - cases of the tests of imports: a file and a figure in it, and a text that
 * is malformed.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "in_memory.h"

static inline void read_data(const char *name, const char *format, struct np_run *run)
{
	const char *top = getenv("NP_SRCDIR");
	struct np_error error = { .code = 0 };
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/data/import/%s", top != NULL ? top : ".",
		 name);
	if (np_read_file(path, format, run, &error) != 0)
		fail_msg("%s", error.text);
	assert_false(run->broken);
}

struct expected {
	const char *file, *import, *title, *op;
	size_t count, length;
	double seconds;
};

/* Of several series of the operation the last. */
static inline void check_one(const struct expected *expected, const char *format)
{
	const struct np_series *series = NULL;
	struct np_run run;

	read_data(expected->file, format, &run);
	assert_string_equal(run.format, expected->title);
	for (size_t i = 0; i < run.series_count; i++) {
		if (strcmp(run.series[i].op, expected->op) == 0)
			series = &run.series[i];
	}
	if (series == NULL) {
		fail_msg("%s: no series '%s'", expected->file, expected->op);
		return;
	}
	assert_int_equal(series->count, expected->count);
	const struct np_row *point = np_series_find(series, expected->length);
	assert_non_null(point);
	if (!(fabs(point->median_s / expected->seconds - 1) < 5e-3))
		fail_msg("%s: %g s, not %g", expected->file, point->median_s,
			 expected->seconds);
	/* Units are part of what was read, and are said. */
	assert_non_null(np_facts_find(&run.notes, "units"));
	np_run_free(&run);
}

struct malformed {
	const char *format, *text, *error;
	size_t points; /* that were read before it */
};

/* Reading the text fails with that error, after so many points. */
static inline void check_wrong(const struct malformed *wrong)
{
	struct np_error error = { .code = 0 };
	struct np_run run;

	if (read_memory("x", wrong->text, strlen(wrong->text), wrong->format, &run,
			&error) == 0)
		fail_msg("read without an error: %s", wrong->text);
	if (strncmp(error.text, wrong->error, strlen(wrong->error)) != 0)
		fail_msg("'%s', not '%s'", error.text, wrong->error);
	size_t points = 0;
	for (size_t k = 0; k < run.series_count; k++)
		points += run.series[k].count;
	if (points != wrong->points)
		fail_msg("%zu points, not %zu, before '%s'", points, wrong->points,
			 error.text);
	np_run_free(&run);
}

static inline void read_text(const char *text, const char *format, struct np_run *run)
{
	struct np_error error = { .code = 0 };

	if (read_memory("x", text, strlen(text), format, run, &error) != 0)
		fail_msg("%s", error.text);
}
