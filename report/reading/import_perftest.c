/*
 * import_perftest.c - reads output of perftest (ib_send_lat, ib_write_bw, ...): a title
 * such as "Send Latency Test", a header line "#bytes ...", rows, a line of dashes.
 *
 * The figure is t_typical (a median), or t_avg of a run by duration, or BW average.
 * MB/sec are of 2^20 bytes, Gb/sec of 10^9 bits.
 */
#include <stdio.h>
#include <string.h>

#include "report/reading/reading.h"

static bool recognize(const char *text)
{
	const char *table = strstr(text, "#bytes");

	return table != NULL && strstr(table, "#iterations") != NULL &&
	       (strstr(text, " Test\n") != NULL || strstr(text, " Test\r\n") != NULL);
}

static void take_title(struct np_reading *reading, const char *line)
{
	const char *begin = line + strspn(line, " \t");
	const char *end = strstr(begin, " Test");

	if (end != NULL && end - begin < NP_LABEL &&
	    strspn(end, " Test\t\r") == strlen(end))
		snprintf(reading->key.op, NP_LABEL, "%.*s", (int)(end - begin), begin);
}

/* Column numbers are fixed, since names may contain blanks: "BW peak[...]" precedes "BW
 * average[...]". */
static void take_columns(struct np_reading *reading, const char *line)
{
	struct np_columns *columns = &reading->columns;
	const char *unit = "us", *note = "the file counts microseconds";

	*columns = (struct np_columns){ .directions = np_op_directions(reading->key.op) };
	if (strstr(line, "t_typical[usec]") != NULL) {
		columns->figure = 4;
	} else if (strstr(line, "t_avg[usec]") != NULL) {
		columns->figure = 2;
	} else if (strstr(line, "BW average[Gb/sec]") != NULL) {
		columns->figure = 3;
		unit = "Gbit/s";
		note = "the file counts Gb/sec of 10^9 bits";
	} else if (strstr(line, "BW average[") != NULL) {
		columns->figure = 3;
		unit = "MiB/s";
		note = "the file counts MB/sec of 2^20 bytes; all that is printed here is "
		       "converted to 10^6";
	}
	columns->known = columns->figure != 0 &&
			 np_unit_of_column(unit, &columns->dimension, &columns->scale);
	if (columns->known)
		np_facts_add(&reading->run->notes, "units", "%s", note);
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	(void)length;
	const char *text = line + strspn(line, " \t");
	if (strncmp(text, "#bytes", 6) == 0) {
		take_columns(reading, line);
		return 0;
	}
	/* With -U or -H a list of all samples follows the header line; the header line
	 * is then repeated before the table. */
	if (*text == '\0' || *text == '#' || strncmp(text, "---", 3) == 0)
		reading->columns.known = false;
	if (!reading->columns.known) {
		take_title(reading, line);
		return 0;
	}
	return np_reading_row(reading, line, error);
}

const struct np_format np_format_perftest = {
	.name = "perftest", .title = "perftest", .recognize = recognize, .take = take
};
