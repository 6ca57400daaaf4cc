/*
 * import_nccl.c - reads output of nccl-tests and rccl-tests: a header line with "algbw"
 * and "busbw", then rows of size, time, and the same in place.
 *
 * The figure is the time of one operation in microseconds, a mean of the iterations and, by
 * default, of the ranks.
 */
#include <stdio.h>
#include <string.h>

#include "report/reading/reading.h"

enum { WORDS = 16 };

static bool recognize(const char *text)
{
	const char *header = strstr(text, "algbw");

	return header != NULL && strstr(header, "busbw") != NULL;
}

static int begin(struct np_reading *reading, const char *text, struct np_error *error)
{
	(void)text;
	(void)error;
	/* Default until a line names the collective. */
	snprintf(reading->key.op, NP_LABEL, "collective");
	np_facts_add(&reading->run->notes, "units",
		     "the file counts microseconds; the means are taken");
	return 0;
}

/* Takes "all_reduce" from "# Collective test starting: all_reduce_perf", or from the
 * command. */
static void take_name(struct np_reading *reading, const char *line)
{
	const char *end = strstr(line, "_perf");

	if (end == NULL || strchr(" \r", end[5]) == NULL)
		return;
	const char *name = end;
	while (name > line && strchr(" \t/", name[-1]) == NULL)
		name--;
	if (end > name && end - name < NP_LABEL)
		snprintf(reading->key.op, NP_LABEL, "%.*s", (int)(end - name), name);
}

/* Stores the columns of the first and the second "time" in extras; the line begins with
 * '#'. */
static void take_columns(struct np_reading *reading, char *line)
{
	char *words[WORDS];
	const size_t count = np_columns_split(line, words, WORDS);
	size_t found = 0;

	reading->columns = (struct np_columns){ .dimension = NP_DIMENSION_TIME,
						.scale = 1e-6,
						.directions = 1 };
	for (size_t i = 1; i < count && found < 2; i++) {
		if (strcmp(words[i], "time") == 0)
			reading->extras[found++] = i - 1;
	}
	reading->columns.known = found == 2;
}

static int take_row(struct np_reading *reading, char *line, struct np_error *error)
{
	static const char *const places[] = { "out of place", "in place" };
	struct np_columns *columns = &reading->columns;
	char *words[WORDS];
	const size_t count = np_columns_split(line, words, WORDS);
	int rc = 0;

	/* Take both figures of a row, or none. */
	if (count <= reading->extras[1])
		return np_malformed(error, "%zu columns, where there should be %zu", count,
				    reading->extras[1] + 1);
	for (size_t place = 0; place < 2 && rc == 0; place++) {
		double seconds = 0;
		size_t bytes = 0;

		columns->figure = reading->extras[place];
		snprintf(reading->key.variant, NP_LABEL, "%zu ranks, %s", reading->cells,
			 places[place]);
		if (reading->cells == 0)
			snprintf(reading->key.variant, NP_LABEL, "%s", places[place]);
		rc = np_columns_read(columns, words, count, &bytes, &seconds, error);
		if (rc == 0)
			rc = np_reading_figure(reading, bytes, seconds, error);
	}
	return rc;
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	const char *text = line + strspn(line, " \t");

	(void)length;
	if (*text >= '0' && *text <= '9' && reading->columns.known)
		return take_row(reading, line, error);
	/* Skip messages of libraries, which may stand anywhere. */
	take_name(reading, line);
	if (strncmp(text, "# Using devices", 15) == 0)
		reading->cells = 0;
	if (strncmp(text, "#  Rank ", 8) == 0 || strncmp(text, "#   Rank ", 9) == 0)
		reading->cells++;
	if (*text == '#' && strstr(text, "algbw") != NULL)
		take_columns(reading, line);
	return 0;
}

const struct np_format np_format_nccl = { .name = "nccl",
					  .title = "nccl-tests",
					  .recognize = recognize,
					  .begin = begin,
					  .take = take };
