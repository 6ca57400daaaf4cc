/*
 * import_csv.c - comma-separated values: a line that names columns and units,
 * then one row for each size.
 *
 * Needed are a column "bytes" and one whose name is a unit, or ends in one:
 * "MB/s", "time (us)", "rate [Gbit/s]", "median_s".  What NPreport exports has
 * more columns, and they are read back.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "csv.h"
#include "read.h"

enum { CELLS = 64 };

/* Columns that need not be there; where one stands, from 1, is in reading->extras. */
enum extra { EXTRA_OP, EXTRA_ARM, EXTRA_CHOICE, EXTRA_LOW, EXTRA_HIGH, EXTRA_FILE, EXTRAS };

static const char *const extra_names[EXTRAS] = { "op",	     "arm",	  "choice",
						 "ci_low_s", "ci_high_s", "file" };

/* The unit that a column's name is or ends in: "s" of "median_s". */
static bool unit_of(const char *name, enum np_quantity *quantity, double *scale)
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
	return np_unit_find(unit, quantity, scale);
}

static int take_names(struct np_reading *reading, char *const *cells, size_t count,
		      struct np_error *error)
{
	struct np_columns *columns = &reading->columns;
	bool sized = false, figured = false;

	for (size_t i = 0; i < count; i++) {
		bool extra = false;

		for (size_t k = 0; k < EXTRAS; k++) {
			if (strcmp(cells[i], extra_names[k]) == 0) {
				reading->extras[k] = i + 1;
				extra = true;
			}
		}
		if (strcmp(cells[i], "bytes") == 0) {
			columns->size = i;
			sized = true;
		} else if (!extra && !figured &&
			   unit_of(cells[i], &columns->quantity, &columns->scale)) {
			columns->figure = i;
			figured = true;
		}
	}
	if (!sized)
		return np_fail(error, NP_ERROR_FAILED, EBADMSG,
			       "no column is named \"bytes\"");
	if (!figured)
		return np_fail(error, NP_ERROR_FAILED, EBADMSG,
			       "no column is named after a unit: s, us, Mbit/s, Gbit/s, "
			       "MB/s");
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
	enum np_quantity quantity;
	double scale;

	if (length >= sizeof(line))
		return false;
	memcpy(line, text, length);
	line[length] = '\0';
	const size_t count = np_csv_split(line, cells, CELLS);
	for (size_t i = 0; i < count && i < CELLS; i++) {
		sized = sized || strcmp(cells[i], "bytes") == 0;
		figured = figured || unit_of(cells[i], &quantity, &scale);
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

/* The interval, where the file has one: it is then the figure's own. */
static int take_interval(struct np_reading *reading, char *const *cells, double seconds,
			 struct np_error *error)
{
	double low = 0, high = 0;

	if (reading->extras[EXTRA_LOW] == 0 || reading->extras[EXTRA_HIGH] == 0 ||
	    !np_columns_number(cells[reading->extras[EXTRA_LOW] - 1], &low) ||
	    !np_columns_number(cells[reading->extras[EXTRA_HIGH] - 1], &high) ||
	    low > seconds || high < seconds || !np_reading_time(low) ||
	    !np_reading_time(high))
		return 0;
	struct np_cell *cell = np_gather_cell(&reading->gather, &reading->key, error);
	if (cell == NULL)
		return error->code;
	/* A size that comes again is one unit of several. */
	cell->has_row = cell->units.seen == 1;
	cell->point = (struct np_figure){ .seconds = seconds,
					  .low_s = low,
					  .high_s = high,
					  .min_s = (double)NAN,
					  .mean_s = (double)NAN,
					  .p50_s = (double)NAN,
					  .p90_s = (double)NAN,
					  .p99_s = (double)NAN,
					  .p999_s = (double)NAN,
					  .units = 1 };
	if (np_op_is_collective(reading->key.op)) {
		cell->point.mbps = (double)NAN;
		return 0;
	}
	cell->point.mbps = np_op_directions(reading->key.op) * 8 *
			   (double)reading->key.length / seconds / 1e6;
	return 0;
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
		return np_fail(error, NP_ERROR_FAILED, EBADMSG,
			       count == 0 ? "a quotation mark stands alone" :
					    "more than 64 columns");
	if (!reading->columns.known) {
		reading->cells = count;
		return take_names(reading, cells, count, error);
	}
	if (count != reading->cells)
		return np_fail(error, NP_ERROR_FAILED, EBADMSG,
			       "%zu columns, where there should be %zu", count,
			       reading->cells);
	take_label(reading, EXTRA_OP, cells, reading->key.op);
	take_label(reading, EXTRA_ARM, cells, reading->key.arm);
	take_label(reading, EXTRA_CHOICE, cells, reading->key.choice);
	take_label(reading, EXTRA_FILE, cells, reading->key.from);
	reading->columns.directions = np_op_directions(reading->key.op);
	int rc = np_columns_read(&reading->columns, cells, count, &bytes, &seconds, error);
	if (rc == 0)
		rc = np_reading_figure(reading, bytes, seconds, error);
	return rc != 0 || seconds <= 0 ? rc : take_interval(reading, cells, seconds, error);
}

const struct np_format np_format_csv = {
	.name = "csv", .title = "CSV", .recognize = recognize, .take = take
};
