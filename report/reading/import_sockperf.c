/*
 * import_sockperf.c - reads output of sockperf, and its --full-log: "avg-latency=",
 * percentiles, "<MIN> observation"; or "Message Rate is" of a throughput test.
 *
 * A latency is half of a round trip.  The figure is the median; mean, least and percentiles
 * are taken too.  The size stands in a full log and in a throughput test; for a ping-pong
 * in the command line only.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/reading/reading.h"

static const char program[] = "sockperf";

static bool recognize(const char *text)
{
	return strstr(text, "sockperf: ") != NULL &&
	       (strstr(text, "observation") != NULL ||
		strstr(text, "Message Rate is") != NULL);
}

static int begin(struct np_reading *reading, const char *text, struct np_error *error)
{
	(void)text;
	(void)error;
	np_reading_blank(reading);
	snprintf(reading->key.op, NP_LABEL, "pingpong");
	np_facts_add(&reading->run->notes, "units",
		     "the file counts microseconds of half round trips, or messages that "
		     "the client sent; the medians are taken");
	return 0;
}

/* Returns the number after `words`, converted from microseconds to seconds; NAN if there is
 * none.  Terminal escapes may surround the text. */
static double usec_after(const char *line, const char *words)
{
	char number[32];
	const char *at = strstr(line, words);
	double value;

	if (at == NULL)
		return (double)NAN;
	at += strlen(words);
	at += strspn(at, " =");
	snprintf(number, sizeof(number), "%.*s", (int)strspn(at, "0123456789.+-e"), at);
	return np_columns_number(number, &value) ? value * 1e-6 : (double)NAN;
}

/* Takes size and operation from a command line. */
static void take_command(struct np_reading *reading, const char *line)
{
	np_command_length(reading, line, program, "-m");
	np_command_length(reading, line, program, "--msg-size");
	if (strstr(line, "sockperf under-load") != NULL ||
	    strstr(line, "sockperf ul ") != NULL)
		snprintf(reading->key.op, NP_LABEL, "under load");
	else if (strstr(line, "sockperf ping-pong") != NULL ||
		 strstr(line, "sockperf pp ") != NULL)
		snprintf(reading->key.op, NP_LABEL, "pingpong");
	np_length_behind(reading, line, "msg-size=");
}

static void take_percentile(struct np_row *point, const char *line)
{
	const struct {
		const char *words;
		double *seconds;
	} list[] = {
		{ "percentile 50.00", &point->p50_s },
		{ "percentile 90.00", &point->p90_s },
		{ "percentile 99.00", &point->p99_s },
		{ "percentile 99.90", &point->p999_s },
	};

	/* "99.900", and "99.90" of older versions. */
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		const char *value = strchr(line, '=');

		if (value != NULL && strstr(line, list[i].words) != NULL)
			*list[i].seconds = usec_after(value, "=");
	}
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	struct np_row *point = &reading->point;

	(void)length;
	take_command(reading, line);
	take_percentile(point, line);
	if (strstr(line, "avg-latency=") != NULL)
		point->mean_s = usec_after(line, "avg-latency=");
	if (strstr(line, "Message Rate is ") != NULL) {
		const double rate = usec_after(line, "Message Rate is ") * 1e6;
		char op[NP_LABEL];

		snprintf(op, sizeof(op), "%s", reading->key.op);
		snprintf(reading->key.op, NP_LABEL, "stream");
		point->median_s = 1 / rate;
		const int rc = np_reading_point(reading, program, error);
		snprintf(reading->key.op, NP_LABEL, "%s", op);
		return rc;
	}
	if (strstr(line, "<MIN> observation") == NULL)
		return 0;
	/* Add the point at the last line of a table. */
	point->min_s = usec_after(line, "<MIN> observation");
	point->median_s = isfinite(point->p50_s) ? point->p50_s : point->mean_s;
	return np_reading_point(reading, program, error);
}

const struct np_format np_format_sockperf = { .name = "sockperf",
					      .title = "sockperf",
					      .recognize = recognize,
					      .begin = begin,
					      .take = take };
