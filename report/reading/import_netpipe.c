/*
 * import_netpipe.c - reads np.out of NetPIPE 3 and of NetPIPE 5.
 */
#include "report/reading/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- NetPIPE 3, and NetPong's -o ---------------------------------------------------- */

/*
 * Reads np.out of NetPIPE 3 and of NetPong's -o: bytes, Mbit/s,
 * seconds.
 *
 * NetPIPE's megabit is 2^20 bits, NetPong's is 10^6; the rows decide, by 8 * bytes / (rate
 * * seconds).  The columns are rounded to 1e-6 Mbit/s and 1e-8 s; the time is computed from
 * the one with more significant digits.
 */

static const double mebi = 1048576, mega = 1e6;

/* Parses the three numbers of a line; false for any other line. */
static bool split_netpipe3_line(char *line, size_t *bytes, double *rate, double *seconds)
{
	char *words[4];

	return np_columns_split(line, words, 4) == 3 && np_columns_bytes(words[0], bytes) &&
	       np_columns_number(words[1], rate) && np_columns_number(words[2], seconds);
}

/* Copies a line and returns the begin of the next one; NULL at the end, and for a last line
 * without newline, since the text is only the first bytes of a file. */
static const char *next_line(const char *text, char *line, size_t size)
{
	const size_t length = strcspn(text, "\n");

	if (text[length] == '\0')
		return NULL;
	snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1), text);
	return text + length + 1;
}

/* Counts the lines whose rate and time agree with a megabit of 2^20 bits, of 10^6 bits, and
 * the lines of another format. */
static void count_votes(const char *text, size_t *binary, size_t *decimal, size_t *other)
{
	char line[256];
	double rate, seconds;
	size_t bytes;

	*binary = *decimal = *other = 0;
	while ((text = next_line(text, line, sizeof(line))) != NULL) {
		if (line[0] == '#')
			continue;
		if (!split_netpipe3_line(line, &bytes, &rate, &seconds)) {
			++*other;
			continue;
		}
		/* The two megabits differ by 4.9 %, so rate and time need three digits
		 * each. */
		if (seconds < 1e-6 || rate < 1e-3 || bytes == 0)
			continue;
		const double megabit = 8 * (double)bytes / (rate * seconds);

		*binary += fabs(megabit / mebi - 1) < 0.02;
		*decimal += fabs(megabit / mega - 1) < 0.02;
	}
}

static bool recognize_netpipe3(const char *text)
{
	size_t binary, decimal, other;

	count_votes(text, &binary, &decimal, &other);
	return other == 0 && (binary == 0) != (decimal == 0);
}

static int begin_netpipe3(struct np_reading *reading, const char *text,
			  struct np_error *error)
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

static int take_netpipe3(struct np_reading *reading, char *line, size_t length,
			 struct np_error *error)
{
	double rate, seconds;
	size_t bytes;

	if (length == 0 || line[0] == '#')
		return 0;
	if (!split_netpipe3_line(line, &bytes, &rate, &seconds))
		return np_malformed(error, "a row has bytes, Mbit/s and seconds");
	if (rate > 0 && rate / 1e-6 > seconds / 1e-8)
		seconds = 8 * (double)bytes / (rate * reading->megabit);
	return np_reading_figure(reading, bytes, seconds, error);
}

const struct np_format np_format_netpipe = { .name = "netpipe",
					     .title = "NetPIPE 3",
					     .recognize = recognize_netpipe3,
					     .begin = begin_netpipe3,
					     .take = take_netpipe3 };

/* ---- NetPIPE 5 ---------------------------------------------------------------------- */

/*
 * Reads np.out of NetPIPE 5: bytes, then average, minimum and
 * maximum Gbit/s of 10^9 bits, then the average time in microseconds.
 *
 * The average is used, from the column with more significant digits: the maximum is
 * wrong below 1 us, since NetPIPE 5 clamps the time to 1 us.
 */

struct figures {
	size_t bytes;
	double average, low, high, usec;
};

static bool split_netpipe5_line(char *line, struct figures *figures)
{
	char *words[6];

	return np_columns_split(line, words, 6) == 5 &&
	       np_columns_bytes(words[0], &figures->bytes) &&
	       np_columns_number(words[1], &figures->average) &&
	       np_columns_number(words[2], &figures->low) &&
	       np_columns_number(words[3], &figures->high) &&
	       np_columns_number(words[4], &figures->usec);
}

static bool recognize_netpipe5(const char *text)
{
	struct figures figures;
	size_t agree = 0, length;
	char line[256];

	for (; text[length = strcspn(text, "\n")] != '\0'; text += length + 1) {
		if (length >= sizeof(line))
			return false;
		memcpy(line, text, length);
		line[length] = '\0';
		if (!split_netpipe5_line(line, &figures))
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

static int begin_netpipe5(struct np_reading *reading, const char *text,
			  struct np_error *error)
{
	(void)text;
	(void)error;
	np_facts_add(&reading->run->notes, "units",
		     "the file counts Gbit/s of 10^9 bits and microseconds; the averages "
		     "are taken");
	return 0;
}

static int take_netpipe5(struct np_reading *reading, char *line, size_t length,
			 struct np_error *error)
{
	struct figures figures;

	if (length == 0)
		return 0;
	if (!split_netpipe5_line(line, &figures))
		return np_malformed(error,
				    "a row has bytes, three Gbit/s and microseconds");
	double seconds = figures.usec * 1e-6;
	if (figures.average / 1e-3 > figures.usec / 1e-2)
		seconds = 8 * (double)figures.bytes / (figures.average * 1e9);
	return np_reading_figure(reading, figures.bytes, seconds, error);
}

const struct np_format np_format_netpipe5 = { .name = "netpipe5",
					      .title = "NetPIPE 5",
					      .recognize = recognize_netpipe5,
					      .begin = begin_netpipe5,
					      .take = take_netpipe5 };
