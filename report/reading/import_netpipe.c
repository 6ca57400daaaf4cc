/*
 * import_netpipe.c - reads np.out of NetPIPE 3 and of NetPong's -o: bytes, Mbit/s,
 * seconds.
 *
 * NetPIPE's megabit is 2^20 bits, NetPong's is 10^6; rate and time of the rows decide.  The
 * columns are rounded to 1e-6 Mbit/s and 1e-8 s; the more precise one is used.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/reading/reading.h"

static const double mebi = 1048576, mega = 1e6;

/* Parses the three numbers of a line; false for any other line. */
static bool split_line(char *line, size_t *bytes, double *rate, double *seconds)
{
	char *words[4];

	return np_columns_split(line, words, 4) == 3 && np_columns_bytes(words[0], bytes) &&
	       np_columns_number(words[1], rate) && np_columns_number(words[2], seconds);
}

/* Copies a line and returns the begin of the next one; NULL at the end or for a line
 * without newline, which the end of the peeked text has cut. */
static const char *next_line(const char *text, char *line, size_t size)
{
	const size_t length = strcspn(text, "\n");

	if (text[length] == '\0')
		return NULL;
	snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1), text);
	return text + length + 1;
}

/* Counts the lines that agree with each megabit, and the lines of another format. */
static void count_votes(const char *text, size_t *binary, size_t *decimal, size_t *other)
{
	char line[256];
	double rate, seconds;
	size_t bytes;

	*binary = *decimal = *other = 0;
	while ((text = next_line(text, line, sizeof(line))) != NULL) {
		if (line[0] == '#')
			continue;
		if (!split_line(line, &bytes, &rate, &seconds)) {
			++*other;
			continue;
		}
		/* The two differ by 4.9 %, so both columns need three digits. */
		if (seconds < 1e-6 || rate < 1e-3 || bytes == 0)
			continue;
		const double megabit = 8 * (double)bytes / (rate * seconds);

		*binary += fabs(megabit / mebi - 1) < 0.02;
		*decimal += fabs(megabit / mega - 1) < 0.02;
	}
}

static bool recognize(const char *text)
{
	size_t binary, decimal, other;

	count_votes(text, &binary, &decimal, &other);
	return other == 0 && (binary == 0) != (decimal == 0);
}

static int begin(struct np_reading *reading, const char *text, struct np_error *error)
{
	size_t binary, decimal, other;

	(void)error;
	count_votes(text, &binary, &decimal, &other);
	reading->megabit = decimal > binary ? mega : mebi;
	if (decimal > binary)
		np_facts_add(&reading->run->notes, "units",
			     "Mbit/s of 10^6 bits, as its own times show");
	else
		np_facts_add(&reading->run->notes, "units",
			     "the file counts Mbit/s of 2^20 bits%s; all that is printed "
			     "here is converted to 10^6",
			     binary != 0 ? ", as its own times show" :
					   ", as NetPIPE 3 does");
	return 0;
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	double rate, seconds;
	size_t bytes;

	if (length == 0 || line[0] == '#')
		return 0;
	if (!split_line(line, &bytes, &rate, &seconds))
		return np_malformed(error, "not bytes, Mbit/s and seconds");
	if (rate > 0 && rate / 1e-6 > seconds / 1e-8)
		seconds = 8 * (double)bytes / (rate * reading->megabit);
	return np_reading_figure(reading, bytes, seconds, error);
}

const struct np_format np_format_netpipe = { .name = "netpipe",
					     .title = "NetPIPE 3",
					     .recognize = recognize,
					     .begin = begin,
					     .take = take };
