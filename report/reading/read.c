/*
 * read.c - detects the format of a file and parses it line by line.
 */
#include "report/reading/reading.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/curves/fields.h"

const struct np_format *np_format_at(size_t index)
{
	/* In the order of detection: CSV, the least specific, comes last. */
	static const struct np_format *const formats[] = {
		&np_format_netpong,  &np_format_osu,	 &np_format_imb,
		&np_format_perftest, &np_format_netpipe, &np_format_netpipe5,
		&np_format_csv,
	};

	return index < sizeof(formats) / sizeof(formats[0]) ? formats[index] : NULL;
}

static const struct np_format *find_format(const char *name, const char *text,
					   struct np_error *error)
{
	const struct np_format *format;

	for (size_t i = 0; (format = np_format_at(i)) != NULL; i++) {
		if (name != NULL ? strcmp(format->name, name) == 0 :
				   format->recognize(text))
			return format;
	}
	np_fail(error, NP_ERROR_FAILED, EBADMSG,
		*text == '\0' ? "the file is empty" :
				"not known what wrote this; --import says it");
	return NULL;
}

int np_reading_figure(struct np_reading *reading, size_t length, double seconds,
		      struct np_error *error)
{
	/* A time of 0 was below the tool's resolution. */
	if (seconds >= 0 && seconds <= 0) {
		reading->zeros++;
		return 0;
	}
	if (!np_time_is_valid(seconds))
		return np_fail(error, NP_ERROR_FAILED, EBADMSG,
			       "a time that is no measurement's");
	reading->figures++;
	reading->key.length = length;
	return np_gather_value(&reading->gather, &reading->key, seconds, error);
}

/* A name for texts and legends: program and host, else the file's name. */
static void name_run(struct np_run *run, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *program = np_run_text(run, NULL, "program");
	const char *host = np_run_text(run, "transmitter", "host");

	snprintf(run->name, sizeof(run->name), "%s", slash != NULL ? slash + 1 : path);
	if (run->pairs != NULL)
		snprintf(run->name, sizeof(run->name), "%.40s between %zu hosts",
			 program != NULL ? program : "", run->pairs->hosts.count);
	else if (program != NULL)
		snprintf(run->name, sizeof(run->name), "%.40s%s%.80s", program,
			 host != NULL ? " on " : "", host != NULL ? host : "");
}

static int take_lines(struct np_lines *lines, const struct np_format *format,
		      struct np_reading *reading, struct np_error *error)
{
	char *line;
	size_t length;
	int rc;

	while ((rc = np_lines_next(lines, &line, &length, error)) > 0) {
		rc = format->take(reading, line, length, error);
		if (rc != 0)
			return rc;
	}
	if (reading->zeros != 0)
		np_facts_add(&reading->run->notes, "left out", "%zu times of 0",
			     reading->zeros);
	if (rc == 0 && reading->figures == 0 && reading->zeros != 0)
		rc = np_fail(error, NP_ERROR_FAILED, EBADMSG,
			     "nothing was measured in it: %zu times of 0", reading->zeros);
	else if (rc == 0 && reading->figures == 0)
		rc = np_fail(error, NP_ERROR_FAILED, EBADMSG, "nothing was measured in it");
	return rc;
}

/* Prefixes an error with path and line number. */
static int add_position(const struct np_lines *lines, const struct np_error *what,
			struct np_error *error)
{
	if (lines->number == 0)
		return np_fail(error, what->kind, what->code, "%.160s: %.200s", lines->path,
			       what->text);
	return np_fail(error, what->kind, what->code, "%.160s:%zu: %.200s%s", lines->path,
		       lines->number, what->text,
		       lines->cut ? " (the line is cut short)" : "");
}

static int read_lines(struct np_lines *lines, const char *name, struct np_run *run,
		      struct np_error *error)
{
	struct np_reading reading = { .run = run };
	struct np_error what = { .code = 0 }, late = { .code = 0 };
	const char *text = np_lines_peek(lines, &what);
	const struct np_format *format =
		text != NULL ? find_format(name, text, &what) : NULL;

	np_gather_init(&reading.gather);
	np_results_init(&reading.results);
	reading.gather.results = &reading.results;
	if (format != NULL) {
		run->format = format->title;
		int rc = format->begin != NULL ? format->begin(&reading, text, &what) : 0;

		if (rc == 0)
			rc = take_lines(lines, format, &reading, &what);
		run->broken = rc != 0;
		rc = np_gather_finish(&reading.gather,
				      reading.finished || reading.gather.visits == 0, run,
				      &late);
		if (rc != 0 && what.code == 0)
			what = late;
		if (run->pairs != NULL)
			np_matrix_judge(&run->pairs->matrix);
	}
	run->lines = lines->number;
	run->path = strdup(lines->path);
	name_run(run, lines->path);
	np_gather_free(&reading.gather);
	np_results_free(&reading.results);
	return what.code != 0 ? add_position(lines, &what, error) : 0;
}

int np_read_file(const char *path, const char *format, struct np_run *run,
		 struct np_error *error)
{
	struct np_lines lines;

	*run = (struct np_run){ .format = "not known", .drift = (double)NAN };
	int rc = np_lines_open(&lines, path, error);
	if (rc == 0)
		rc = read_lines(&lines, format, run, error);
	np_lines_close(&lines);
	return rc;
}

int np_read_memory(const char *path, const void *bytes, size_t length, const char *format,
		   struct np_run *run, struct np_error *error)
{
	struct np_lines lines;

	*run = (struct np_run){ .format = "not known", .drift = (double)NAN };
	int rc = np_lines_from(&lines, path, bytes, length, error);
	if (rc == 0)
		rc = read_lines(&lines, format, run, error);
	np_lines_close(&lines);
	return rc;
}
