/*
 * import_netperf.c - reads what netperf 2.5 and later print of an omni or migrated test
 * with output selectors: "KEY=value" lines (-k), or a line of names and one of values (-o).
 *
 * The figure of a request/response test is half a round trip: of P50_LATENCY, else
 * MEAN_LATENCY, RT_LATENCY, or the rate of transactions.  The figure of a stream test is
 * the time of a send at the throughput.  Sizes and units have to be among the selectors.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/reading/csv.h"
#include "report/reading/reading.h"

enum value {
	RATE,
	REQUEST,
	RESPONSE,
	SEND,
	BURST,
	MIN,
	MEAN,
	P50,
	P90,
	P99,
	ROUND_TRIP,
	VALUES
};

static const struct {
	const char *key, *title;
} names[VALUES] = {
	{ "THROUGHPUT", "Throughput" },
	{ "REQUEST_SIZE", "Request Size Bytes" },
	{ "RESPONSE_SIZE", "Response Size Bytes" },
	{ "LOCAL_SEND_SIZE", "Local Send Size" },
	{ "BURST_SIZE", "Initial Burst Requests" },
	{ "MIN_LATENCY", "Minimum Latency Microseconds" },
	{ "MEAN_LATENCY", "Mean Latency Microseconds" },
	{ "P50_LATENCY", "50th Percentile Latency Microseconds" },
	{ "P90_LATENCY", "90th Percentile Latency Microseconds" },
	{ "P99_LATENCY", "99th Percentile Latency Microseconds" },
	{ "RT_LATENCY", "Round Trip Latency usec/tran" },
};

static bool recognize(const char *text)
{
	static const char *const signs[] = { "THROUGHPUT=", "_LATENCY=", "Throughput Units",
					     "Latency Microseconds",
					     "Round Trip Latency usec/tran" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (strstr(text, signs[i]) != NULL)
			return true;
	}
	return false;
}

static void forget_test(struct np_reading *reading)
{
	for (size_t i = 0; i < VALUES; i++)
		reading->numbers[i] = (double)NAN;
	reading->columns = (struct np_columns){ .dimension = NP_DIMENSION_NONE };
	reading->key.variant[0] = '\0';
	np_reading_blank(reading);
}

static int begin(struct np_reading *reading, const char *text, struct np_error *error)
{
	(void)text;
	(void)error;
	forget_test(reading);
	np_facts_add(&reading->run->notes, "units",
		     "the file counts microseconds of round trips, of which half is taken, "
		     "or bits a second");
	return 0;
}

/* Computes seconds a message from the throughput and its unit: bits, bytes by powers of
 * two, or transactions, which are round trips. */
static double seconds_by_rate(const struct np_reading *reading, double length)
{
	const double rate = reading->numbers[RATE] * reading->columns.scale;

	return reading->columns.dimension == NP_DIMENSION_BIT_RATE ? 8 * length / rate :
								     1 / (2 * rate);
}

static void take_unit(struct np_columns *columns, const char *unit)
{
	static const struct {
		const char *name;
		double scale;
	} units[] = {
		{ "10^3bits/s", 1e3 },	       { "10^6bits/s", 1e6 },
		{ "10^9bits/s", 1e9 },	       { "KBytes/s", 8.0 * 1024 },
		{ "MBytes/s", 8.0 * 1048576 }, { "GBytes/s", 8.0 * 1073741824 },
	};

	columns->dimension = NP_DIMENSION_NONE;
	columns->scale = strcmp(unit, "Trans/s") == 0 ? 1 : (double)NAN;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].name) != 0)
			continue;
		columns->dimension = NP_DIMENSION_BIT_RATE;
		columns->scale = units[i].scale;
	}
}

/* Takes half round trips of a request/response test. */
static int take_latency(struct np_reading *reading, struct np_error *error)
{
	const double *numbers = reading->numbers, half = 0.5e-6;
	const enum value order[] = { P50, MEAN, ROUND_TRIP };
	struct np_row *point = &reading->point;

	if (!(fabs(numbers[RESPONSE] - numbers[REQUEST]) < 0.5))
		return np_malformed(error, "not one size of request and response: half of "
					   "their round trip is no latency");
	if (numbers[BURST] > 0)
		return np_malformed(error, "a burst of %.0f requests: no ping-pong",
				    numbers[BURST]);
	snprintf(reading->key.op, NP_LABEL, "pingpong");
	point->min_s = numbers[MIN] * half;
	point->mean_s = numbers[MEAN] * half;
	point->p50_s = numbers[P50] * half;
	point->p90_s = numbers[P90] * half;
	point->p99_s = numbers[P99] * half;
	point->median_s = (double)NAN;
	for (size_t i = 0; i < 3 && !isfinite(point->median_s); i++)
		point->median_s = numbers[order[i]] * half;
	if (!isfinite(point->median_s))
		point->median_s = seconds_by_rate(reading, numbers[REQUEST]);
	return np_reading_point(reading, "netperf", error);
}

/* Adds the test of the lines before, if there is one. */
static int finish(struct np_reading *reading, struct np_error *error)
{
	const double *numbers = reading->numbers;
	const bool answers = numbers[REQUEST] > 0;
	const double length = answers ? numbers[REQUEST] : numbers[SEND];
	bool any = false;
	int rc = 0;

	for (size_t i = 0; i < VALUES; i++)
		any = any || isfinite(numbers[i]);
	if (!any)
		return 0;
	reading->sized = length > 0 && length <= 0x1p52;
	if (!reading->sized)
		return np_malformed(error, "no size of a message before this: REQUEST_SIZE "
					   "and RESPONSE_SIZE, or LOCAL_SEND_SIZE, have to "
					   "be among netperf's output selectors");
	reading->point.length = (size_t)length;
	if (answers) {
		rc = take_latency(reading, error);
	} else {
		snprintf(reading->key.op, NP_LABEL, "stream");
		reading->point.median_s = seconds_by_rate(reading, length);
		rc = np_reading_point(reading, "netperf", error);
	}
	forget_test(reading);
	return rc;
}

/* Takes a value by its key or title; other names are skipped. netperf prints -1 for a value
 * that the test does not have. */
static int take_value(struct np_reading *reading, const char *name, const char *text,
		      struct np_error *error)
{
	if (strcmp(name, "THROUGHPUT_UNITS") == 0 || strcmp(name, "Throughput Units") == 0)
		take_unit(&reading->columns, text);
	if (strcmp(name, "PROTOCOL") == 0 || strcmp(name, "Protocol") == 0)
		snprintf(reading->key.variant, NP_LABEL, "%s", text);
	for (size_t i = 0; i < VALUES; i++) {
		if (strcmp(name, names[i].key) != 0 && strcmp(name, names[i].title) != 0)
			continue;
		if (text[0] != '-' && !np_columns_number(text, &reading->numbers[i]))
			return np_malformed(error, "'%.40s' is no number of %s", text,
					    name);
	}
	return 0;
}

/* Takes a line of values; reading->document is the line of their titles. */
static int take_cells(struct np_reading *reading, char *line, struct np_error *error)
{
	enum { CELLS = 256 };
	char *titles[CELLS], *cells[CELLS];
	const size_t count = np_csv_split(reading->document, titles, CELLS);
	int rc = 0;

	if (np_csv_split(line, cells, CELLS) != count || count == 0 || count > CELLS)
		rc = np_malformed(error, "not as many values as the line before has names");
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = take_value(reading, titles[i], cells[i], error);
	free(reading->document);
	reading->document = NULL;
	return rc != 0 ? rc : finish(reading, error);
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	const size_t key = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	if (length == 0)
		return 0;
	if (strstr(line, " TEST from ") != NULL)
		return finish(reading, error);
	if (key > 0 && line[key] == '=') {
		line[key] = '\0';
		return take_value(reading, line, line + key + 1, error);
	}
	if (reading->document != NULL)
		return take_cells(reading, line, error);
	for (size_t i = 0; i < VALUES; i++) {
		if (strstr(line, names[i].title) != NULL && reading->document == NULL)
			reading->document = strdup(line);
	}
	return 0;
}

const struct np_format np_format_netperf = { .name = "netperf",
					     .title = "netperf",
					     .recognize = recognize,
					     .begin = begin,
					     .take = take,
					     .finish = finish };
