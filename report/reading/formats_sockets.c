/*
 * formats_sockets.c - describes output of benchmarks of sockets: sockperf, iperf3, netperf.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/reading/reading.h"

/* ---- sockperf ----------------------------------------------------------------------- */

static const char sockperf[] = "sockperf";

/* Copies the number after `words`; false if the line does not have them. Terminal escapes
 * may surround the text. */
static bool word_after(const char *line, const char *words, char *word, size_t size)
{
	const char *at = strstr(line, words);

	if (at == NULL)
		return false;
	at += strlen(words);
	if (strncmp(words, "percentile", 10) == 0)
		at += strspn(at, "0");
	at += strspn(at, " =");
	snprintf(word, size, "%.*s", (int)strcspn(at, " \t\r\x1b,;(["), at);
	return true;
}

/* Takes size and operation from a command line, or the parameters of a full log. */
static void take_sockperf_command(struct np_reading *reading, const char *line)
{
	static const struct np_alias tests[] = {
		{ "sockperf ping-pong|sockperf pp ", "pingpong" },
		{ "sockperf under-load|sockperf ul ", "under load" },
		{ "sockperf throughput|sockperf tp ", "pingpong" },
		{ "sockperf playback", "playback" },
		{ NULL },
	};
	char value[32];

	for (const struct np_alias *test = tests; test->from != NULL; test++) {
		if (np_find_any(line, test->from, NULL) == NULL)
			continue;
		np_reader_title(reading, test->to, NULL);
		reading->share = 1;
		/* sockperf sends 14 bytes if nothing else is given. */
		reading->length = 14;
		reading->sized = true;
		if (np_command_value(line, sockperf, "-m", value, sizeof(value)) ||
		    np_command_value(line, sockperf, "--msg-size", value, sizeof(value)))
			reading->sized = np_bytes_parse(value, &reading->length);
	}
	/* "using msg-size=1024. For getting maximum throughput consider --msg-size=1472" */
	if (word_after(line, "msg-size=", value, sizeof(value))) {
		value[strspn(value, "0123456789")] = '\0';
		reading->sized = np_bytes_parse(value, &reading->length);
	}
}

/* Adds the result at its last line: the least time, or the bandwidth. */
static bool notice_sockperf(struct np_reading *reading, char *line, struct np_error *error)
{
	char word[32];

	if (strstr(line, "== version") != NULL &&
	    (reading->pending || reading->record.given != 0))
		np_reader_title(reading, "pingpong", NULL);
	take_sockperf_command(reading, line);
	if (np_find_any(line, "--full-rtt|avg-rtt=|Round trip is", NULL) != NULL)
		reading->share = 0.5;
	for (size_t k = 0; k < reading->column_count && error->code == 0; k++) {
		const struct np_column *spec = &reading->columns[k];

		if (!word_after(line, spec->name, word, sizeof(word)))
			continue;
		if (spec->role == NP_COLUMN_MESSAGES) {
			snprintf(reading->key.op, NP_LABEL, "stream");
			reading->pending = true;
		}
		np_record_put(reading, k, word, error);
	}
	if (error->code != 0) {
		np_record_clear(reading);
	} else if (np_find_any(line, "<MIN> observation|BandWidth is ", NULL) != NULL) {
		np_record_finish(reading, error);
		reading->share = 1;
		if (strcmp(reading->key.op, "stream") == 0)
			snprintf(reading->key.op, NP_LABEL, "pingpong");
	}
	return strncmp(line, "packet, txTime", 14) != 0;
}

static const struct np_column sockperf_columns[] = {
	{ "percentile 50.00", NP_COLUMN_TIME, NP_USE_FIGURE, NP_STAT_P50, .unit = "us" },
	{ "percentile 90.00", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P90, .unit = "us" },
	{ "percentile 99.00", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P99, .unit = "us" },
	{ "percentile 99.90", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P999, .unit = "us" },
	{ "<MAX> observation", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_MAX, .unit = "us" },
	{ "<MIN> observation", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_MIN, .unit = "us" },
	{ "avg-latency=|avg-lat=|avg-rtt=", NP_COLUMN_TIME, NP_USE_REFER, NP_STAT_MEAN,
	  .unit = "us" },
	{ "Message Rate is", NP_COLUMN_MESSAGES, NP_USE_FIGURE, .unit = "/s" },
	{ "BandWidth is", NP_COLUMN_RATE, NP_USE_AGREES, .unit = "MBps" },
	{ NULL },
};

const struct np_format np_format_sockperf = {
	.title = "sockperf",
	.signs = { { "^sockperf: ", "observation" }, { "^sockperf: ", "Message Rate is" } },
	.note = "the file counts microseconds of half round trips, or messages that the "
		"client sent; the medians are taken",
	.op = "pingpong",
	.named_values = true,
	.lacks = "sockperf does not print it here; put its command line before its output",
	.units = (const struct np_alias[]){ { "MBps", "MiB/s" }, { NULL } },
	.columns = sockperf_columns,
	.notice = notice_sockperf,
};

/* ---- iperf3 ------------------------------------------------------------------------- */

/*
 * Reads the JSON of iperf3 -J, of one test or of several one after another, and of
 * --json-stream.
 *
 * iperf3 measures rates alone: the figure is the time that a block of -l takes at the rate
 * of the receiver, the sum of all streams.
 */

static double number_of(const json_t *end, const char *sum, const char *name)
{
	return json_number_value(json_object_get(json_object_get(end, sum), name));
}

/* Returns the rate at which UDP arrived: before version 3.11 the received sum is missing or
 * 0 at the client, and the sum counts what was sent. */
static double udp_rate(const json_t *end)
{
	const json_t *percent =
		json_object_get(json_object_get(end, "sum"), "lost_percent");
	const double packets = number_of(end, "sum", "packets");
	const double rate = number_of(end, "sum", "bits_per_second");

	if (packets > 0)
		return rate * fmax(1 - number_of(end, "sum", "lost_packets") / packets, 0);
	return json_is_number(percent) ? rate * (1 - json_number_value(percent) / 100) : 0;
}

/* Adds the time of a block of -l at the rate of each direction; the variant names protocol,
 * number of streams and direction. */
static int take_iperf3_test(struct np_reading *reading, const json_t *start,
			    const json_t *end, struct np_error *error)
{
	static const char *const sums[] = { "sum_received", "sum_received_bidir_reverse" };
	const json_t *test = json_object_get(start, "test_start");
	const long long block = json_integer_value(json_object_get(test, "blksize"));
	const long long streams = json_integer_value(json_object_get(test, "num_streams"));
	const bool reverse = json_integer_value(json_object_get(test, "reverse")) != 0;
	const char *protocol = json_string_value(json_object_get(test, "protocol"));

	protocol = protocol != NULL ? protocol : "TCP";
	if (block <= 0 || block > 1LL << 52)
		return np_malformed(error, "no block size, or no rate, in a test");
	for (size_t i = 0; i < 2 && error->code == 0; i++) {
		double rate = number_of(end, sums[i], "bits_per_second");

		if (i == 1 && json_object_get(end, sums[i]) == NULL)
			break;
		if (i == 0 && !(rate > 0) && strcmp(protocol, "UDP") == 0)
			rate = udp_rate(end);
		if (!(rate > 0))
			return np_malformed(
				error,
				"no block size, or no rate, in a test: this iperf3 does "
				"not tell what arrived; take the other process's output");
		snprintf(reading->key.op, NP_LABEL, "stream");
		snprintf(reading->key.variant, NP_LABEL, "%.16s, %lld stream%s%s", protocol,
			 streams, np_plural((uint64_t)streams),
			 (i == 1) != reverse ? ", reverse" : "");
		np_reading_figure(reading, (size_t)block, 8 * (double)block / rate, error);
	}
	return error->code;
}

/* Adds the figures of one document, or of one event of --json-stream: the event "end" has
 * them, and reading->start keeps the settings in the event "start". */
static int take_iperf3_document(struct np_reading *reading, json_t *document,
				struct np_error *error)
{
	const char *event = json_string_value(json_object_get(document, "event"));
	const char *failure = json_string_value(json_object_get(document, "error"));
	json_t *data = json_object_get(document, "data");

	if (event != NULL && strcmp(event, "start") == 0) {
		json_decref(reading->start);
		reading->start = json_incref(data);
		return 0;
	}
	if (event != NULL && strcmp(event, "error") == 0)
		failure = json_string_value(data);
	if (failure != NULL)
		return np_malformed(error, "iperf3 failed: %.120s", failure);
	if (event != NULL)
		return strcmp(event, "end") == 0 ?
			       take_iperf3_test(reading, reading->start, data, error) :
			       0;
	return take_iperf3_test(reading, json_object_get(document, "start"),
				json_object_get(document, "end"), error);
}

const struct np_format np_format_iperf3 = {
	.title = "iperf3",
	.signs = { { "\"iperf " } },
	.note = "the file counts bit/s that arrived; it has no latency",
	.document = take_iperf3_document,
};

/* ---- netperf ------------------------------------------------------------------------ */

/* Kinds of tests, in reading->number. */
enum { NETPERF_PLAIN, NETPERF_CONNECTS };

/* Names of the selectors in the output of -o. */
static const struct np_alias netperf_titles[] = {
	{ "Throughput", "THROUGHPUT" },
	{ "Throughput Units", "THROUGHPUT_UNITS" },
	{ "Request Size Bytes", "REQUEST_SIZE" },
	{ "Response Size Bytes", "RESPONSE_SIZE" },
	{ "Local Send Size", "LOCAL_SEND_SIZE" },
	{ "Initial Burst Requests", "BURST_SIZE" },
	{ "Minimum Latency Microseconds", "MIN_LATENCY" },
	{ "Mean Latency Microseconds", "MEAN_LATENCY" },
	{ "50th Percentile Latency Microseconds", "P50_LATENCY" },
	{ "90th Percentile Latency Microseconds", "P90_LATENCY" },
	{ "99th Percentile Latency Microseconds", "P99_LATENCY" },
	{ "Maximum Latency Microseconds", "MAX_LATENCY" },
	{ "Round Trip Latency usec/tran", "RT_LATENCY" },
	{ "Protocol", "PROTOCOL" },
	{ NULL, NULL },
};

/* Stores a value by its key or title.  netperf prints -1 for a value that the test does not
 * have. */
static int take_netperf_value(struct np_reading *reading, const char *name,
			      const char *word, struct np_error *error)
{
	double number;

	for (const struct np_alias *title = netperf_titles; title->from != NULL; title++) {
		if (strcmp(name, title->from) == 0)
			name = title->to;
	}
	if (np_number_parse(word, &number, NULL) && fabs(number + 1) < 1e-9)
		return 0;
	if (np_record_name(reading, name, word, error) != 0)
		return error->code;
	reading->pending = reading->record.given != 0;
	return 0;
}

/* Takes a line of values; reading->document is the line of their titles. */
static void take_netperf_cells(struct np_reading *reading, char *line,
			       struct np_error *error)
{
	enum { CELLS = 256 };
	char *titles[CELLS], *cells[CELLS];
	const size_t count = np_csv_split(reading->document, titles, CELLS);

	if (np_csv_split(line, cells, CELLS) != count || count == 0 || count > CELLS)
		np_malformed(error, "not one value for each of %zu names", count);
	for (size_t i = 0; i < count && error->code == 0; i++)
		take_netperf_value(reading, titles[i], cells[i], error);
	free(reading->document);
	reading->document = NULL;
	if (error->code == 0)
		np_record_finish(reading, error);
	np_record_clear(reading);
}

static bool notice_netperf(struct np_reading *reading, char *line, struct np_error *error)
{
	const size_t key = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	if (strstr(line, " TEST from ") != NULL) {
		np_reader_title(reading, "", NULL);
		reading->number = strstr(line, "Connect/Request/Response") != NULL ?
					  NETPERF_CONNECTS :
					  NETPERF_PLAIN;
		return true;
	}
	if (key > 0 && line[key] == '=') {
		line[key] = '\0';
		take_netperf_value(reading, line, line + key + 1, error);
		return true;
	}
	if (strncmp(line, "!!!", 3) == 0)
		return strstr(line, "!!! WARNING") == NULL;
	if (reading->document != NULL) {
		take_netperf_cells(reading, line, error);
		return true;
	}
	for (const struct np_alias *title = netperf_titles; title->from != NULL; title++) {
		if (strstr(line, title->from) != NULL && strchr(line, ',') != NULL &&
		    reading->document == NULL)
			reading->document = strdup(line);
	}
	return reading->document != NULL;
}

/* Sets the unit of the throughput: bits, bytes by powers of two, or transactions. */
static int take_netperf_unit(struct np_reading *reading, struct np_error *error)
{
	static const struct {
		const char *name;
		double scale;
	} units[] = {
		{ "10^3bits/s", 1e3 },	{ "10^6bits/s", 1e6 },	{ "10^9bits/s", 1e9 },
		{ "KBytes/s", 0x1p13 }, { "MBytes/s", 0x1p23 }, { "GBytes/s", 0x1p33 },
		{ "Trans/s", 1 },
	};
	const size_t rate = np_record_find(reading, "THROUGHPUT");
	const char *unit = np_record_word(reading, "THROUGHPUT_UNITS");

	if (isnan(reading->record.numbers[rate]))
		return 0;
	reading->columns[rate].role = NP_COLUMN_NUMBER;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].name) != 0)
			continue;
		reading->columns[rate].role =
			units[i].scale > 1 ? NP_COLUMN_RATE : NP_COLUMN_MESSAGES;
		reading->layout.scales[rate] = units[i].scale;
		return 0;
	}
	return np_malformed(error,
			    "a throughput in '%.40s': THROUGHPUT_UNITS has to be among "
			    "netperf's output selectors",
			    unit[0] != '\0' ? unit : "no unit");
}

/* Sets size, operation and share: half the round trip of a request and its response. */
static int judge_netperf(struct np_reading *reading, struct np_error *error)
{
	double *numbers = reading->record.numbers;
	const double request = np_record_number(reading, "REQUEST_SIZE");
	const double burst = np_record_number(reading, "BURST_SIZE");
	const bool answers = request > 0;
	const bool connects = answers && reading->number == NETPERF_CONNECTS;
	const double length =
		answers ? request : np_record_number(reading, "LOCAL_SEND_SIZE");

	if (!(length > 0 && length <= 0x1p52))
		return np_malformed(error, "no size of a message before this: REQUEST_SIZE "
					   "and RESPONSE_SIZE, or LOCAL_SEND_SIZE, have to "
					   "be among netperf's output selectors");
	if (answers && !(fabs(np_record_number(reading, "RESPONSE_SIZE") - request) < 0.5))
		return np_malformed(error, "not one size of request and response: half of "
					   "their round trip is no latency");
	if (answers && burst > 0)
		return np_malformed(error, "a burst of %.0f requests: no ping-pong", burst);
	if (take_netperf_unit(reading, error) != 0)
		return error->code;
	reading->length = (size_t)length;
	reading->sized = true;
	reading->share = answers && !connects ? 0.5 : 1;
	snprintf(reading->key.op, NP_LABEL, "%s",
		 connects ? "connect, request, response" :
		 answers  ? "pingpong" :
			    "stream");
	/* Latencies of a stream are those of its calls of send(). */
	for (size_t k = 0; k < reading->column_count && !answers; k++) {
		if (reading->columns[k].role == NP_COLUMN_TIME)
			numbers[k] = (double)NAN;
	}
	/* A median does not agree with a rate, a mean does. */
	if (answers && isnan(np_record_number(reading, "MEAN_LATENCY")) &&
	    isnan(np_record_number(reading, "RT_LATENCY")) &&
	    !isnan(np_record_number(reading, "P50_LATENCY")))
		numbers[np_record_find(reading, "THROUGHPUT")] = (double)NAN;
	return 0;
}

static const struct np_line_rule netperf_rules[] = {
	{ "!!! WARNING", NP_ACT_WARN, .after = "netperf did not reach its confidence" },
	{ NULL },
};

#define BY_REFER (NP_USE_FIGURE | NP_USE_REFER)

static const struct np_column netperf_columns[] = {
	{ "P50_LATENCY", NP_COLUMN_TIME, NP_USE_FIGURE, NP_STAT_P50, .unit = "us" },
	{ "MEAN_LATENCY", NP_COLUMN_TIME, BY_REFER, NP_STAT_MEAN, .unit = "us" },
	{ "RT_LATENCY", NP_COLUMN_TIME, BY_REFER, NP_STAT_NONE, .unit = "us" },
	{ "THROUGHPUT", NP_COLUMN_MESSAGES, NP_USE_FIGURE | NP_USE_AGREES },
	{ "MIN_LATENCY", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_MIN, .unit = "us" },
	{ "P90_LATENCY", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P90, .unit = "us" },
	{ "P99_LATENCY", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P99, .unit = "us" },
	{ "MAX_LATENCY", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_MAX, .unit = "us" },
	{ "THROUGHPUT_UNITS", NP_COLUMN_TEXT },
	{ "REQUEST_SIZE|RESPONSE_SIZE|LOCAL_SEND_SIZE|BURST_SIZE", NP_COLUMN_NUMBER },
	{ "PROTOCOL", NP_COLUMN_LABEL, .slot = 0 },
	{ NULL },
};

const struct np_format np_format_netperf = {
	.title = "netperf",
	.signs = { { "^THROUGHPUT=" },
		   { "_LATENCY=" },
		   { "Throughput Units" },
		   { "Latency Microseconds" },
		   { "Round Trip Latency usec/tran" } },
	.note = "the file counts microseconds of round trips, of which half is taken, or "
		"bits a second",
	.named_values = true,
	.slack = 0.1,
	.rules = netperf_rules,
	.columns = netperf_columns,
	.notice = notice_netperf,
	.judge = judge_netperf,
};
