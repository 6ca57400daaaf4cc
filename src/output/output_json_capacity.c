/*
 * output_json_capacity.c - capacity sweep as result lines: "capacity" for each number
 * of buffers on each axis, "knee" for each knee.
 */
#include <jansson.h>
#include <math.h>

#include "output/output.h"
#include "output/json_line.h"
#include "questions/capacity_name.h"

static json_t *point_object(const struct np_results *results,
			    const struct np_capacity *capacity,
			    const struct np_capacity_point *point)
{
	return json_pack(
		"{s:s, s:I, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o, s:o, s:o, s:I}",
		"kind", "capacity", "bytes", (json_int_t)capacity->host.length, "op",
		results->operation_name, "axis", np_axis_name(point->axis), "buffers",
		(json_int_t)point->buffers, "lines", (json_int_t)point->touched.lines,
		"touched_bytes", (json_int_t)point->touched.bytes, "pages",
		(json_int_t)point->touched.pages, "registrations",
		(json_int_t)point->touched.registrations, "median_s",
		np_json_number(point->seconds), "ci_low_s", np_json_number(point->low_s),
		"ci_high_s", np_json_number(point->high_s), "ratio",
		np_json_number(point->ratio), "ratio_low", np_json_number(point->ratio_low),
		"ratio_high", np_json_number(point->ratio_high), "fresh",
		np_json_number(point->fresh), "fresh_low", np_json_number(point->fresh_low),
		"fresh_high", np_json_number(point->fresh_high), "fresh_verdict",
		point->fresh_verdict != NP_VERDICTS ?
			json_string(np_verdict_word(point->fresh_verdict)) :
			json_null(),
		results->runs > 1 ? "runs" : "passes", (json_int_t)point->units);
}

/* Returns a count in the unit of the knee; null if no capacity explains the knee. */
static json_t *count_or_null(const struct np_knee *knee, double count)
{
	return knee->unit != NP_HOLDS_NONE ? np_json_number(count) : json_null();
}

static json_t *knee_object(const struct np_results *results,
			   const struct np_capacity *capacity, const struct np_knee *knee)
{
	const struct np_footprint *low = &knee->touched_low, *high = &knee->touched_high;

	return json_pack(
		"{s:s, s:I, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
		"s:o, s:o, s:b, s:b, s:s, s:s, s:s, s:s?, s:o, s:o, s:o, s:b}",
		"kind", "knee", "bytes", (json_int_t)capacity->host.length, "op",
		results->operation_name, "axis", np_axis_name(knee->axis), "buffers",
		(json_int_t)knee->buffers, "buffers_next", (json_int_t)knee->next,
		"buffers_low", (json_int_t)knee->low, "buffers_high",
		(json_int_t)knee->high, "touched_low_bytes", (json_int_t)low->bytes,
		"touched_high_bytes", (json_int_t)high->bytes, "pages_low",
		(json_int_t)low->pages, "pages_high", (json_int_t)high->pages,
		"registrations_low", (json_int_t)low->registrations, "registrations_high",
		(json_int_t)high->registrations, "effect", np_json_number(knee->effect),
		"p", np_json_number(knee->p), "gradual", knee->gradual, "open", knee->open,
		"cause", np_knee_cause_name(knee->cause), "label", knee->label, "verdict",
		knee->verdict, "unit", np_capacity_unit_name(knee->unit), "count",
		count_or_null(knee, knee->count), "count_low",
		count_or_null(knee, knee->count_low), "count_high",
		count_or_null(knee, knee->count_high), "repeats", knee->repeats);
}

int np_json_capacity(FILE *file, const struct np_results *results,
		     const struct np_capacity *capacity, struct np_error *error)
{
	int rc = 0;

	for (size_t i = 0; i < capacity->point_count && rc == 0; i++)
		rc = np_json_write_line(
			file, point_object(results, capacity, &capacity->points[i]), error);
	for (size_t i = 0; i < capacity->knee_count && rc == 0; i++)
		rc = np_json_write_line(
			file, knee_object(results, capacity, &capacity->knees[i]), error);
	return rc;
}
