/*
 * formats_plain.c - describes tables of numbers: np.out of NetPIPE 3 and 5, the screen
 * output of NetPIPE 3, and CSV.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/reading/reading.h"

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

/* Counts the lines of `columns` columns whose rate and time agree in a unit; *other: number
 * of lines of another format. */
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

/* Sets the columns, and the megabit: of 2^20 bits in NetPIPE 3, of 10^6 in NetPong's -o;
 * the rows decide. */
static void begin_netpipe3(struct np_reading *reading, const char *text)
{
	size_t other;
	const size_t binary = count_lines(text, 3, 0x1p20, &other);
	const bool decimal = count_lines(text, 3, 1e6, &other) > binary;

	np_reader_columns(
		reading,
		strstr(text, "times -->") != NULL ?
			"row size bytes count times --> Mbit/s Mbps in seconds unit " :
			"size Mbit/s seconds ");
	reading->layout.scales[np_record_find(reading, "Mbit/s")] = decimal ? 1e6 : 0x1p20;
	np_facts_add(&reading->run->notes, "units",
		     decimal ? "Mbit/s of 10^6 bits, as its own times show" :
			       "the file counts Mbit/s of 2^20 bits%s; all that is printed "
			       "here is converted to 10^6",
		     binary != 0 ? ", as its own times show" : ", as NetPIPE 3 does");
}

static int judge_netpipe3(struct np_reading *reading, struct np_error *error)
{
	const char *unit = np_record_word(reading, "unit");

	if (unit[0] != '\0' && strcmp(unit, "usec") != 0 && strcmp(unit, "sec") != 0)
		return np_malformed(error, "'%.40s' is not a unit of time", unit);
	reading->layout.scales[np_record_find(reading, "seconds")] =
		strcmp(unit, "usec") == 0 ? 1e-6 : 1;
	return 0;
}

static const struct np_line_rule netpipe3_rules[] = {
	{ "Send and receive buffers|(A bug in Linux|Now starting the main loop",
	  NP_ACT_QUIET },
	{ NULL },
};

/* Both columns are rounded: the one with more digits is the figure. */
static const struct np_column netpipe3_columns[] = {
	{ "size", NP_COLUMN_SIZE },
	{ "seconds", NP_COLUMN_TIME, NP_USE_FIGURE, .unit = "s" },
	{ "Mbit/s", NP_COLUMN_RATE, NP_USE_DIGITS, .unit = "Mbit/s" },
	{ "row|unit", NP_COLUMN_TEXT },
	{ "count", NP_COLUMN_NUMBER },
	{ "bytes|times|-->|Mbps|in", NP_COLUMN_LITERAL },
	{ NULL },
};

const struct np_format np_format_netpipe = {
	.title = "NetPIPE 3",
	.signs = { { "times -->", "Mbps in" } },
	.recognize = recognize_netpipe3,
	.slack = 0.03,
	.rules = netpipe3_rules,
	.columns = netpipe3_columns,
	.begin = begin_netpipe3,
	.judge = judge_netpipe3,
};

/* Column "most" is wrong below 1 us, to which NetPIPE 5 clamps the time. */
static const struct np_column netpipe5_columns[] = {
	{ "size", NP_COLUMN_SIZE },
	{ "usec", NP_COLUMN_TIME, NP_USE_FIGURE, .unit = "us" },
	{ "Gbit/s", NP_COLUMN_RATE, NP_USE_DIGITS, .unit = "Gbit/s" },
	{ "least|most", NP_COLUMN_NUMBER },
	{ NULL },
};

const struct np_format np_format_netpipe5 = {
	.title = "NetPIPE 5",
	.recognize = recognize_netpipe5,
	.note = "the file counts Gbit/s of 10^9 bits and microseconds; the averages are "
		"taken",
	.header = "size Gbit/s least most usec ",
	.slack = 0.05,
	.columns = netpipe5_columns,
};

/* ---- CSV ---------------------------------------------------------------------------- */

/* Returns the cell at *at, unquoted in place, and advances *at behind it; NULL if a
 * quotation mark is not closed. */
static char *next_cell(char **at)
{
	char *cell = *at, *write = cell, *read = cell;

	if (*read != '"') {
		*at += strcspn(cell, ",");
		return cell;
	}
	for (read++; *read != '\0'; read++) {
		if (*read == '"') {
			if (read[1] != '"')
				break;
			read++;
		}
		*write++ = *read;
	}
	if (*read != '"' || (read[1] != ',' && read[1] != '\0'))
		return NULL;
	*at = read + 1;
	*write = '\0'; /* never behind the closing quotation mark */
	return cell;
}

size_t np_csv_split(char *line, char **cells, size_t most)
{
	size_t count = 0;

	for (char *at = line;; at++) {
		char *cell = next_cell(&at);

		if (cell == NULL)
			return 0;
		if (count == most)
			return most + 1;
		cells[count++] = cell;
		if (*at == '\0')
			return count;
		*at = '\0';
	}
}

enum { CELLS = NP_WORDS };

/* Takes the unit in a column's name: "s" of "median_s", "us" of "time (us)". */
static bool unit_of(const char *name, enum np_role *role, double *scale)
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
		if (np_role_unit(&np_format_csv, *role, unit, scale))
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

/* Returns the cell that names the figure, the first that ends in a unit; `count`: none. */
static size_t choose_cell(char *const *cells, size_t count)
{
	size_t chosen = count;
	enum np_role role;
	double scale;

	for (size_t i = 0; i < count; i++) {
		if (unit_of(cells[i], &role, &scale) &&
		    (chosen == count ||
		     (is_statistic(cells[chosen]) && !is_statistic(cells[i]))))
			chosen = i;
	}
	return chosen;
}

/* Opens the layout with the names of the columns. */
static int take_names(struct np_reading *reading, char *const *cells, size_t count,
		      struct np_error *error)
{
	const size_t figure = np_record_find(reading, "figure");
	const size_t chosen = choose_cell(cells, count);
	struct np_header *layout = &reading->layout;

	np_reader_open(reading);
	memset(layout->named, 0, sizeof(layout->named));
	for (size_t i = 0; i < count; i++) {
		const size_t k = i == chosen ? figure : np_record_find(reading, cells[i]);
		const bool known = k < reading->column_count;

		layout->columns[layout->count++] = known ? (short)k : -1;
		if (!known)
			continue;
		layout->named[k] = true;
		layout->completes = layout->completes || k >= np_record_find(reading, "n");
	}
	layout->open = layout->named[np_record_find(reading, "bytes")] && chosen != count;
	if (!layout->open)
		return np_malformed(
			error, chosen != count ?
				       "no column is named \"bytes\"" :
				       "no column is named after a unit: s, us, Mbit/s, "
				       "Gbit/s, MB/s");
	unit_of(cells[chosen], &reading->columns[figure].role, &layout->scales[figure]);
	np_facts_add(&reading->run->notes, "units", "taken from column \"%s\"",
		     cells[chosen]);
	return 0;
}

static bool recognize_csv(const char *text)
{
	char line[1024], *cells[CELLS];
	bool sized = false;

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
	if (count > CELLS)
		return false;
	trim(cells, count);
	for (size_t i = 0; i < count; i++)
		sized = sized || strcmp(cells[i], "bytes") == 0;
	return sized && choose_cell(cells, count) != count;
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
	(void)error;
	memcpy(reading->key.op, np_record_word(reading, "op"), NP_LABEL);
	memcpy(reading->key.mode, np_record_word(reading, "mode"), NP_LABEL);
	memcpy(reading->key.from, np_record_word(reading, "file"), NP_LABEL);
	return 0;
}

static uint64_t whole_of(const struct np_reading *reading, const char *name,
			 uint64_t otherwise)
{
	const double number = np_record_number(reading, name);

	return number >= 0 && number <= 0x1p53 ? (uint64_t)number : otherwise;
}

/* Adds counts, flags and code path, so that an exported file is read back unchanged. */
static void complete_csv(struct np_reading *reading, struct np_row *row)
{
	row->samples = whole_of(reading, "n", 0);
	row->batch = whole_of(reading, "iterations", 0);
	row->units = whole_of(reading, "units", 1);
	row->flags = np_row_flags_of(np_record_word(reading, "flags"));
	row->code_path = np_results_word(reading->run->results,
					 np_record_word(reading, "code_path"));
}

/* Names are those of NPreport --export csv; "figure" is the column that has it. */
static const struct np_column csv_columns[] = {
	{ "bytes", NP_COLUMN_SIZE },
	{ "figure", NP_COLUMN_TIME, NP_USE_FIGURE },
	{ "op|mode|file", NP_COLUMN_TEXT },
	{ "variant", NP_COLUMN_LABEL, .slot = 0 },
	{ "ci_low_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_LOW, .unit = "s" },
	{ "ci_high_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_HIGH, .unit = "s" },
	{ "min_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_MIN, .unit = "s" },
	{ "mean_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_MEAN, .unit = "s" },
	{ "p50_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P50, .unit = "s" },
	{ "p90_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P90, .unit = "s" },
	{ "p99_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P99, .unit = "s" },
	{ "p999_s", NP_COLUMN_TIME, NP_USE_NONE, NP_STAT_P999, .unit = "s" },
	{ "n|iterations|units", NP_COLUMN_NUMBER },
	{ "flags|code_path", NP_COLUMN_TEXT },
	{ NULL },
};

const struct np_format np_format_csv = {
	.title = "CSV",
	.recognize = recognize_csv,
	.columns = csv_columns,
	.judge = judge_csv,
	.complete = complete_csv,
	.take = take_csv,
};
