/*
 * import_ucx_perftest.c - reads output of ucx_perftest, also with -v: the last line of a
 * table, "Final:".
 *
 * The figure of a latency test is the percentile, a median of the last iterations, and the
 * overall average is its mean; both are half round trips except for get and the atomic
 * operations that fetch.  The figure of other tests is the overall average.  Size and test
 * stand in the box above the table, or in the command line.
 */
#include <stdio.h>
#include <string.h>

#include "report/reading/reading.h"

static const char program[] = "ucx_perftest";

static bool recognize(const char *text)
{
	return strstr(text, "| # iterations |") != NULL ||
	       strstr(text, "_lat,avg_lat,overall_lat") != NULL;
}

static int begin(struct np_reading *reading, const char *text, struct np_error *error)
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
static void take_test(struct np_key *key, const char *name)
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

static void take_title(struct np_reading *reading, const char *line)
{
	const char *test = strstr(line, "| Test: ");
	char text[64];

	if (test != NULL) {
		test += strlen("| Test: ");
		take_test(&reading->key, test + strspn(test, " "));
	}
	if (np_command_value(line, program, "-t", text, sizeof(text)))
		take_test(&reading->key, text);
	np_command_length(reading, line, program, "-s");
	np_length_behind(reading, line, "Message size: ");
	if (reading->key.op[0] == '\0' && strstr(line, "(usec)") != NULL)
		snprintf(reading->key.op, NP_LABEL, "%s",
			 strstr(line, "latency") != NULL ? "pingpong" : "stream");
}

/* Takes a row: iterations; median, average and overall microseconds; average and overall
 * MB/s of 2^20 bytes; average and overall messages a second. */
static int take_row(struct np_reading *reading, char *line, struct np_error *error)
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
			return np_malformed(error,
					    "'%.40s' is no number that a measurement has",
					    words[i]);
	}
	point->mean_s = numbers[OVERALL] * 1e-6;
	if (strcmp(reading->key.op, "stream") != 0) {
		point->median_s = point->p50_s = numbers[TYPICAL] * 1e-6;
	} else {
		/* Use the rate where it has more digits. */
		if (numbers[RATE] >= 1e4)
			point->mean_s = 1 / numbers[RATE];
		point->median_s = point->mean_s;
	}
	return np_reading_point(reading, program, error);
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	(void)length;
	char *row = line + strspn(line, " \t");

	take_title(reading, line);
	if (strstr(line, "# iterations |") != NULL || strncmp(line, "iterations,", 11) == 0)
		reading->columns.known = true;
	if (!reading->columns.known)
		return 0;
	if (strncmp(row, "Final:", 6) == 0)
		return take_row(reading, row + 6, error);
	return *row >= '0' && *row <= '9' ? take_row(reading, row, error) : 0;
}

const struct np_format np_format_ucx_perftest = { .name = "ucx_perftest",
						  .title = "ucx_perftest",
						  .recognize = recognize,
						  .begin = begin,
						  .take = take };
