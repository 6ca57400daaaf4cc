/*
 * point.c - a figure that takes several lines: time, percentiles, and a message length
 * that stands somewhere before them, if only in the command line of the program.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/reading/reading.h"

void np_reading_blank(struct np_reading *reading)
{
	const double none = (double)NAN;

	reading->sized = false;
	reading->point = (struct np_row){
		.median_s = none,
		.ci_low_s = none,
		.ci_high_s = none,
		.min_s = none,
		.mean_s = none,
		.p50_s = none,
		.p90_s = none,
		.p99_s = none,
		.p999_s = none,
		.mbps = none,
		.units = 1,
	};
}

int np_reading_point(struct np_reading *reading, const char *program,
		     struct np_error *error)
{
	struct np_row point = reading->point;
	const char *op = reading->key.op;

	if (!reading->sized)
		return np_malformed(error,
				    "no message size before this: %s does not print it "
				    "here; put its command line before its output",
				    program);
	np_reading_blank(reading);
	int rc = np_reading_figure(reading, point.length, point.median_s, error);
	if (rc != 0 || point.median_s <= 0)
		return rc;
	if (!np_op_is_collective(op))
		point.mbps = np_op_directions(op) * 8 * (double)point.length /
			     point.median_s / 1e6;
	point.code_path = np_results_word(reading->run->results, "");
	return np_gather_row(&reading->gather, &reading->key, &point, error);
}

bool np_command_value(const char *line, const char *program, const char *name, char *value,
		      size_t size)
{
	const char *at = strstr(line, program);
	const size_t length = strlen(name);

	if (at == NULL)
		return false;
	at += strlen(program);
	/* Not "sockperf: ", which begins lines of output. */
	if (*at != ' ' && *at != '\t')
		return false;
	for (at = strstr(at, name); at != NULL; at = strstr(at + 1, name)) {
		if ((at[-1] == ' ' || at[-1] == '\t') &&
		    (at[length] == ' ' || at[length] == '='))
			break;
	}
	if (at == NULL)
		return false;
	at += length + 1;
	at += strspn(at, " ");
	snprintf(value, size, "%.*s", (int)strcspn(at, " \t\r\n"), at);
	return true;
}

void np_command_length(struct np_reading *reading, const char *line, const char *program,
		       const char *name)
{
	char value[32];

	if (np_command_value(line, program, name, value, sizeof(value)))
		reading->sized = np_columns_bytes(value, &reading->point.length);
}

void np_length_behind(struct np_reading *reading, const char *line, const char *words)
{
	const char *at = strstr(line, words);
	char digits[32];

	if (at == NULL)
		return;
	at += strlen(words);
	snprintf(digits, sizeof(digits), "%.*s", (int)strspn(at, "0123456789"), at);
	reading->sized = np_columns_bytes(digits, &reading->point.length);
}
