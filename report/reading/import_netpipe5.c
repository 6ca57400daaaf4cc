/*
 * import_netpipe5.c - reads np.out of NetPIPE 5: bytes, then average, minimum and
 * maximum Gbit/s of 10^9 bits, then the average time in microseconds.
 *
 * The average is used, from the column with more significant digits: the maximum is
 * wrong below 1 us, since NetPIPE 5 clamps the time to 1 us.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/reading/reading.h"

struct figures {
	size_t bytes;
	double average, low, high, usec;
};

static bool split_line(char *line, struct figures *figures)
{
	char *words[6];

	return np_columns_split(line, words, 6) == 5 &&
	       np_columns_bytes(words[0], &figures->bytes) &&
	       np_columns_number(words[1], &figures->average) &&
	       np_columns_number(words[2], &figures->low) &&
	       np_columns_number(words[3], &figures->high) &&
	       np_columns_number(words[4], &figures->usec);
}

static bool recognize(const char *text)
{
	struct figures figures;
	size_t agree = 0, length;
	char line[256];

	for (; text[length = strcspn(text, "\n")] != '\0'; text += length + 1) {
		if (length >= sizeof(line))
			return false;
		memcpy(line, text, length);
		line[length] = '\0';
		if (!split_line(line, &figures))
			return false;
		if (figures.usec < 1 || figures.average < 0.1)
			continue;
		const double bits = figures.average * figures.usec * 1e3;

		if (fabs(8 * (double)figures.bytes / bits - 1) > 0.05)
			return false;
		agree++;
	}
	return agree != 0;
}

static int begin(struct np_reading *reading, const char *text, struct np_error *error)
{
	(void)text;
	(void)error;
	np_facts_add(&reading->run->notes, "units",
		     "the file counts Gbit/s of 10^9 bits and microseconds; the averages "
		     "are taken");
	return 0;
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	struct figures figures;

	if (length == 0)
		return 0;
	if (!split_line(line, &figures))
		return np_malformed(error, "not bytes, three Gbit/s and microseconds");
	double seconds = figures.usec * 1e-6;
	if (figures.average / 1e-3 > figures.usec / 1e-2)
		seconds = 8 * (double)figures.bytes / (figures.average * 1e9);
	return np_reading_figure(reading, figures.bytes, seconds, error);
}

const struct np_format np_format_netpipe5 = { .name = "netpipe5",
					      .title = "NetPIPE 5",
					      .recognize = recognize,
					      .begin = begin,
					      .take = take };
