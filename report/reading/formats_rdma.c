/*
 * formats_rdma.c - describes output of benchmarks of RDMA libraries: perftest,
 * ucx_perftest, fabtests.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/reading/reading.h"

/* ---- perftest ----------------------------------------------------------------------- */

/* Takes a title, which ends in " Test", or a line "key: value," of the output as JSON,
 * whose keys are not always quoted. */
static bool notice_perftest(struct np_reading *reading, char *line, struct np_error *error)
{
	const char *end = strstr(line, " Test");

	if (!reading->keyed) {
		if (end == NULL || strspn(end, " Test\t\r") != strlen(end))
			return false;
		np_reader_title(reading, line, " Test");
		return true;
	}
	char *words[2], *rest = NULL;
	words[0] = strtok_r(line, "\" \t:,{}\r", &rest);
	words[1] = words[0] != NULL ? strtok_r(NULL, "\" \t:,{}\r", &rest) : NULL;
	if (words[1] == NULL)
		return true;
	if (strcmp(words[0], "test") == 0) {
		char *rdma = strstr(words[1], "RDMA_"), *test = strstr(words[1], "_Test");

		for (char *at = words[1]; *at != '\0'; at++)
			*at = *at == '_' && (rdma == NULL || at != rdma + 4) ? ' ' : *at;
		if (test != NULL)
			*test = '\0';
		np_reader_title(reading, words[1], NULL);
		reading->titled = 0;
	} else {
		const size_t given = reading->record.given;

		if (np_record_name(reading, words[0], words[1], error) == 0 &&
		    reading->record.given != given)
			reading->pending = true;
	}
	return true;
}

static void begin_perftest(struct np_reading *reading, const char *text)
{
	reading->keyed = text[strspn(text, " \t\r\n")] == '{';
	if (reading->keyed)
		np_reader_open(reading);
}

static const struct np_line_rule perftest_rules[] = {
	{ "#bytes", NP_ACT_HEADER },
	{ "#, ", NP_ACT_SAMPLES },
	{ "---", NP_ACT_END },
	{ "Number of qps   : ", NP_ACT_LABEL, 1, " ", " qps", "*" },
	{ "Connection type : ", NP_ACT_LABEL, 2, " ", "", "*" },
	{ "TX depth        : ", NP_ACT_LABEL, 3, " ", " TX depth", "*" },
	{ "Mtu             : ", NP_ACT_LABEL, 4, "[", " B MTU", "*" },
	{ "Conflicting CPU frequency", NP_ACT_WARN,
	  .after = "the CPU frequency was not constant: microseconds of perftest are "
		   "not to be trusted" },
	{ "*Completion with error", NP_ACT_VOID, 1 },
	{ NULL },
};

/* "MB/sec" of perftest has 2^20 bytes; its JSON does not state a unit. */
static const struct np_column perftest_columns[] = {
	{ "#bytes|MsgSize", NP_COLUMN_SIZE },
	{ "#sl|sl", NP_COLUMN_LABEL, .slot = 0, .text = "service level ", .whole = true },
	{ "t_typical", NP_COLUMN_TIME, NP_USE_FIGURE, .unit = "us" },
	{ "t_avg", NP_COLUMN_TIME, NP_USE_FIGURE, NP_STAT_MEAN, .unit = "us" },
	{ "t_min", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_MIN, .unit = "us" },
	{ "t_max", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_MAX, .unit = "us" },
	{ "99% percentile", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P99 },
	{ "99.9% percentile", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P999 },
	{ "percentile_99", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P99, .unit = "us" },
	{ "percentile_99.9", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P999, .unit = "us" },
	{ "BW average", NP_COLUMN_RATE, NP_USE_FIGURE },
	{ "BW_average", NP_COLUMN_RATE, NP_USE_FIGURE, .unit = "MiB/s|Gbit/s" },
	{ "MsgRate", NP_COLUMN_MESSAGES, NP_USE_AGREES, .unit = "M/s" },
	{ "#iterations|BW peak|BW Port1|BW Port2|MsgRate Port1|MsgRate Port2|t_stdev" },
	{ "tps average" },
	{ NULL },
};

const struct np_format np_format_perftest = {
	.title = "perftest",
	.signs = { { "^#bytes", "#iterations", " Test" }, { "MsgSize", "n_iterations" } },
	.note = "the file counts microseconds, MB/sec of 2^20 bytes or Gb/sec of 10^9 "
		"bits; "
		"all that is printed here is converted to 10^6",
	.table_of_title = true,
	.units = (const struct np_alias[]){ { "MB/sec", "MiB/s" }, { NULL } },
	.rules = perftest_rules,
	.columns = perftest_columns,
	.begin = begin_perftest,
	.notice = notice_perftest,
};

/* ---- ucx_perftest ------------------------------------------------------------------- */

static const char ucx_perftest[] = "ucx_perftest";

/* Sets operation and variant from "tag sync match latency" in the box, or "tag_sync_lat" in
 * the command line: both are "tag sync". */
static void take_ucx_test(struct np_reading *reading, const char *name)
{
	char *variant = reading->labels[0], *op = reading->key.op;

	name += strncmp(name, "ucp_", 4) == 0 ? 4 : 0;
	const char *end =
		np_find_any(name, " latency| bandwidth| message|_lat|_bw|_mr|\r|\n", NULL);
	const size_t box = strcspn(name, "|");
	size_t length = end != NULL ? (size_t)(end - name) : box;

	length = length < box ? length : box;
	while (length > 0 && name[length - 1] == ' ')
		length--;
	snprintf(op, NP_LABEL, "%s", strstr(name, "lat") != NULL ? "pingpong" : "stream");
	snprintf(variant, NP_LABEL, "%.*s", length < NP_LABEL ? (int)length : NP_LABEL - 1,
		 name);
	for (char *at = variant; *at != '\0'; at++)
		*at = *at == '_' ? ' ' : *at;
	/* Round trips. */
	if (np_find_any(variant, "get|fetch|fadd|swap", NULL) != NULL) {
		memcpy(op, variant, NP_LABEL);
		variant[0] = '\0';
	}
}

/* Sets the size: a number, or the parts "16,48" of a message. */
static void take_ucx_size(struct np_reading *reading, const char *digits)
{
	size_t sum = 0;
	char *end;

	for (;; digits = end + 1) {
		sum += strtoul(digits, &end, 10);
		if (end == digits || (*end != ',' && *end != '\0' && *end != ' '))
			return;
		if (*end != ',')
			break;
	}
	reading->length = sum;
	reading->sized = sum <= (size_t)1 << 52;
}

/* Names the test by a line of the heading: of the box, of a batch ("+lat8---", "== tag_bw
 * =="), or by "latency" and "overhead". */
static bool take_ucx_heading(struct np_reading *reading, char *line)
{
	char *test = strstr(line, "| Test: "), *size = strstr(line, "| Message size: ");
	const size_t banner = strspn(line, "=");
	const bool units = np_find_any(line, "latency (|overhead (", NULL) != NULL;

	if (units && reading->layout.rows != 0)
		np_reader_title(reading, "", NULL);
	if (units)
		reading->number = strstr(line, "(usec)") == NULL ||
				  strstr(line, "(MB/s)") == NULL ||
				  strstr(line, "(msg/s)") == NULL;
	if (test != NULL) {
		np_reader_title(reading, "", NULL);
		take_ucx_test(reading, test + 8 + strspn(test + 8, " "));
	} else if (size != NULL) {
		size += 16;
		size[strcspn(size, " |")] = '\0';
		take_ucx_size(reading, size);
	} else if (units && reading->key.op[0] == '\0') {
		snprintf(reading->key.op, NP_LABEL, "%s",
			 strstr(line, "latency") != NULL ? "pingpong" : "stream");
	} else if (line[0] == '+' && isalnum((unsigned char)line[1])) {
		snprintf(reading->labels[1], NP_LABEL, "%.*s", (int)strcspn(line + 1, "-"),
			 line + 1);
	} else if (banner > 3) {
		np_reader_title(reading, "", NULL);
		line[banner + strcspn(line + banner, "=")] = '\0';
		take_ucx_test(reading, line + banner + strspn(line + banner, " "));
	} else {
		return line[0] == '+';
	}
	return true;
}

/* Returns true if a column of a header has no name: later names would shift to the columns
 * before them. */
static bool lacks_name(const char *line)
{
	if (line[0] != '|' || strstr(line, "# iterations") == NULL)
		return false;
	for (line = strchr(line, '|'); line != NULL; line = strchr(line + 1, '|')) {
		if (line[1 + strspn(line + 1, " ")] == '|')
			return true;
	}
	return false;
}

static bool notice_ucx(struct np_reading *reading, char *line, struct np_error *error)
{
	const char *command = strstr(line, ucx_perftest);
	char text[64];

	if (command != NULL && strchr(" \t", command[12]) != NULL) {
		np_reader_title(reading, "", NULL);
		if (np_command_value(line, ucx_perftest, "-t", text, sizeof(text)))
			take_ucx_test(reading, text);
		if (np_command_value(line, ucx_perftest, "-s", text, sizeof(text)))
			take_ucx_size(reading, text);
		return true;
	}
	if (take_ucx_heading(reading, line) || strncmp(line, "[thread", 7) == 0)
		return true;
	if (lacks_name(line))
		reading->layout.open = false;
	if (lacks_name(line) || strstr(line, " UCX ") != NULL) {
		np_reading_count(reading, &reading->strange, line);
		return true;
	}
	/* A result whose header is missing, as a line was lost. */
	if (!reading->layout.open && strncmp(line, "Final:", 6) == 0)
		np_reading_count(reading, &reading->strange, line);
	if (!reading->layout.open || isdigit((unsigned char)line[0]) || line[0] == '|' ||
	    strstr(line, "iterations,") != NULL)
		return false;
	/* A row after a name is a result; other rows are progress, except the last. */
	const size_t rows = reading->layout.rows;
	np_reader_row(reading, line);
	if (reading->pending && reading->layout.rows != rows)
		np_record_finish(reading, error);
	return true;
}

/* Computes the size of a message, MB/s over messages a second, if exactly one whole number
 * agrees with the rounded rates. */
static int judge_ucx(struct np_reading *reading, struct np_error *error)
{
	const struct np_record *record = &reading->record;
	double low = 0, high = HUGE_VAL;

	if (reading->number != 0)
		return np_malformed(error,
				    "the heading has other units than usec, MB/s and "
				    "msg/s");
	for (size_t k = 0; k < reading->column_count; k++) {
		/* The column of the messages is four behind that of the rate. */
		const size_t m = k + 4;

		if (reading->columns[k].role != NP_COLUMN_RATE || isnan(record->numbers[k]))
			continue;
		const double bytes = reading->layout.scales[k] / 8;
		low = fmax(low, (record->numbers[k] - record->steps[k]) * bytes /
					(record->numbers[m] + record->steps[m]));
		if (record->numbers[m] > record->steps[m])
			high = fmin(high, (record->numbers[k] + record->steps[k]) * bytes /
						  (record->numbers[m] - record->steps[m]));
	}
	if (!reading->sized && low > 0 && high < 0x1p52 && floor(high) >= low &&
	    floor(high) - low < 1) {
		reading->length = (size_t)high;
		reading->sized = true;
	}
	return 0;
}

#define OVERALL NP_USE_FIGURE | NP_USE_REFER, NP_STAT_MEAN

/* Latencies are half round trips except for get and the atomic operations that fetch. */
static const struct np_column ucx_columns[] = {
	{ "message_size", NP_COLUMN_SIZE },
	{ "Stage", NP_COLUMN_TEXT, .may_lack = true },
	{ "Test", NP_COLUMN_LABEL, .slot = 1, .may_lack = true },
	{ "# iterations|iterations", NP_COLUMN_NUMBER },
	{ "50.0%ile|typical|typical_lat|50.0_percentile_lat", NP_COLUMN_TIME,
	  NP_USE_LATENCY, NP_STAT_P50, .unit = "us" },
	{ "90.0%ile", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P90, .unit = "us" },
	{ "99.0%ile", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P99, .unit = "us" },
	{ "99.9%ile", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P999, .unit = "us" },
	{ "average", NP_COLUMN_NUMBER },
	{ "overall|overall_lat", NP_COLUMN_TIME, OVERALL, .unit = "us" },
	{ "average|avg_bw", NP_COLUMN_RATE, NP_USE_NONE, .unit = "MB/s" },
	{ "overall|overall_bw", NP_COLUMN_RATE, NP_USE_AGREES, .unit = "MB/s" },
	{ "average|avg_mr", NP_COLUMN_MESSAGES, NP_USE_NONE, .unit = "/s" },
	{ "overall|overall_mr", NP_COLUMN_MESSAGES, NP_USE_DIGITS, .unit = "/s" },
	{ NULL },
};

const struct np_format np_format_ucx_perftest = {
	.title = "ucx_perftest",
	.signs = { { "^|", "# iterations |" }, { "_lat,avg_lat,overall_lat" } },
	.note = "the file counts microseconds: of latency tests the typical one, else the "
		"overall average",
	.commas = "|,",
	.last_row = true,
	.slack = 0.02,
	.lacks = "put the command line of ucx_perftest before its output, or the box that "
		 "it prints with -v",
	.units = (const struct np_alias[]){ { "MB/s", "MiB/s" }, { NULL } },
	.rules =
		(const struct np_line_rule[]){
			{ "*# iterations|iterations,", NP_ACT_HEADER }, { NULL } },
	.columns = ucx_columns,
	.notice = notice_ucx,
	.judge = judge_ucx,
};

/* ---- fabtests ----------------------------------------------------------------------- */

/* Takes the lines of -m as rows: "{ xfer_size: 64, iterations: 100, ... }". */
static bool notice_fabtests(struct np_reading *reading, char *line, struct np_error *error)
{
	char value[32], *at = strstr(line, "{ xfer_size: ");

	if (np_command_value(line, "fi_pingpong", "-e", value, sizeof(value)))
		snprintf(reading->labels[0], NP_LABEL, "%s", value);
	if (at == NULL && strncmp(line, "- {", 3) == 0)
		np_reading_count(reading, &reading->strange, line);
	if (at == NULL)
		return false;
	char *rest = NULL;
	np_reader_title(reading, "", NULL);
	np_reader_open(reading);
	for (char *name = strtok_r(at, " {,:}\r", &rest); name != NULL && error->code == 0;
	     name = strtok_r(NULL, " {,:}\r", &rest)) {
		const char *word = strtok_r(NULL, " {,:}\r", &rest);

		np_record_name(reading, name, word != NULL ? word : "", error);
	}
	if (error->code == 0)
		np_record_finish(reading, error);
	np_record_clear(reading);
	return true;
}

/* Ping-pong: two transfers an iteration, so total exceeds bytes * iterations.  rstream
 * counts both directions of a stream, too: its ping-pong has 1 in the column xfers. */
static int judge_fabtests(struct np_reading *reading, struct np_error *error)
{
	static const char *const counts[] = { "iters", "#sent", "iterations" };
	const char *name = strrchr(np_record_word(reading, "name"), '_');
	const char *total_word = np_record_word(reading, "total"), *count_word = "",
		   *xfers = np_record_word(reading, "xfers");
	const double bytes = reading->sized ? (double)reading->length : 0;
	double count, total, step, whole;

	for (size_t i = 0; i < 3; i++) {
		const char *word = np_record_word(reading, counts[i]);

		count_word = word[0] != '\0' ? word : count_word;
	}
	if (!np_rounded_parse(count_word, 1000, &count, &step) ||
	    !np_rounded_parse(total_word, 1024, &total, &whole) || bytes <= 0)
		return np_malformed(error,
				    "not bytes, iterations and total: '%.16s' '%.16s'",
				    count_word, total_word);
	/* Both numbers are rounded down: add a unit of the last digit to each. */
	const bool answers = xfers[0] != '\0' ? strcmp(xfers, "1") == 0 :
						(total + whole) / bytes > count + step;

	snprintf(reading->key.op, NP_LABEL, answers ? "pingpong" : "stream");
	if (name != NULL)
		snprintf(reading->labels[1], NP_LABEL, "%s", name + 1);
	return 0;
}

static const struct np_column fabtests_columns[] = {
	{ "bytes|xfer_size", NP_COLUMN_SIZE },
	{ "name|#ack", NP_COLUMN_TEXT },
	{ "xfers|iters|#sent|iterations|total|time", NP_COLUMN_NUMBER },
	{ "usec/xfer", NP_COLUMN_TIME, NP_USE_FIGURE, .unit = "us" },
	{ "MB/sec", NP_COLUMN_RATE, NP_USE_AGREES, .unit = "MB/s" },
	{ "Gb/sec", NP_COLUMN_RATE, NP_USE_AGREES, .unit = "Gbit/s" },
	{ "Mxfers/sec", NP_COLUMN_MESSAGES, NP_USE_AGREES, .unit = "M/s" },
	{ NULL },
};

const struct np_format np_format_fabtests = {
	.title = "fabtests",
	.signs = { { "^bytes", "usec/xfer" },
		   { "^name", "usec/xfer" },
		   { "^- { xfer_size" } },
	.note = "the file counts microseconds; the means are taken",
	.rounded = true,
	.slack = 0.05,
	.rules = (const struct np_line_rule[]){ { "*usec/xfer", NP_ACT_HEADER }, { NULL } },
	.columns = fabtests_columns,
	.notice = notice_fabtests,
	.judge = judge_fabtests,
};
