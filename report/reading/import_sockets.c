/*
 * import_sockets.c - reads output of benchmarks of sockets: sockperf, iperf3, netperf.
 */
#include "report/reading/reading.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/reading/columns.h"

/* ---- sockperf ----------------------------------------------------------------------- */

/*
 * Reads output of sockperf, and its --full-log: "avg-latency=",
 * percentiles, "<MIN> observation"; or "Message Rate is" of a throughput test.
 *
 * A latency is half of a round trip.  The figure is the median; mean, least and percentiles
 * are taken too.  The size stands in a full log and in a throughput test; for a ping-pong
 * in the command line only.
 */

static const char sockperf[] = "sockperf";

static bool recognize_sockperf(const char *text)
{
	return strstr(text, "sockperf: ") != NULL &&
	       (strstr(text, "observation") != NULL ||
		strstr(text, "Message Rate is") != NULL);
}

static int begin_sockperf(struct np_reading *reading, const char *text,
			  struct np_error *error)
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
static void take_sockperf_command(struct np_reading *reading, const char *line)
{
	np_command_length(reading, line, sockperf, "-m");
	np_command_length(reading, line, sockperf, "--msg-size");
	if (strstr(line, "sockperf under-load") != NULL ||
	    strstr(line, "sockperf ul ") != NULL)
		snprintf(reading->key.op, NP_LABEL, "under load");
	else if (strstr(line, "sockperf ping-pong") != NULL ||
		 strstr(line, "sockperf pp ") != NULL)
		snprintf(reading->key.op, NP_LABEL, "pingpong");
	np_length_behind(reading, line, "msg-size=");
}

static void take_sockperf_percentile(struct np_row *point, const char *line)
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

	/* Older versions print "99.90", newer ones "99.900". */
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		const char *value = strchr(line, '=');

		if (value != NULL && strstr(line, list[i].words) != NULL)
			*list[i].seconds = usec_after(value, "=");
	}
}

static int take_sockperf(struct np_reading *reading, char *line, size_t length,
			 struct np_error *error)
{
	struct np_row *point = &reading->point;

	(void)length;
	take_sockperf_command(reading, line);
	take_sockperf_percentile(point, line);
	if (strstr(line, "avg-latency=") != NULL)
		point->mean_s = usec_after(line, "avg-latency=");
	if (strstr(line, "Message Rate is ") != NULL) {
		const double rate = usec_after(line, "Message Rate is ") * 1e6;
		char op[NP_LABEL];

		snprintf(op, sizeof(op), "%s", reading->key.op);
		snprintf(reading->key.op, NP_LABEL, "stream");
		point->median_s = 1 / rate;
		const int rc = np_reading_point(reading, sockperf, error);
		snprintf(reading->key.op, NP_LABEL, "%s", op);
		return rc;
	}
	if (strstr(line, "<MIN> observation") == NULL)
		return 0;
	/* Add the point at the last line of a table. */
	point->min_s = usec_after(line, "<MIN> observation");
	point->median_s = isfinite(point->p50_s) ? point->p50_s : point->mean_s;
	return np_reading_point(reading, sockperf, error);
}

const struct np_format np_format_sockperf = { .name = "sockperf",
					      .title = "sockperf",
					      .recognize = recognize_sockperf,
					      .begin = begin_sockperf,
					      .take = take_sockperf };

/* ---- iperf3 ------------------------------------------------------------------------- */

/*
 * Reads the JSON of iperf3 -J, of one test or of several one after
 * another, and of --json-stream.
 *
 * iperf3 measures rates alone: the figure is the time that a block of -l takes at the rate
 * of the receiver, the sum of all streams.
 */

/* Most bytes of a file; iperf3 writes some hundred for each second and stream. */
enum { DOCUMENT_MAX = 256 << 20 };

static bool recognize_iperf3(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '{' && strstr(text, "\"iperf ") != NULL;
}

static int take_iperf3(struct np_reading *reading, char *line, size_t length,
		       struct np_error *error)
{
	/* Length with the newline, without the terminating zero. */
	const size_t end = reading->document_length + length + 1;

	if (end > DOCUMENT_MAX)
		return np_malformed(error, "more than %d MiB", DOCUMENT_MAX >> 20);
	if (end >= reading->document_capacity) {
		char *larger = realloc(reading->document, 2 * (end + 1));

		if (larger == NULL)
			return np_fail_errno(error, ENOMEM, "no memory for the file");
		reading->document = larger;
		reading->document_capacity = 2 * (end + 1);
	}
	memcpy(reading->document + reading->document_length, line, length);
	memcpy(reading->document + end - 1, "\n", 2);
	reading->document_length = end;
	return 0;
}

static double rate_of(const json_t *end, const char *name)
{
	return json_number_value(
		json_object_get(json_object_get(end, name), "bits_per_second"));
}

/* Adds the time of a block of -l at a rate, bit/s; the variant names protocol, number of
 * streams and direction. */
static int take_iperf3_rate(struct np_reading *reading, const json_t *test, double rate,
			    const char *direction, struct np_error *error)
{
	const long long block = json_integer_value(json_object_get(test, "blksize"));
	const long long streams = json_integer_value(json_object_get(test, "num_streams"));
	const char *protocol = json_string_value(json_object_get(test, "protocol"));

	if (block <= 0 || block > 1LL << 52 || !(rate > 0))
		return np_malformed(error, "no block size, or no rate, in a test");
	snprintf(reading->key.op, NP_LABEL, "stream");
	snprintf(reading->key.variant, NP_LABEL, "%.16s, %lld stream%s%s",
		 protocol != NULL ? protocol : "TCP", streams, np_plural((uint64_t)streams),
		 direction);
	return np_reading_figure(reading, (size_t)block, 8 * (double)block / rate, error);
}

static int take_iperf3_test(struct np_reading *reading, const json_t *start,
			    const json_t *end, struct np_error *error)
{
	static const char *const sums[] = { "sum_received", "sum_received_bidir_reverse" };
	const json_t *test = json_object_get(start, "test_start");
	const bool reverse = json_integer_value(json_object_get(test, "reverse")) != 0;
	int rc = 0;

	for (size_t i = 0; i < 2 && rc == 0; i++) {
		if (i == 0 || json_object_get(end, sums[i]) != NULL)
			rc = take_iperf3_rate(reading, test, rate_of(end, sums[i]),
					      (i == 1) != reverse ? ", reverse" : "",
					      error);
	}
	return rc;
}

/* Adds the figures of one document, or of one event of --json-stream: the event "end" has
 * them, and *start keeps the settings in the event "start". */
static int take_iperf3_document(struct np_reading *reading, json_t *document,
				json_t **start, struct np_error *error)
{
	const char *event = json_string_value(json_object_get(document, "event"));
	const char *failure = json_string_value(json_object_get(document, "error"));
	json_t *data = json_object_get(document, "data");

	if (event != NULL && strcmp(event, "start") == 0) {
		json_decref(*start);
		*start = json_incref(data);
		return 0;
	}
	if (event != NULL && strcmp(event, "error") == 0)
		failure = json_string_value(data);
	if (failure != NULL)
		return np_malformed(error, "iperf3 failed: %.120s", failure);
	if (event != NULL)
		return strcmp(event, "end") == 0 ?
			       take_iperf3_test(reading, *start, data, error) :
			       0;
	return take_iperf3_test(reading, json_object_get(document, "start"),
				json_object_get(document, "end"), error);
}

static int finish_iperf3(struct np_reading *reading, struct np_error *error)
{
	const char *at = reading->document != NULL ? reading->document : "";
	json_t *start = NULL;
	json_error_t failure;
	int rc = 0;

	np_facts_add(&reading->run->notes, "units",
		     "the file counts bit/s that arrived; it has no latency");
	while (rc == 0 && at[strspn(at, " \t\r\n")] != '\0') {
		json_t *document = json_loads(at, JSON_DISABLE_EOF_CHECK, &failure);

		if (document == NULL)
			rc = np_malformed(error, "not JSON, or not all of it: %.100s",
					  failure.text);
		else
			rc = take_iperf3_document(reading, document, &start, error);
		json_decref(document);
		at += failure.position;
	}
	json_decref(start);
	return rc;
}

const struct np_format np_format_iperf3 = { .name = "iperf3",
					    .title = "iperf3",
					    .recognize = recognize_iperf3,
					    .take = take_iperf3,
					    .finish = finish_iperf3 };

/* ---- netperf ------------------------------------------------------------------------ */

/*
 * Reads what netperf 2.5 and later print of an omni or migrated test
 * with output selectors: "KEY=value" lines (-k), or a line of names and one of values (-o).
 *
 * The figure of a request/response test is half a round trip: of P50_LATENCY, else
 * MEAN_LATENCY, RT_LATENCY, or the rate of transactions.  The figure of a stream test is
 * the time of a send at the throughput.  Sizes and units have to be among the selectors.
 */

enum netperf_value {
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
} netperf_names[VALUES] = {
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

static bool recognize_netperf(const char *text)
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

static int begin_netperf(struct np_reading *reading, const char *text,
			 struct np_error *error)
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

static void take_netperf_unit(struct np_columns *columns, const char *unit)
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

/* Adds half the round trip of a request/response test, with percentiles. */
static int take_netperf_latency(struct np_reading *reading, struct np_error *error)
{
	const double *numbers = reading->numbers, half = 0.5e-6;
	const enum netperf_value order[] = { P50, MEAN, ROUND_TRIP };
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

/* Adds the figure of the test whose values were collected, if there are any. */
static int finish_netperf(struct np_reading *reading, struct np_error *error)
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
		rc = take_netperf_latency(reading, error);
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
static int take_netperf_value(struct np_reading *reading, const char *name,
			      const char *text, struct np_error *error)
{
	if (strcmp(name, "THROUGHPUT_UNITS") == 0 || strcmp(name, "Throughput Units") == 0)
		take_netperf_unit(&reading->columns, text);
	if (strcmp(name, "PROTOCOL") == 0 || strcmp(name, "Protocol") == 0)
		snprintf(reading->key.variant, NP_LABEL, "%s", text);
	for (size_t i = 0; i < VALUES; i++) {
		if (strcmp(name, netperf_names[i].key) != 0 &&
		    strcmp(name, netperf_names[i].title) != 0)
			continue;
		if (text[0] != '-' && !np_columns_number(text, &reading->numbers[i]))
			return np_malformed(error, "'%.40s' is not a number: %s", text,
					    name);
	}
	return 0;
}

/* Takes a line of values; reading->document is the line of their titles. */
static int take_netperf_cells(struct np_reading *reading, char *line,
			      struct np_error *error)
{
	enum { CELLS = 256 };
	char *titles[CELLS], *cells[CELLS];
	const size_t count = np_csv_split(reading->document, titles, CELLS);
	int rc = 0;

	if (np_csv_split(line, cells, CELLS) != count || count == 0 || count > CELLS)
		rc = np_malformed(error, "not one value for each of %zu names", count);
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = take_netperf_value(reading, titles[i], cells[i], error);
	free(reading->document);
	reading->document = NULL;
	return rc != 0 ? rc : finish_netperf(reading, error);
}

static int take_netperf(struct np_reading *reading, char *line, size_t length,
			struct np_error *error)
{
	const size_t key = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	if (length == 0)
		return 0;
	if (strstr(line, " TEST from ") != NULL)
		return finish_netperf(reading, error);
	if (key > 0 && line[key] == '=') {
		line[key] = '\0';
		return take_netperf_value(reading, line, line + key + 1, error);
	}
	if (reading->document != NULL)
		return take_netperf_cells(reading, line, error);
	for (size_t i = 0; i < VALUES; i++) {
		if (strstr(line, netperf_names[i].title) != NULL &&
		    reading->document == NULL)
			reading->document = strdup(line);
	}
	return 0;
}

const struct np_format np_format_netperf = { .name = "netperf",
					     .title = "netperf",
					     .recognize = recognize_netperf,
					     .begin = begin_netperf,
					     .take = take_netperf,
					     .finish = finish_netperf };
