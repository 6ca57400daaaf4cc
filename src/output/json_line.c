/*
 * json_line.c - JSON Lines: writing a line, and values that several lines have.
 */
#include "output/json_line.h"

#include <errno.h>
#include <math.h>
#include <signal.h>

int np_json_unwritten(int code, struct np_error *error)
{
	if (code == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return np_fail_errno(error, code != 0 ? code : EIO, "cannot write the result file");
}

/* Writes and flushes a line, and releases the object.  flags: those of json_dumpf(). */
static int write_line(FILE *file, json_t *object, size_t flags, struct np_error *error)
{
	int rc = 0;

	if (object == NULL)
		return np_fail_errno(error, ENOMEM, "cannot build a result line");
	errno = 0;
	if (json_dumpf(object, file, JSON_COMPACT | flags) != 0 ||
	    fputc('\n', file) == EOF || fflush(file) != 0)
		rc = np_json_unwritten(errno, error);
	json_decref(object);
	return rc;
}

int np_json_write_line(FILE *file, json_t *object, struct np_error *error)
{
	return write_line(file, object, 0, error);
}

int np_json_write_short(FILE *file, json_t *object, struct np_error *error)
{
	return write_line(file, object, JSON_REAL_PRECISION(9), error);
}

json_t *np_json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *np_json_variant(const struct np_results *results, size_t variant)
{
	const char *name = np_variant_name(results, variant);

	return name != NULL ? json_string(name) : json_null();
}

json_t *np_json_changes(const struct np_pair *pair)
{
	json_t *array = json_array();

	for (size_t i = 0; i < pair->change_count; i++) {
		const struct np_change *change = &pair->changes[i];

		json_array_append_new(
			array, json_pack("{s:s, s:o, s:o, s:o, s:o}", "count", change->name,
					 "base", np_json_number(change->base), "over",
					 np_json_number(change->over), "p",
					 np_json_number(change->p), "adjusted_p",
					 np_json_number(change->adjusted)));
	}
	return array;
}

json_t *np_json_ranges(const struct np_pair_range *ranges, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct np_pair_range *range = &ranges[i];

		json_array_append_new(
			array, json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:s}",
					 "smallest_bytes", (json_int_t)range->smallest,
					 "largest_bytes", (json_int_t)range->largest,
					 "sizes", (json_int_t)range->sizes, "ratio",
					 np_json_number(range->ratio), "ratio_low",
					 np_json_number(range->low), "ratio_high",
					 np_json_number(range->high), "verdict",
					 np_verdict_word(range->verdict)));
	}
	return array;
}

void np_json_add_sweep(json_t *object, enum np_axis axis, uint64_t buffers)
{
	if (object == NULL || axis == NP_AXIS_NONE)
		return;
	json_object_set_new(object, "axis", json_string(np_axis_name(axis)));
	json_object_set_new(object, "buffers", json_integer((json_int_t)buffers));
}
