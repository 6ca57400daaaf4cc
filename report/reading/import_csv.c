/*
 * import_csv.c - reads CSV: a header line, then one row per size.
 *
 * Required are a column "bytes" and one whose name is a unit, or ends in one:
 * "MB/s", "time (us)", "rate [Gbit/s]", "median_s".  The further columns of
 * NPreport --export are read, too.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/curves/fields.h"
#include "report/reading/columns.h"
#include "report/reading/reading.h"

enum { CELLS = 64 };

/* Optional columns; reading->extras has the number of each, from 1. Columns from EXTRA_MIN
 * on are optional if an earlier column has the figure; else such a column, as "min_s", is
 * the figure itself. */
enum extra {
	EXTRA_OP,
	EXTRA_MODE,
	EXTRA_VARIANT,
	EXTRA_FILE,
	EXTRA_LOW,
	EXTRA_HIGH,
	EXTRA_MIN,
	EXTRA_MEAN,
	EXTRA_P50,
	EXTRA_P90,
	EXTRA_P99,
	EXTRA_P999,
	EXTRA_N,
	EXTRA_BATCH,
	EXTRA_UNITS,
	EXTRA_FLAGS,
	EXTRA_CODE_PATH,
	EXTRAS
};

static const char *const extra_names[EXTRAS] = {
	"op",	 "mode",       "variant", "file",  "ci_low_s", "ci_high_s",
	"min_s", "mean_s",     "p50_s",	  "p90_s", "p99_s",    "p999_s",
	"n",	 "iterations", "units",	  "flags", "code_path"
};
_Static_assert((int)EXTRAS <= (int)NP_EXTRAS_MAX, "reading->extras is too short");

/* Parses the unit in a column's name: "s" of "median_s". */
static bool unit_of(const char *name, enum np_dimension *dimension, double *scale)
{
	char unit[32];
	const char *begin = name;

	for (const char *at = name; *at != '\0'; at++) {
		if (*at == '(' || *at == '[' || *at == '_' || *at == ' ')
			begin = at + 1;
	}
	snprintf(unit, sizeof(unit), "%s", begin);
	unit[strcspn(unit, ")]")] = '\0';
	if (strcmp(name, "mbps") == 0)
		snprintf(unit, sizeof(unit), "Mbit/s");
	return np_unit_of_column(unit, dimension, scale);
}

static int take_names(struct np_reading *reading, char *const *cells, size_t count,
		      struct np_error *error)
{
	struct np_columns *columns = &reading->columns;
	bool sized = false, figured = false;

	for (size_t i = 0; i < count; i++) {
		bool extra = false;

		for (size_t k = 0; k < EXTRAS; k++) {
			if ((k < EXTRA_MIN || figured) &&
			    strcmp(cells[i], extra_names[k]) == 0) {
				reading->extras[k] = i + 1;
				extra = true;
			}
		}
		if (strcmp(cells[i], "bytes") == 0) {
			columns->size = i;
			sized = true;
		} else if (!extra && !figured &&
			   unit_of(cells[i], &columns->dimension, &columns->scale)) {
			columns->figure = i;
			figured = true;
		}
	}
	if (!sized)
		return np_malformed(error, "no column is named \"bytes\"");
	if (!figured)
		return np_malformed(
			error,
			"no column is named after a unit: s, us, Mbit/s, Gbit/s, MB/s");
	np_facts_add(&reading->run->notes, "units", "taken from column \"%s\"",
		     cells[columns->figure]);
	columns->known = true;
	return 0;
}

static bool recognize(const char *text)
{
	char line[1024], *cells[CELLS];

	while (*text == '#') {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	const size_t length = strcspn(text, "\r\n");
	bool sized = false, figured = false;
	enum np_dimension dimension;
	double scale;

	if (length >= sizeof(line))
		return false;
	memcpy(line, text, length);
	line[length] = '\0';
	const size_t count = np_csv_split(line, cells, CELLS);
	for (size_t i = 0; i < count && i < CELLS; i++) {
		sized = sized || strcmp(cells[i], "bytes") == 0;
		figured = figured || unit_of(cells[i], &dimension, &scale);
	}
	return sized && figured;
}

static void take_label(const struct np_reading *reading, enum extra extra,
		       char *const *cells, char *label)
{
	label[0] = '\0';
	if (reading->extras[extra] != 0)
		snprintf(label, NP_LABEL, "%s", cells[reading->extras[extra] - 1]);
}

/* Returns the number in an optional column of this row; NAN without the column. */
static double extra_number(const struct np_reading *reading, enum extra extra,
			   char *const *cells)
{
	double number;

	if (reading->extras[extra] == 0 ||
	    !np_columns_number(cells[reading->extras[extra] - 1], &number))
		return (double)NAN;
	return number;
}

static uint64_t extra_whole(const struct np_reading *reading, enum extra extra,
			    char *const *cells, uint64_t otherwise)
{
	const double number = extra_number(reading, extra, cells);

	return number >= 0 && number <= 0x1p53 ? (uint64_t)number : otherwise;
}

static struct np_row read_row(const struct np_reading *reading, char *const *cells,
			      double seconds)
{
	const char *op = reading->key.op;
	char flags[NP_LABEL], code_path[NP_LABEL];

	take_label(reading, EXTRA_FLAGS, cells, flags);
	take_label(reading, EXTRA_CODE_PATH, cells, code_path);
	struct np_row row = {
		.length = reading->key.length,
		.median_s = seconds,
		.ci_low_s = extra_number(reading, EXTRA_LOW, cells),
		.ci_high_s = extra_number(reading, EXTRA_HIGH, cells),
		.min_s = extra_number(reading, EXTRA_MIN, cells),
		.mean_s = extra_number(reading, EXTRA_MEAN, cells),
		.p50_s = extra_number(reading, EXTRA_P50, cells),
		.p90_s = extra_number(reading, EXTRA_P90, cells),
		.p99_s = extra_number(reading, EXTRA_P99, cells),
		.p999_s = extra_number(reading, EXTRA_P999, cells),
		.samples = extra_whole(reading, EXTRA_N, cells, 0),
		.batch = extra_whole(reading, EXTRA_BATCH, cells, 0),
		.units = extra_whole(reading, EXTRA_UNITS, cells, 1),
		.flags = np_row_flags_of(flags),
		.code_path = np_results_word(reading->run->results, code_path),
		.mbps = np_op_is_collective(op) ?
				(double)NAN :
				np_op_directions(op) * 8 * (double)reading->key.length /
					seconds / 1e6,
	};
	if (!(row.ci_low_s <= seconds && row.ci_high_s >= seconds &&
	      np_time_is_valid(row.ci_low_s) && np_time_is_valid(row.ci_high_s)))
		row.ci_low_s = row.ci_high_s = (double)NAN;
	return row;
}

/* Adds the row with its interval, percentiles and counts, so that they are not derived from
 * the figure alone, and an exported file is read back unchanged. */
static int take_more(struct np_reading *reading, char *const *cells, double seconds,
		     struct np_error *error)
{
	bool more = reading->extras[EXTRA_LOW] != 0 && reading->extras[EXTRA_HIGH] != 0;

	for (size_t i = EXTRA_MIN; i < EXTRAS; i++)
		more = more || reading->extras[i] != 0;
	if (!more)
		return 0;
	const struct np_row row = read_row(reading, cells, seconds);
	return np_gather_row(&reading->gather, &reading->key, &row, error);
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	char *cells[CELLS];
	double seconds;
	size_t bytes;

	if (length == 0 || line[0] == '#')
		return 0;
	const size_t count = np_csv_split(line, cells, CELLS);
	if (count == 0 || count > CELLS)
		return np_malformed(error, count == 0 ? "a quotation mark is not closed" :
							"more than 64 columns");
	if (!reading->columns.known) {
		reading->cells = count;
		return take_names(reading, cells, count, error);
	}
	if (count != reading->cells)
		return np_malformed(error, "%zu columns, where there should be %zu", count,
				    reading->cells);
	take_label(reading, EXTRA_OP, cells, reading->key.op);
	take_label(reading, EXTRA_MODE, cells, reading->key.mode);
	take_label(reading, EXTRA_VARIANT, cells, reading->key.variant);
	take_label(reading, EXTRA_FILE, cells, reading->key.from);
	reading->columns.directions = np_op_directions(reading->key.op);
	int rc = np_columns_read(&reading->columns, cells, count, &bytes, &seconds, error);
	if (rc == 0)
		rc = np_reading_figure(reading, bytes, seconds, error);
	return rc != 0 || seconds <= 0 ? rc : take_more(reading, cells, seconds, error);
}

const struct np_format np_format_csv = {
	.name = "csv", .title = "CSV", .recognize = recognize, .take = take
};
