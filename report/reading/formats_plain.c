/*
 * formats_plain.c - describes tables of numbers: np.out of NetPIPE 3 and 5, the screen
 * output of NetPIPE 3, and CSV.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/reading/csv.h"
#include "report/reading/format.h"

/* ---- NetPIPE ------------------------------------------------------------------------ */

/* Parses the numbers of a line; returns how many there are, 0 for any other line. */
static size_t split_numbers(const char *text, size_t length, double *numbers, size_t most)
{
	char line[256], *rest = NULL;
	size_t count = 0;

	snprintf(line, sizeof(line), "%.*s", (int)(length < 256 ? length : 255), text);
	for (char *word = strtok_r(line, " \t\r", &rest); word != NULL && length < 256;
	     word = strtok_r(NULL, " \t\r", &rest)) {
		if (count == most || !np_number_parse(word, &numbers[count], NULL))
			return 0;
		count++;
	}
	return count;
}

/* Counts the lines of so many columns whose rate and time agree in a unit; *other: the
 * lines of another format. */
static size_t count_lines(const char *text, size_t columns, double unit, size_t *other)
{
	size_t agree = 0, length;

	*other = 0;
	/* A last line without newline may be cut: the text is only the first bytes. */
	for (; text[length = strcspn(text, "\n")] != '\0'; text += length + 1) {
		double numbers[6], usec;

		if (text[0] == '#')
			continue;
		if (split_numbers(text, length, numbers, 6) != columns) {
			++*other;
			continue;
		}
		usec = columns == 3 ? numbers[2] * 1e6 : numbers[4];
		/* The two megabits of NetPIPE 3 differ by 4.9 %, so rate and time need
		 * three digits each. */
		if (usec >= 1 && numbers[1] * unit >= 1e3)
			agree += fabs(8e6 * numbers[0] / (numbers[1] * unit * usec) - 1) <
				 0.02;
	}
	return agree;
}

static bool recognize_netpipe3(const char *text)
{
	size_t other;
	const bool binary = count_lines(text, 3, 0x1p20, &other) != 0;

	return binary != (count_lines(text, 3, 1e6, &other) != 0) && other == 0;
}

static bool recognize_netpipe5(const char *text)
{
	size_t other;

	return count_lines(text, 5, 1e9, &other) != 0 && other == 0;
}

/* Sets the columns; the megabit of NetPIPE 3 has 2^20 bits, of NetPong's -o 10^6: the rows
 * decide. */
static void begin_netpipe3(struct np_reading *reading, const char *text)
{
	size_t other;
	const size_t binary = count_lines(text, 3, 0x1p20, &other);
	const bool decimal = count_lines(text, 3, 1e6, &other) > binary;
	const bool screen = strstr(text, "times -->") != NULL;
	char header[] = "size Mbit/s seconds ",
	     wide[] = "row size bytes count times --> Mbit/s Mbps in seconds unit ";

	np_reader_header(reading, screen ? wide : header);
	reading->layout.line = 0;
	reading->layout.scales[np_record_find(reading, "Mbit/s")] = decimal ? 1e6 : 0x1p20;
	np_facts_add(&reading->run->notes, "units",
		     decimal ? "Mbit/s of 10^6 bits, as its own times show" :
			       "the file counts Mbit/s of 2^20 bits%s; all that is printed "
			       "here is converted to 10^6",
		     binary != 0 ? ", as its own times show" : ", as NetPIPE 3 does");
}

static int judge_netpipe3(struct np_reading *reading, struct np_error *error)
{
	const size_t time = np_record_find(reading, "seconds");
	const char *unit = reading->record.words[np_record_find(reading, "unit")];

	if (unit[0] != '\0' && strcmp(unit, "usec") != 0 && strcmp(unit, "sec") != 0)
		return np_malformed(error, "'%.40s' is not a unit of time", unit);
	reading->layout.scales[time] = strcmp(unit, "usec") == 0 ? 1e-6 : 1;
	return 0;
}

/* Both columns are rounded: the one with more digits is the figure. */
static const struct np_description netpipe3 = {
	.judge = judge_netpipe3,
	.slack = 0.03,
	.rules = (const struct np_rule[]){ { "Send and receive buffers", NP_ACT_QUIET },
					   { "(A bug in Linux", NP_ACT_QUIET },
					   { "Now starting the main loop", NP_ACT_QUIET },
					   { NULL } },
	.columns =
		(const struct np_column[]){
			{ "size", NP_COLUMN_SIZE },
			{ "seconds", NP_COLUMN_TIME, NP_USE_FIGURE, .unit = "s" },
			{ "Mbit/s", NP_COLUMN_RATE, NP_USE_DIGITS, .unit = "Mbit/s" },
			{ "row", NP_COLUMN_TEXT },
			{ "bytes", NP_COLUMN_LITERAL },
			{ "count", NP_COLUMN_NUMBER },
			{ "times", NP_COLUMN_LITERAL },
			{ "-->", NP_COLUMN_LITERAL },
			{ "Mbps", NP_COLUMN_LITERAL },
			{ "in", NP_COLUMN_LITERAL },
			{ "unit", NP_COLUMN_TEXT },
			{ NULL } },
};

const struct np_format np_format_netpipe = { .name = "netpipe",
					     .title = "NetPIPE 3",
					     .signs = { { "times -->", "Mbps in" } },
					     .recognize = recognize_netpipe3,
					     .begin = begin_netpipe3,
					     .text = &netpipe3 };

static void begin_netpipe5(struct np_reading *reading, const char *text)
{
	char header[] = "size Gbit/s least most usec ";

	(void)text;
	np_reader_header(reading, header);
	reading->layout.line = 0;
}

/* The most is wrong below 1 us, to which NetPIPE 5 clamps the time. */
static const struct np_description netpipe5 = {
	.note = "the file counts Gbit/s of 10^9 bits and microseconds; the averages are "
		"taken",
	.slack = 0.05,
	.columns =
		(const struct np_column[]){
			{ "size", NP_COLUMN_SIZE },
			{ "usec", NP_COLUMN_TIME, NP_USE_FIGURE, .unit = "us" },
			{ "Gbit/s", NP_COLUMN_RATE, NP_USE_DIGITS, .unit = "Gbit/s" },
			{ "least", NP_COLUMN_NUMBER },
			{ "most", NP_COLUMN_NUMBER },
			{ NULL } },
};

const struct np_format np_format_netpipe5 = { .name = "netpipe5",
					      .title = "NetPIPE 5",
					      .recognize = recognize_netpipe5,
					      .begin = begin_netpipe5,
					      .text = &netpipe5 };

/* ---- CSV ---------------------------------------------------------------------------- */

enum { CELLS = NP_WORDS };

/* Takes the unit in a column's name: "s" of "median_s", "us" of "time (us)". */
static bool unit_of(const struct np_reading *reading, const char *name, enum np_role *role,
		    double *scale)
{
	char unit[32];
	const char *begin = name;

	for (const char *at = name; *at != '\0'; at++) {
		if (*at == '(' || *at == '[' || *at == '_' || *at == ' ')
			begin = at + 1;
	}
	snprintf(unit, sizeof(unit), "%s", strcmp(name, "mbps") == 0 ? "Mbit/s" : begin);
	unit[strcspn(unit, ")]")] = '\0';
	for (*role = NP_COLUMN_TIME; *role <= NP_COLUMN_RATE; (*role)++) {
		if (np_role_unit(reading, *role, unit, scale))
			return true;
	}
	return false;
}

static void trim(char **cells, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cells[i] += strspn(cells[i], " \t");
		for (size_t n = strlen(cells[i]);
		     n > 0 && strchr(" \t\r", cells[i][n - 1]) != NULL; n--)
			cells[i][n - 1] = '\0';
	}
}

/* True for a column that is a statistic beside the figure: "min (us)", "p99_s", "ci_low_s";
 * it is the figure if there is no other. */
static bool is_statistic(const char *name)
{
	static const char *const words[] = { "min", "max",   "least",  "ci_",	"p50",
					     "p9",  "stdev", "stddev", "mean_s" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strncasecmp(name, words[i], strlen(words[i])) == 0)
			return true;
	}
	return false;
}

/* Opens the layout with the names of the columns; the figure is the first that ends in a
 * unit. */
static int take_names(struct np_reading *reading, char *const *cells, size_t count,
		      struct np_error *error)
{
	const size_t figure = np_record_find(reading, "figure");
	struct np_header *layout = &reading->layout;
	size_t chosen = count;
	enum np_role role;
	double scale;

	np_reader_open(reading);
	memset(layout->named, 0, sizeof(layout->named));
	for (size_t i = 0; i < count; i++) {
		const bool unit = unit_of(reading, cells[i], &role, &scale);

		if (unit && (chosen == count ||
			     (is_statistic(cells[chosen]) && !is_statistic(cells[i]))))
			chosen = i;
	}
	for (size_t i = 0; i < count; i++) {
		const size_t k = i == chosen ? figure : np_record_find(reading, cells[i]);
		const bool known = reading->format->text->columns[k].name != NULL;

		layout->columns[layout->count++] = known ? (short)k : -1;
		if (!known)
			continue;
		layout->named[k] = true;
		layout->completes = layout->completes || k >= np_record_find(reading, "n");
	}
	if (!layout->named[np_record_find(reading, "bytes")] || chosen == count) {
		layout->open = false;
		return np_malformed(
			error, chosen != count ?
				       "no column is named \"bytes\"" :
				       "no column is named after a unit: s, us, Mbit/s, "
				       "Gbit/s, MB/s");
	}
	unit_of(reading, cells[chosen], &layout->roles[figure], &layout->scales[figure]);
	np_facts_add(&reading->run->notes, "units", "taken from column \"%s\"",
		     cells[chosen]);
	return 0;
}

static bool recognize_csv(const char *text)
{
	const struct np_reading reading = { .format = &np_format_csv };
	char line[1024], *cells[CELLS];
	bool sized = false, figured = false;
	enum np_role role;
	double scale;

	while (*text == '#') {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	const size_t length = strcspn(text, "\r\n");
	if (length >= sizeof(line))
		return false;
	memcpy(line, text, length);
	line[length] = '\0';
	const size_t count = np_csv_split(line, cells, CELLS);
	trim(cells, count <= CELLS ? count : 0);
	for (size_t i = 0; i < count && count <= CELLS; i++) {
		sized = sized || strcmp(cells[i], "bytes") == 0;
		figured = figured || unit_of(&reading, cells[i], &role, &scale);
	}
	return sized && figured;
}

static int take_csv(struct np_reading *reading, char *line, size_t length,
		    struct np_error *error)
{
	struct np_header *layout = &reading->layout;
	char *cells[CELLS];

	if (length == 0 || line[0] == '#')
		return 0;
	const size_t count = np_csv_split(line, cells, CELLS);
	if (count == 0 || count > CELLS)
		return np_malformed(error, count == 0 ? "a quotation mark is not closed" :
							"more than 64 columns");
	trim(cells, count);
	if (!layout->open)
		return layout->count == 0 ? take_names(reading, cells, count, error) : 0;
	if (count != layout->count)
		return np_malformed(error, "%zu columns, where there should be %zu", count,
				    layout->count);
	np_record_clear(reading);
	for (size_t i = 0; i < count; i++) {
		if (layout->columns[i] >= 0 &&
		    np_record_put(reading, (size_t)layout->columns[i], cells[i], error) !=
			    0)
			return error->code;
	}
	return np_record_finish(reading, error);
}

static int judge_csv(struct np_reading *reading, struct np_error *error)
{
	static const char *const names[] = { "op", "mode", "file" };
	char *const labels[] = { reading->key.op, reading->key.mode, reading->key.from };

	(void)error;
	for (size_t i = 0; i < 3; i++)
		snprintf(labels[i], NP_LABEL, "%s",
			 reading->record.words[np_record_find(reading, names[i])]);
	return 0;
}

static uint64_t whole_of(const struct np_reading *reading, const char *name,
			 uint64_t otherwise)
{
	const double number = reading->record.numbers[np_record_find(reading, name)];

	return number >= 0 && number <= 0x1p53 ? (uint64_t)number : otherwise;
}

/* Adds counts, flags and code path, so that an exported file is read back unchanged. */
static void complete_csv(struct np_reading *reading, struct np_row *row)
{
	const struct np_record *record = &reading->record;

	row->samples = whole_of(reading, "n", 0);
	row->batch = whole_of(reading, "iterations", 0);
	row->units = whole_of(reading, "units", 1);
	row->flags = np_row_flags_of(record->words[np_record_find(reading, "flags")]);
	row->code_path = np_results_word(
		reading->run->results, record->words[np_record_find(reading, "code_path")]);
}

/* Names are those of NPreport --export csv; "figure" is the column that has it. */
static const struct np_description csv = {
	.judge = judge_csv,
	.complete = complete_csv,
	.columns =
		(const struct np_column[]){
			{ "bytes", NP_COLUMN_SIZE },
			{ "figure", NP_COLUMN_TIME, NP_USE_FIGURE },
			{ "op", NP_COLUMN_TEXT },
			{ "mode", NP_COLUMN_TEXT },
			{ "variant", NP_COLUMN_LABEL, .slot = 0 },
			{ "file", NP_COLUMN_TEXT },
			{ "ci_low_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_LOW, "s" },
			{ "ci_high_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_HIGH, "s" },
			{ "min_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_MIN, "s" },
			{ "mean_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_MEAN, "s" },
			{ "p50_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P50, "s" },
			{ "p90_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P90, "s" },
			{ "p99_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P99, "s" },
			{ "p999_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P999, "s" },
			{ "n", NP_COLUMN_NUMBER },
			{ "iterations", NP_COLUMN_NUMBER },
			{ "units", NP_COLUMN_NUMBER },
			{ "flags", NP_COLUMN_TEXT },
			{ "code_path", NP_COLUMN_TEXT },
			{ NULL } },
};

const struct np_format np_format_csv = { .name = "csv",
					 .title = "CSV",
					 .recognize = recognize_csv,
					 .text = &csv,
					 .take = take_csv };
