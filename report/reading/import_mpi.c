/*
 * import_mpi.c - reads output of benchmarks of MPI and of collectives: the OSU
 * micro-benchmarks, the Intel MPI Benchmarks, nccl-tests.
 */
#include "report/reading/reading.h"

#include <stdio.h>
#include <string.h>

/* ---- OSU micro-benchmarks ----------------------------------------------------------- */

/*
 * Reads output of the OSU micro-benchmarks: "# OSU MPI Latency Test
 * v7.4", then "# Size  Latency (us)" or "# Size  Bandwidth (MB/s)", then rows.
 *
 * The figure is always the second column; a megabyte is 10^6 bytes.
 */

static bool recognize_osu(const char *text)
{
	return strncmp(text, "# OSU ", 6) == 0 || strstr(text, "\n# OSU ") != NULL;
}

/* Sets the operation by the title of the benchmark; an unknown title is the operation
 * itself. */
static void take_osu_title(struct np_reading *reading, const char *title)
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

static void take_osu_columns(struct np_reading *reading, const char *line)
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

static int take_osu(struct np_reading *reading, char *line, size_t length,
		    struct np_error *error)
{
	if (strncmp(line, "# OSU ", 6) == 0)
		take_osu_title(reading, line + 6);
	else if (strncmp(line, "# Size", 6) == 0)
		take_osu_columns(reading, line);
	/* An empty line ends a table: lines outside one are messages of the MPI
	 * launcher. */
	if (length == 0)
		reading->columns.known = false;
	if (!reading->columns.known || line[0] == '#')
		return 0;
	return np_reading_row(reading, line, error);
}

const struct np_format np_format_osu = { .name = "osu",
					 .title = "OSU micro-benchmarks",
					 .recognize = recognize_osu,
					 .take = take_osu };

/* ---- Intel MPI Benchmarks ----------------------------------------------------------- */

/*
 * Reads output of the Intel MPI Benchmarks: "# Benchmarking PingPong",
 * then a header line, then rows until an empty line.
 *
 * The figure is t[usec], else t_avg[usec], else Mbytes/sec, which are of 10^6 bytes
 * since IMB 2018.
 */

static const char benchmark[] = "# Benchmarking ", processes[] = "# #processes = ";

static bool recognize_imb(const char *text)
{
	return strstr(text, benchmark) != NULL && strstr(text, "#bytes") != NULL;
}

static void take_imb_columns(struct np_reading *reading, char *line)
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

static void take_imb_name(struct np_reading *reading, const char *name)
{
	const int length = (int)strcspn(name, " \t");

	snprintf(reading->key.op, NP_LABEL, "%.*s", length < NP_LABEL ? length : 0, name);
	if (strcmp(reading->key.op, "PingPong") == 0)
		snprintf(reading->key.op, NP_LABEL, "pingpong");
	reading->key.variant[0] = '\0';
}

/* Parses "# #processes = 4" into the variant, as a collective of four ranks is not
 * comparable with one of two. */
static void take_imb_processes(struct np_reading *reading, const char *text)
{
	const char *digits = text + strcspn(text, "0123456789");
	const int length = (int)strspn(digits, "0123456789");

	if (length > 0 && length < 10)
		snprintf(reading->key.variant, NP_LABEL, "%.*s processes", length, digits);
}

static int take_imb(struct np_reading *reading, char *line, size_t length,
		    struct np_error *error)
{
	const char *text = line + strspn(line, " \t");
	if (strncmp(line, benchmark, sizeof(benchmark) - 1) == 0)
		take_imb_name(reading, line + sizeof(benchmark) - 1);
	if (strncmp(text, processes, sizeof(processes) - 1) == 0)
		take_imb_processes(reading, text);
	if (strncmp(text, "#bytes", 6) == 0) {
		take_imb_columns(reading, line);
		return 0;
	}
	if (length == 0 || *text == '#' || *text == '\0')
		reading->columns.known = false;
	if (!reading->columns.known)
		return 0;
	return np_reading_row(reading, line, error);
}

const struct np_format np_format_imb = { .name = "imb",
					 .title = "Intel MPI Benchmarks",
					 .recognize = recognize_imb,
					 .take = take_imb };

/* ---- nccl-tests --------------------------------------------------------------------- */

/*
 * Reads output of nccl-tests and rccl-tests: a header line with "algbw"
 * and "busbw", then rows of size, time, and the same for buffers in place.
 *
 * The figure is the time of one operation in microseconds, a mean of the iterations and, by
 * default, of the ranks.
 */

enum { WORDS = 16 };

static bool recognize_nccl(const char *text)
{
	const char *header = strstr(text, "algbw");

	return header != NULL && strstr(header, "busbw") != NULL;
}

static int begin_nccl(struct np_reading *reading, const char *text, struct np_error *error)
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
static void take_nccl_name(struct np_reading *reading, const char *line)
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

/* Stores the columns of the first and the second "time" in extras, from 0: the leading '#'
 * of the header line is no column. */
static void take_nccl_columns(struct np_reading *reading, char *line)
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

static int take_nccl_row(struct np_reading *reading, char *line, struct np_error *error)
{
	static const char *const places[] = { "out of place", "in place" };
	struct np_columns *columns = &reading->columns;
	char *words[WORDS];
	const size_t count = np_columns_split(line, words, WORDS);
	int rc = 0;

	/* Refuse a row that is cut off before it adds one figure of two. */
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

static int take_nccl(struct np_reading *reading, char *line, size_t length,
		     struct np_error *error)
{
	const char *text = line + strspn(line, " \t");

	(void)length;
	if (*text >= '0' && *text <= '9' && reading->columns.known)
		return take_nccl_row(reading, line, error);
	/* Skip messages of libraries, which may stand anywhere. */
	take_nccl_name(reading, line);
	if (strncmp(text, "# Using devices", 15) == 0)
		reading->cells = 0;
	if (strncmp(text, "#  Rank ", 8) == 0 || strncmp(text, "#   Rank ", 9) == 0)
		reading->cells++;
	if (*text == '#' && strstr(text, "algbw") != NULL)
		take_nccl_columns(reading, line);
	return 0;
}

const struct np_format np_format_nccl = { .name = "nccl",
					  .title = "nccl-tests",
					  .recognize = recognize_nccl,
					  .begin = begin_nccl,
					  .take = take_nccl };
