/*
 * import_iperf3.c - reads the JSON of iperf3 -J, of one test or of several one after
 * another, and of --json-stream.
 *
 * iperf3 measures rates alone: the figure is the time that a block of -l takes at the rate
 * of the receiver, the sum of all streams.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "report/reading/reading.h"

/* A document has some hundred bytes for each second and stream. */
enum { DOCUMENT_MAX = 256 << 20 };

static bool recognize(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '{' && strstr(text, "\"iperf ") != NULL;
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	/* Length with the newline; a zero follows. */
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

/* Adds a rate; the variant names protocol, streams and direction. */
static int take_rate(struct np_reading *reading, const json_t *test, double rate,
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

static int take_test(struct np_reading *reading, const json_t *start, const json_t *end,
		     struct np_error *error)
{
	static const char *const sums[] = { "sum_received", "sum_received_bidir_reverse" };
	const json_t *test = json_object_get(start, "test_start");
	const bool reverse = json_integer_value(json_object_get(test, "reverse")) != 0;
	int rc = 0;

	for (size_t i = 0; i < 2 && rc == 0; i++) {
		if (i == 0 || json_object_get(end, sums[i]) != NULL)
			rc = take_rate(reading, test, rate_of(end, sums[i]),
				       (i == 1) != reverse ? ", reverse" : "", error);
	}
	return rc;
}

/* Takes one document, or one event of --json-stream: "start" is kept for "end". */
static int take_document(struct np_reading *reading, json_t *document, json_t **start,
			 struct np_error *error)
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
		return strcmp(event, "end") == 0 ? take_test(reading, *start, data, error) :
						   0;
	return take_test(reading, json_object_get(document, "start"),
			 json_object_get(document, "end"), error);
}

static int finish(struct np_reading *reading, struct np_error *error)
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
			rc = take_document(reading, document, &start, error);
		json_decref(document);
		at += failure.position;
	}
	json_decref(start);
	return rc;
}

const struct np_format np_format_iperf3 = { .name = "iperf3",
					    .title = "iperf3",
					    .recognize = recognize,
					    .take = take,
					    .finish = finish };
