/*
 * import_osu.c - reads output of the OSU micro-benchmarks: "# OSU MPI Latency Test
 * v7.4", then "# Size  Latency (us)" or "# Size  Bandwidth (MB/s)", then rows.
 *
 * The figure is always the second column; a megabyte is 10^6 bytes.
 */
#include <stdio.h>
#include <string.h>

#include "report/reading/reading.h"

static bool recognize(const char *text)
{
	return strncmp(text, "# OSU ", 6) == 0 || strstr(text, "\n# OSU ") != NULL;
}

/* Sets the operation from the title, or to the title itself. */
static void take_title(struct np_reading *reading, const char *title)
{
	char *op = reading->key.op;
	const char *end = strstr(title, " Test");

	reading->columns.known = false;
	if (strstr(title, "Bi-Directional") != NULL)
		snprintf(op, NP_LABEL, "bidirectional");
	else if (strncmp(title, "MPI Latency Test", 16) == 0)
		snprintf(op, NP_LABEL, "pingpong");
	else if (strncmp(title, "MPI Bandwidth Test", 18) == 0)
		snprintf(op, NP_LABEL, "stream");
	else
		snprintf(op, NP_LABEL, "%.*s",
			 (int)(end != NULL && end - title < NP_LABEL ? end - title :
								       NP_LABEL - 1),
			 title);
}

static void take_columns(struct np_reading *reading, const char *line)
{
	struct np_columns *columns = &reading->columns;

	*columns = (struct np_columns){ .size = 0, .figure = 1 };
	columns->directions = np_op_directions(reading->key.op);
	if (strstr(line, "Latency") != NULL && strstr(line, "(us)") != NULL)
		columns->known =
			np_unit_of_column("us", &columns->dimension, &columns->scale);
	else if (strstr(line, "MB/s") != NULL)
		columns->known =
			np_unit_of_column("MB/s", &columns->dimension, &columns->scale);
	if (columns->known && columns->dimension == NP_DIMENSION_BIT_RATE)
		np_facts_add(&reading->run->notes, "units",
			     "the file counts MB/s of 10^6 bytes");
	else if (columns->known)
		np_facts_add(&reading->run->notes, "units", "the file counts microseconds");
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	if (strncmp(line, "# OSU ", 6) == 0)
		take_title(reading, line + 6);
	else if (strncmp(line, "# Size", 6) == 0)
		take_columns(reading, line);
	/* Skip messages of the MPI launcher before a table and after the empty line that
	 * ends it. */
	if (length == 0)
		reading->columns.known = false;
	if (!reading->columns.known || line[0] == '#')
		return 0;
	return np_reading_row(reading, line, error);
}

const struct np_format np_format_osu = {
	.name = "osu", .title = "OSU micro-benchmarks", .recognize = recognize, .take = take
};
