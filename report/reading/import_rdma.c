/*
 * import_rdma.c - reads output of benchmarks of RDMA libraries: perftest, ucx_perftest,
 * fabtests.
 */
#include "report/reading/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- perftest ----------------------------------------------------------------------- */

/*
 * Reads output of perftest (ib_send_lat, ib_write_bw, ...): a title
 * such as "Send Latency Test", a header line "#bytes ...", rows, a line of dashes.
 *
 * The figure is t_typical (a median), or t_avg of a run by duration, or BW average.
 * MB/sec are of 2^20 bytes, Gb/sec of 10^9 bits.
 */

static bool recognize_perftest(const char *text)
{
	const char *table = strstr(text, "#bytes");

	return table != NULL && strstr(table, "#iterations") != NULL &&
	       (strstr(text, " Test\n") != NULL || strstr(text, " Test\r\n") != NULL);
}

static void take_perftest_title(struct np_reading *reading, const char *line)
{
	const char *begin = line + strspn(line, " \t");
	const char *end = strstr(begin, " Test");

	if (end != NULL && end - begin < NP_LABEL &&
	    strspn(end, " Test\t\r") == strlen(end))
		snprintf(reading->key.op, NP_LABEL, "%.*s", (int)(end - begin), begin);
}

/* Sets fixed column numbers: the words of the header line cannot be counted, since names
 * contain blanks: "BW peak[...]" precedes "BW average[...]". */
static void take_perftest_columns(struct np_reading *reading, const char *line)
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

static int take_perftest(struct np_reading *reading, char *line, size_t length,
			 struct np_error *error)
{
	(void)length;
	const char *text = line + strspn(line, " \t");
	if (strncmp(text, "#bytes", 6) == 0) {
		take_perftest_columns(reading, line);
		return 0;
	}
	/* With -U or -H a list of all samples follows the header line; the header line
	 * is then repeated before the table. */
	if (*text == '\0' || *text == '#' || strncmp(text, "---", 3) == 0)
		reading->columns.known = false;
	if (!reading->columns.known) {
		take_perftest_title(reading, line);
		return 0;
	}
	return np_reading_row(reading, line, error);
}

const struct np_format np_format_perftest = { .name = "perftest",
					      .title = "perftest",
					      .recognize = recognize_perftest,
					      .take = take_perftest };

/* ---- ucx_perftest ------------------------------------------------------------------- */

/*
 * Reads output of ucx_perftest, also with -v: the last line of a
 * table, "Final:".
 *
 * The figure of a latency test is the percentile, a median of the last iterations, and the
 * overall average is its mean; both are half round trips except for get and the atomic
 * operations that fetch.  The figure of other tests is the overall average.  Size and test
 * stand in the box above the table, or in the command line.
 */

static const char ucx_perftest[] = "ucx_perftest";

static bool recognize_ucx(const char *text)
{
	return strstr(text, "| # iterations |") != NULL ||
	       strstr(text, "_lat,avg_lat,overall_lat") != NULL;
}

static int begin_ucx(struct np_reading *reading, const char *text, struct np_error *error)
{
	(void)text;
	(void)error;
	np_reading_blank(reading);
	np_facts_add(&reading->run->notes, "units",
		     "the file counts microseconds: of latency tests the typical one, else "
		     "the overall average");
	return 0;
}

/* Sets operation and variant from "tag sync match latency" in the box, or "tag_sync_lat" in
 * the command line: both are "tag sync". */
static void take_ucx_test(struct np_key *key, const char *name)
{
	static const char *const ends[] = { " latency", " bandwidth", " message",
					    "_lat",	"_bw",	      "_mr" };
	static const char *const round_trips[] = { "get", "fetch", "fadd", "swap" };
	if (strncmp(name, "ucp_", 4) == 0)
		name += 4;
	size_t length = strcspn(name, "|\r\n");

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const char *end = strstr(name, ends[i]);

		if (end != NULL && (size_t)(end - name) < length)
			length = (size_t)(end - name);
	}
	while (length > 0 && name[length - 1] == ' ')
		length--;
	snprintf(key->op, NP_LABEL, "%s",
		 strstr(name, "lat") != NULL ? "pingpong" : "stream");
	snprintf(key->variant, NP_LABEL, "%.*s",
		 length < NP_LABEL ? (int)length : NP_LABEL - 1, name);
	for (char *at = key->variant; *at != '\0'; at++)
		*at = *at == '_' ? ' ' : *at;
	for (size_t i = 0; i < sizeof(round_trips) / sizeof(round_trips[0]); i++) {
		if (strstr(key->variant, round_trips[i]) != NULL) {
			memcpy(key->op, key->variant, NP_LABEL);
			key->variant[0] = '\0';
		}
	}
}

static void take_ucx_title(struct np_reading *reading, const char *line)
{
	const char *test = strstr(line, "| Test: ");
	char text[64];

	if (test != NULL) {
		test += strlen("| Test: ");
		take_ucx_test(&reading->key, test + strspn(test, " "));
	}
	if (np_command_value(line, ucx_perftest, "-t", text, sizeof(text)))
		take_ucx_test(&reading->key, text);
	np_command_length(reading, line, ucx_perftest, "-s");
	np_length_behind(reading, line, "Message size: ");
	if (reading->key.op[0] == '\0' && strstr(line, "(usec)") != NULL)
		snprintf(reading->key.op, NP_LABEL, "%s",
			 strstr(line, "latency") != NULL ? "pingpong" : "stream");
}

/* Takes a row: iterations; median, average and overall microseconds; average and overall
 * MB/s of 2^20 bytes; average and overall messages a second. */
static int take_ucx_row(struct np_reading *reading, char *line, struct np_error *error)
{
	enum { TYPICAL = 1, OVERALL = 3, RATE = 7, WORDS };
	struct np_row *point = &reading->point;
	double numbers[WORDS];
	char *words[WORDS];

	for (char *at = line; *at != '\0'; at++)
		*at = *at == ',' ? ' ' : *at;
	const size_t count = np_columns_split(line, words, WORDS);

	if (count < WORDS)
		return np_malformed(error, "%zu columns, where there should be %d", count,
				    (int)WORDS);
	for (size_t i = 0; i < WORDS; i++) {
		if (!np_columns_number(words[i], &numbers[i]))
			return np_malformed(error, "'%.40s' is not a number from 0 on",
					    words[i]);
	}
	point->mean_s = numbers[OVERALL] * 1e-6;
	if (strcmp(reading->key.op, "stream") != 0) {
		point->median_s = point->p50_s = numbers[TYPICAL] * 1e-6;
	} else {
		/* Above 1e4 messages/s the rate has more significant digits than the
		 * time. */
		if (numbers[RATE] >= 1e4)
			point->mean_s = 1 / numbers[RATE];
		point->median_s = point->mean_s;
	}
	return np_reading_point(reading, ucx_perftest, error);
}

static int take_ucx(struct np_reading *reading, char *line, size_t length,
		    struct np_error *error)
{
	(void)length;
	char *row = line + strspn(line, " \t");

	take_ucx_title(reading, line);
	if (strstr(line, "# iterations |") != NULL || strncmp(line, "iterations,", 11) == 0)
		reading->columns.known = true;
	if (!reading->columns.known)
		return 0;
	if (strncmp(row, "Final:", 6) == 0)
		return take_ucx_row(reading, row + 6, error);
	return *row >= '0' && *row <= '9' ? take_ucx_row(reading, row, error) : 0;
}

const struct np_format np_format_ucx_perftest = { .name = "ucx_perftest",
						  .title = "ucx_perftest",
						  .recognize = recognize_ucx,
						  .begin = begin_ucx,
						  .take = take_ucx };

/* ---- fabtests ----------------------------------------------------------------------- */

/*
 * Reads output of libfabric's fabtests and fi_pingpong: a header line
 * with "bytes", "total" and "usec/xfer", then rows; or with -m lines "{ xfer_size: 64,
 * iterations: 100, total: 12800, ... usec/xfer: 10.7, ... }".
 *
 * The figure is the mean time of a transfer; in a ping-pong, with two transfers an
 * iteration, it is half a round trip.
 */

enum { BYTES, COUNT, TOTAL, USEC, COLUMNS };

/* Names of the columns: fi_pingpong has "#sent" for "iters". */
static const char *const names[COLUMNS] = { "bytes", "iters", "total", "usec/xfer" };
static const char *const keys[COLUMNS] = { "xfer_size: ", "iterations: ", "total: ",
					   "usec/xfer: " };

static bool recognize_fabtests(const char *text)
{
	return strstr(text, "usec/xfer") != NULL;
}

static int begin_fabtests(struct np_reading *reading, const char *text,
			  struct np_error *error)
{
	(void)text;
	(void)error;
	np_facts_add(&reading->run->notes, "units",
		     "the file counts microseconds; the means are taken");
	return 0;
}

/* Parses "1.2k", a number rounded down; *step is the unit of its last digit, here a tenth
 * of kilo.  kilo: 1000 or 1024; "b" stands for kilo^3. */
static bool read_rounded(const char *word, double kilo, double *number, double *step)
{
	static const char prefixes[] = "kmgb";
	const size_t digits = strspn(word, "0123456789.");
	char text[32];

	if (digits >= sizeof(text))
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)digits, word);
	if (!np_columns_number(text, number) || *number <= 0)
		return false;
	*step = strchr(text, '.') != NULL ? 0.1 : 1;
	if (word[digits] == '\0')
		return true;
	const char *prefix = strchr(prefixes, word[digits]);
	if (prefix == NULL || word[digits + 1] != '\0')
		return false;
	const double scale =
		pow(kilo, *prefix == 'b' ? 3 : (double)(prefix - prefixes) + 1);
	*number *= scale;
	*step *= scale;
	return *number <= 0x1p52;
}

static int take_fabtests_words(struct np_reading *reading, char *const *words,
			       struct np_error *error)
{
	double bytes, count, total, usec, step, whole;

	if (!read_rounded(words[BYTES], 1024, &bytes, &whole) ||
	    !read_rounded(words[COUNT], 1000, &count, &step) ||
	    !read_rounded(words[TOTAL], 1024, &total, &whole) ||
	    !np_columns_number(words[USEC], &usec))
		return np_malformed(error,
				    "not bytes, iterations, total and usec/xfer: "
				    "'%.16s' '%.16s' '%.16s' '%.16s'",
				    words[BYTES], words[COUNT], words[TOTAL], words[USEC]);
	/* A ping-pong has two transfers an iteration, so total exceeds bytes * iterations.
	 * Both numbers are rounded down: add a unit of the last digit to each. */
	const bool answers = (total + whole) / bytes > count + step;

	snprintf(reading->key.op, NP_LABEL, answers ? "pingpong" : "stream");
	return np_reading_figure(reading, (size_t)bytes, usec * 1e-6, error);
}

static int take_fabtests_keys(struct np_reading *reading, char *line,
			      struct np_error *error)
{
	char *words[COLUMNS] = { NULL };

	for (size_t i = 0; i < COLUMNS; i++) {
		char *at = strstr(line, keys[i]);

		if (at == NULL)
			return np_malformed(error, "no '%s'", keys[i]);
		words[i] = at + strlen(keys[i]);
	}
	for (size_t i = 0; i < COLUMNS; i++)
		words[i][strcspn(words[i], ", }\r")] = '\0';
	return take_fabtests_words(reading, words, error);
}

/* Stores the column numbers of a header line in extras, from 1, and the number of columns
 * in cells; false for any other line. */
static bool take_fabtests_header(struct np_reading *reading, char *const *words,
				 size_t count)
{
	size_t columns[COLUMNS] = { 0 };

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < COLUMNS; k++) {
			if (strcmp(words[i], names[k]) == 0 ||
			    (k == COUNT && strcmp(words[i], "#sent") == 0))
				columns[k] = i + 1;
		}
	}
	for (size_t k = 0; k < COLUMNS; k++) {
		if (columns[k] == 0)
			return false;
	}
	memcpy(reading->extras, columns, sizeof(columns));
	reading->cells = count;
	return true;
}

static int take_fabtests(struct np_reading *reading, char *line, size_t length,
			 struct np_error *error)
{
	char *words[16], *chosen[COLUMNS] = { NULL };

	(void)length;
	if (strstr(line, "{ xfer_size: ") != NULL)
		return take_fabtests_keys(reading, line, error);
	const size_t count = np_columns_split(line, words, 16);
	if (take_fabtests_header(reading, words, count) || reading->cells == 0 ||
	    count == 0)
		return 0;
	/* Skip messages of providers between rows. */
	if (count != reading->cells && strspn(words[0], "0123456789.kmg") == 0)
		return 0;
	if (count != reading->cells)
		return np_malformed(error, "%zu columns, where there should be %zu", count,
				    reading->cells);
	for (size_t i = 0; i < COLUMNS; i++)
		chosen[i] = words[reading->extras[i] - 1];
	return take_fabtests_words(reading, chosen, error);
}

const struct np_format np_format_fabtests = { .name = "fabtests",
					      .title = "fabtests",
					      .recognize = recognize_fabtests,
					      .begin = begin_fabtests,
					      .take = take_fabtests };
