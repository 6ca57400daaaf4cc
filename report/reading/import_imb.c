/*
 * import_imb.c - reads output of the Intel MPI Benchmarks: "# Benchmarking PingPong",
 * then a header line, then rows until an empty line.
 *
 * The figure is t[usec], else t_avg[usec], else Mbytes/sec, which are of 10^6 bytes
 * since IMB 2018.
 */
#include <stdio.h>
#include <string.h>

#include "report/reading/reading.h"

static const char benchmark[] = "# Benchmarking ", processes[] = "# #processes = ";

static bool recognize(const char *text)
{
	return strstr(text, benchmark) != NULL && strstr(text, "#bytes") != NULL;
}

static void take_columns(struct np_reading *reading, char *line)
{
	static const char *const wanted[] = { "t[usec]", "t_avg[usec]", "Mbytes/sec" };
	struct np_columns *columns = &reading->columns;
	char *words[16];
	const size_t count = np_columns_split(line, words, 16);

	*columns = (struct np_columns){ .directions = np_op_directions(reading->key.op) };
	for (size_t name = 0; name < 3 && !columns->known; name++) {
		for (size_t i = 1; i < count && !columns->known; i++) {
			if (strcmp(words[i], wanted[name]) != 0)
				continue;
			columns->figure = i;
			columns->known =
				np_unit_of_column(name == 2 ? "MB/s" : "us",
						  &columns->dimension, &columns->scale);
		}
	}
	if (columns->known)
		np_facts_add(&reading->run->notes, "units", "the file counts %s",
			     columns->dimension == NP_DIMENSION_TIME ?
				     "microseconds" :
				     "Mbytes/sec of 10^6 bytes");
}

static void take_name(struct np_reading *reading, const char *name)
{
	const int length = (int)strcspn(name, " \t");

	snprintf(reading->key.op, NP_LABEL, "%.*s", length < NP_LABEL ? length : 0, name);
	if (strcmp(reading->key.op, "PingPong") == 0)
		snprintf(reading->key.op, NP_LABEL, "pingpong");
	reading->key.variant[0] = '\0';
}

/* "# #processes = 4": part of the key, as a collective of four ranks is not comparable
 * with one of two. */
static void take_processes(struct np_reading *reading, const char *text)
{
	const char *digits = text + strcspn(text, "0123456789");
	const int length = (int)strspn(digits, "0123456789");

	if (length > 0 && length < 10)
		snprintf(reading->key.variant, NP_LABEL, "%.*s processes", length, digits);
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	const char *text = line + strspn(line, " \t");
	if (strncmp(line, benchmark, sizeof(benchmark) - 1) == 0)
		take_name(reading, line + sizeof(benchmark) - 1);
	if (strncmp(text, processes, sizeof(processes) - 1) == 0)
		take_processes(reading, text);
	if (strncmp(text, "#bytes", 6) == 0) {
		take_columns(reading, line);
		return 0;
	}
	if (length == 0 || *text == '#' || *text == '\0')
		reading->columns.known = false;
	if (!reading->columns.known)
		return 0;
	return np_reading_row(reading, line, error);
}

const struct np_format np_format_imb = {
	.name = "imb", .title = "Intel MPI Benchmarks", .recognize = recognize, .take = take
};
