/*
 * output_record.c - reads the file of `netpong record`, and prints the points of its
 * --replay.  doc/record.md has the format.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/files.h"
#include "base/list.h"
#include "base/units.h"
#include "output/output.h"
#include "output/terminal.h"
#include "plan/plan.h"

/* Version of the format: "format" of the first line. */
enum { RECORD_FORMAT = 1 };

/* Largest size and distance, bytes, and largest sum: doubles hold them exactly enough, and
 * products with a number of calls are finite. */
static const json_int_t most_size = 1ll << 40, most_distance = 1ll << 60,
			most_sum = 1ll << 62;

/* Reads an integer of [0, most]. */
static bool read_count(const json_t *object, const char *name, json_int_t most,
		       double *value)
{
	const json_t *field = json_object_get(object, name);
	const json_int_t number = json_integer_value(field);

	if (!json_is_integer(field) || number < 0 || number > most)
		return false;
	*value = (double)number;
	return true;
}

/* Reads a class: [low, high) bytes, or [0, 0]. */
static bool read_class(const json_t *array, json_int_t most, double class[2])
{
	if (json_array_size(array) != 2)
		return false;
	for (size_t i = 0; i < 2; i++) {
		const json_t *field = json_array_get(array, i);
		const json_int_t number = json_integer_value(field);

		if (!json_is_integer(field) || number < 0 || number > most)
			return false;
		class[i] = (double)number;
	}
	return class[0] <= class[1];
}

static void copy_text(const char *text, char *copy, size_t size)
{
	np_quote(text != NULL ? text : "", copy, size);
}

static int take_record(struct np_uses *record, const json_t *object, struct np_error *error)
{
	const json_t *words = json_object_get(object, "command"),
		     *sampled = json_object_get(object, "sampled");
	char command[4 * NP_REUSE_TEXT] = "";
	size_t used = 0;

	if (record->processes > 0)
		return np_malformed(error, "a second record: give each file by itself");
	if (json_integer_value(json_object_get(object, "format")) != RECORD_FORMAT)
		return np_malformed(
			error, "format %lld of the record: this version reads %d",
			(long long)json_integer_value(json_object_get(object, "format")),
			RECORD_FORMAT);
	if (!read_count(object, "processes", most_sum, &record->processes) ||
	    record->processes < 1 ||
	    !read_count(object, "calls", most_sum, &record->calls) ||
	    !read_count(object, "bytes", most_sum, &record->bytes) ||
	    !read_count(object, "ns", most_sum, &record->ns))
		return np_malformed(error, "processes, calls, bytes or ns of the record is "
					   "missing or out of range");
	read_count(object, "lost", most_sum, &record->lost);
	record->sampled = json_is_number(sampled) ? json_number_value(sampled) : 1;
	for (size_t i = 0; i < json_array_size(words) && used < sizeof(command); i++) {
		const char *word = json_string_value(json_array_get(words, i));

		used += (size_t)snprintf(command + used, sizeof(command) - used, "%s%s",
					 i != 0 ? " " : "", word != NULL ? word : "?");
	}
	copy_text(command, record->command, sizeof(record->command));
	copy_text(json_string_value(json_object_get(object, "library")), record->library,
		  sizeof(record->library));
	return 0;
}

/* Reads a cell.  Returns false for a field that is missing or out of range. */
static bool read_cell(const json_t *object, struct np_reuse_cell *cell)
{
	const json_t *distance = json_object_get(object, "distance");

	cell->never = json_is_null(distance);
	return read_class(json_object_get(object, "size"), most_size, cell->size) &&
	       (cell->never || read_class(distance, most_distance, cell->distance)) &&
	       read_count(object, "calls", most_sum, &cell->calls) &&
	       read_count(object, "bytes", most_sum, &cell->bytes) &&
	       read_count(object, "ns", most_sum, &cell->ns) &&
	       /* The mean length, bytes / calls, lies in the class of sizes. */
	       cell->bytes >= cell->calls * cell->size[0] &&
	       cell->bytes <= cell->calls * cell->size[1];
}

/* Adds a cell; one of both sides is divided equally between them. */
static int add_cell(struct np_uses *record, struct np_reuse_cell *cell, bool both)
{
	if (cell->calls <= 0)
		return 0;
	if (both) {
		cell->calls /= 2;
		cell->bytes /= 2;
		cell->ns /= 2;
	}
	for (size_t side = 0; side < (both ? 2 : 1); side++) {
		struct np_reuse_cell *place =
			np_list_extend(&record->cells, &record->cell_count, sizeof(*cell));

		if (place == NULL)
			return -ENOMEM;
		*place = *cell;
		cell->receive = true;
	}
	return 0;
}

static int take_site(struct np_uses *record, const json_t *object, struct np_error *error)
{
	const char *direction = json_string_value(json_object_get(object, "direction"));
	const json_t *cells = json_object_get(object, "cells");
	struct np_reuse_site site = { .calls = 0 };

	if (!(record->processes > 0))
		return np_malformed(error, "a site before the record");
	if (direction == NULL ||
	    (strcmp(direction, "send") != 0 && strcmp(direction, "receive") != 0 &&
	     strcmp(direction, "both") != 0))
		return np_malformed(error, "direction of the site is missing or wrong");
	if (!read_count(object, "calls", most_sum, &site.calls) ||
	    !read_count(object, "bytes", most_sum, &site.bytes) ||
	    !read_count(object, "ns", most_sum, &site.ns) || !json_is_array(cells))
		return np_malformed(error, "calls, bytes, ns or cells of the site is "
					   "missing or out of range");
	copy_text(json_string_value(json_object_get(object, "site")), site.name,
		  sizeof(site.name));
	copy_text(json_string_value(json_object_get(object, "operation")), site.operation,
		  sizeof(site.operation));
	if (record->cell_count + json_array_size(cells) > NP_REUSE_CELLS)
		return np_malformed(error, "more than %d cells", NP_REUSE_CELLS);
	if (np_list_add(&record->sites, &record->site_count, &site, sizeof(site)) != 0)
		return np_fail_errno(error, ENOMEM, "no memory for the record");
	for (size_t i = 0; i < json_array_size(cells); i++) {
		struct np_reuse_cell cell = { .receive = *direction == 'r',
					      .site = record->site_count - 1 };

		if (!read_cell(json_array_get(cells, i), &cell))
			return np_malformed(error, "size, distance, calls, bytes or ns of "
						   "a cell is missing or out of range");
		if (add_cell(record, &cell, *direction == 'b') != 0)
			return np_fail_errno(error, ENOMEM, "no memory for the record");
	}
	return 0;
}

int np_uses_take(struct np_uses *record, const json_t *object, struct np_error *error)
{
	const char *kind = json_string_value(json_object_get(object, "kind"));

	if (kind == NULL)
		return np_malformed(error, "\"kind\" is missing");
	if (strcmp(kind, "record") == 0)
		return take_record(record, object, error);
	return strcmp(kind, "site") == 0 ? take_site(record, object, error) : 0;
}

/* Checks a record after its last line.  Returns 0 or -EBADMSG. */
static int check_uses(const struct np_uses *record, struct np_error *error)
{
	if (!(record->processes > 0))
		return np_malformed(error, "no record: a file of netpong record begins "
					   "with one");
	if (record->cell_count == 0)
		return np_malformed(error, "the record has no cells: the program moved no "
					   "message");
	return 0;
}

static int read_lines(struct np_lines *lines, struct np_uses *record,
		      struct np_error *error)
{
	size_t length;
	char *line;
	int rc;

	while ((rc = np_lines_next(lines, &line, &length, error)) > 0) {
		json_error_t failure;
		json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &failure);

		if (object == NULL)
			return np_malformed(error, "%s%s", failure.text,
					    lines->cut ? ": the file is cut off" : "");
		rc = np_uses_take(record, object, error);
		json_decref(object);
		if (rc != 0)
			return rc;
	}
	return rc == 0 ? check_uses(record, error) : rc;
}

int np_uses_points(const char *path, char **points, struct np_error *error)
{
	struct np_lines lines = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	struct np_uses record = { .sites = NULL };
	struct np_error failure = { .code = 0 };

	*points = NULL;
	if (lines.fd < 0)
		return np_fail(error, NP_ERROR_USAGE, errno,
			       "--replay: cannot open '%.200s': %s", path, strerror(errno));
	const int rc = read_lines(&lines, &record, &failure);

	if (rc != 0) {
		np_fail(error, NP_ERROR_USAGE, rc, "--replay: '%.120s', line %zu: %.200s",
			path, lines.number, failure.text);
	} else {
		np_reuse_group(&record);
		*points = np_reuse_points(&record);
		if (*points == NULL)
			np_fail_errno(error, ENOMEM, "cannot choose points of --replay");
		else if (**points == '\0')
			np_refuse(error, "--replay: '%.200s' has no message with bytes",
				  path);
	}
	np_lines_close(&lines);
	np_uses_free(&record);
	return error->code;
}

/* ---- Points on the terminal ---------------------------------------------------------- */

static void print_point(FILE *file, const struct np_replay_point *point)
{
	char size[32], buffers[32] = "new", distance[32] = "never", interval[40] = "-";

	np_text_bytes(point->length, size, sizeof(size));
	if (point->buffers != 0) {
		snprintf(buffers, sizeof(buffers), "%llu",
			 (unsigned long long)point->buffers);
		np_text_about((double)point->buffers * (double)point->length, distance,
			      sizeof(distance));
	}
	if (!isnan(point->low))
		snprintf(interval, sizeof(interval), "%.3f - %.3f", point->low,
			 point->high);
	fprintf(file, "  %-8s %-7s %7s %9s %9.3f %9.3f %7.3f  %s\n", size,
		point->axis == NP_AXIS_SEND ? "send" : "receive", buffers, distance,
		point->reuse_s * 1e6, (point->reuse_s + point->extra) * 1e6, point->ratio,
		interval);
}

void np_text_replay(FILE *file, const struct np_replay *replay,
		    const struct np_run_header *header)
{
	const bool known = header != NULL && header->plan != NULL;
	size_t planned = known ? header->plan->sweep_count : 0;
	size_t left_out = known ? header->plan->points_left_out : 0;
	size_t early = 0;

	fprintf(file, "\n  %-8s %-7s %7s %9s %9s %9s %7s  %s\n", "size", "side", "buffers",
		"distance", "one, us", "these, us", "ratio", "95 %");
	for (size_t i = 0; i < replay->count; i++) {
		print_point(file, &replay->points[i]);
		early += isnan(replay->points[i].low) ? 1 : 0;
	}
	fputc('\n', file);
	if (left_out != 0)
		np_say(file, "left out",
		       "%zu of %zu points: neither the sizes nor new buffers of this "
		       "transport allow them",
		       left_out, planned + left_out);
	if (early != 0)
		np_say(file, "left out",
		       "%zu of %zu points, with - for an interval, have too few passes: a "
		       "longer --time-budget",
		       early, replay->count);
}
