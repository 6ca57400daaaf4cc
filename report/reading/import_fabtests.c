/*
 * import_fabtests.c - reads output of libfabric's fabtests and fi_pingpong: a header line
 * with "bytes", "total" and "usec/xfer", then rows; or with -m lines "{ xfer_size: 64,
 * iterations: 100, total: 12800, ... usec/xfer: 10.7, ... }".
 *
 * The figure is the mean time of a transfer; in a ping-pong, with two transfers an
 * iteration, it is half a round trip.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/reading/reading.h"

enum { BYTES, COUNT, TOTAL, USEC, COLUMNS };

/* Names of the columns: fi_pingpong has "#sent" for "iters". */
static const char *const names[COLUMNS] = { "bytes", "iters", "total", "usec/xfer" };
static const char *const keys[COLUMNS] = { "xfer_size: ", "iterations: ", "total: ",
					   "usec/xfer: " };

static bool recognize(const char *text)
{
	return strstr(text, "usec/xfer") != NULL;
}

static int begin(struct np_reading *reading, const char *text, struct np_error *error)
{
	(void)text;
	(void)error;
	np_facts_add(&reading->run->notes, "units",
		     "the file counts microseconds; the means are taken");
	return 0;
}

/* Parses "1.2k"; *step is the unit of its last digit, to which numbers are rounded down.
 * "b" is 10^9. */
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

static int take_words(struct np_reading *reading, char *const *words,
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
	/* Two transfers an iteration are a ping-pong; counts are rounded down. */
	const bool answers = (total + whole) / bytes > count + step;

	snprintf(reading->key.op, NP_LABEL, answers ? "pingpong" : "stream");
	return np_reading_figure(reading, (size_t)bytes, usec * 1e-6, error);
}

static int take_keys(struct np_reading *reading, char *line, struct np_error *error)
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
	return take_words(reading, words, error);
}

/* Stores the columns of a header line in extras, from 1; false for any other line. */
static bool take_header(struct np_reading *reading, char *const *words, size_t count)
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

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	char *words[16], *chosen[COLUMNS] = { NULL };

	(void)length;
	if (strstr(line, "{ xfer_size: ") != NULL)
		return take_keys(reading, line, error);
	const size_t count = np_columns_split(line, words, 16);
	if (take_header(reading, words, count) || reading->cells == 0 || count == 0)
		return 0;
	/* Skip messages of providers between rows. */
	if (count != reading->cells && strspn(words[0], "0123456789.kmg") == 0)
		return 0;
	if (count != reading->cells)
		return np_malformed(error, "%zu columns, where there should be %zu", count,
				    reading->cells);
	for (size_t i = 0; i < COLUMNS; i++)
		chosen[i] = words[reading->extras[i] - 1];
	return take_words(reading, chosen, error);
}

const struct np_format np_format_fabtests = { .name = "fabtests",
					      .title = "fabtests",
					      .recognize = recognize,
					      .begin = begin,
					      .take = take };
