/*
 * export_json.c - an array of runs: each with its header, notes, curves and
 * ratios; each curve with its points, breaks and lines.
 */
#include "report/program/export_json.h"

#include <errno.h>
#include <math.h>

#include "output/json_line.h"
#include "report/curves/run.h"

/* JSON of a text from a file; null if it is not UTF-8. */
static json_t *text(const char *bytes)
{
	json_t *string = json_string(bytes);

	return string != NULL ? string : json_null();
}

static json_t *estimate(const struct np_estimate *estimate)
{
	if (!isfinite(estimate->value))
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "value", np_json_number(estimate->value), "low",
			 np_json_number(estimate->low), "high",
			 np_json_number(estimate->high));
}

static json_t *point_object(const struct np_row *point)
{
	char flags[96];

	np_row_flags_text(point->flags, flags, sizeof(flags));
	return json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, "
		"s:I, s:I, s:s, s:s}",
		"bytes", (json_int_t)point->length, "median_s",
		np_json_number(point->median_s), "ci_low_s",
		np_json_number(point->ci_low_s), "ci_high_s",
		np_json_number(point->ci_high_s), "min_s", np_json_number(point->min_s),
		"mean_s", np_json_number(point->mean_s), "p50_s",
		np_json_number(point->p50_s), "p90_s", np_json_number(point->p90_s),
		"p99_s", np_json_number(point->p99_s), "p999_s",
		np_json_number(point->p999_s), "mbps", np_json_number(point->mbps), "n",
		(json_int_t)point->samples, "iterations", (json_int_t)point->batch, "units",
		(json_int_t)point->units, "code_path", point->code_path, "flags", flags);
}

static json_t *breaks_array(const struct np_analysis *analysis)
{
	json_t *array = json_array();

	for (size_t i = 0; i < analysis->shape.break_count; i++) {
		const struct np_break *at = &analysis->shape.breaks[i];

		json_array_append_new(array,
				      json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:b, s:b}",
						"kind", np_break_word(at->kind),
						"bytes_low", (json_int_t)at->bytes_low,
						"bytes_high", (json_int_t)at->bytes_high,
						"effect", np_json_number(at->effect), "low",
						np_json_number(at->low), "high",
						np_json_number(at->high), "significant",
						at->sure, "open", at->open));
	}
	return array;
}

static json_t *lines_array(const struct np_analysis *analysis)
{
	json_t *array = json_array();

	for (size_t i = 0; i < analysis->shape.segment_count && analysis->count != 0; i++) {
		const struct np_segment *segment = &analysis->shape.segments[i];
		const struct np_line_fit *fit = &analysis->fits[i];

		json_array_append_new(
			array, json_pack("{s:I, s:I, s:o, s:o, s:o, s:s}", "bytes_low",
					 (json_int_t)analysis->points[segment->first].bytes,
					 "bytes_high",
					 (json_int_t)analysis->points[segment->last].bytes,
					 "t0_s", estimate(&fit->t0), "r_inf_bytes_per_s",
					 estimate(&fit->r_inf), "n_half_bytes",
					 estimate(&fit->n_half), "why",
					 fit->support == NP_FIT_GOOD ?
						 "" :
						 np_fit_support_text(fit->support)));
	}
	return array;
}

static json_t *series_object(const struct np_series *series,
			     const struct np_analysis *analysis)
{
	json_t *points = json_array();

	for (size_t i = 0; i < series->count; i++)
		json_array_append_new(points, point_object(&series->points[i]));
	json_t *object = json_object();
	json_object_set_new(object, "op", text(series->op));
	json_object_set_new(object, "mode", text(series->mode));
	json_object_set_new(object, "variant", text(series->variant));
	json_object_set_new(object, "points", points);
	json_object_set_new(object, "breaks", breaks_array(analysis));
	json_object_set_new(object, "lines", lines_array(analysis));
	return object;
}

static json_t *ratios_object(const struct np_ratio_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++) {
		const struct np_pair *ratio = &list->ratios[i];

		json_array_append_new(
			array,
			json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
				  "s:b, s:o, s:I, s:o}",
				  "bytes", (json_int_t)ratio->length, "ratio",
				  np_json_number(ratio->ratio), "ratio_low",
				  np_json_number(ratio->low), "ratio_high",
				  np_json_number(ratio->high), "alone_low",
				  np_json_number(ratio->alone_low), "alone_high",
				  np_json_number(ratio->alone_high), "control_ratio",
				  np_json_number(ratio->control_ratio), "control_low",
				  np_json_number(ratio->control_low), "control_high",
				  np_json_number(ratio->control_high), "adjusted_p",
				  np_json_number(ratio->adjusted_p), "resolution",
				  np_json_number(ratio->resolution), "unstable",
				  ratio->unstable, "verdict",
				  ratio->verdict != NP_VERDICTS ?
					  json_string(np_verdict_word(ratio->verdict)) :
					  json_null(),
				  "units", (json_int_t)ratio->units, "changes",
				  np_json_changes(ratio)));
	}
	return json_pack("{s:s, s:s, s:s, s:o, s:o}", "op", list->op, "of", list->of,
			 "within", list->within, "ranges",
			 np_json_ranges(list->ranges, list->range_count), "ratios", array);
}

static json_t *run_object(const struct np_run *run, struct np_error *error)
{
	struct np_analysis *analyses = np_analyse_run(run, error);
	json_t *series = json_array(), *ratios = json_array(), *notes = json_object();
	json_t *object = json_object();

	for (size_t i = 0; analyses != NULL && i < run->series_count; i++)
		json_array_append_new(series, series_object(&run->series[i], &analyses[i]));
	for (size_t i = 0; i < run->ratios_count; i++)
		json_array_append_new(ratios, ratios_object(&run->ratios[i]));
	for (size_t i = 0; i < run->notes.count; i++)
		json_object_set_new(notes, run->notes.list[i].name,
				    text(run->notes.list[i].text));
	json_object_set_new(object, "file", text(run->path));
	json_object_set_new(object, "format", json_string(run->format));
	json_object_set_new(object, "broken", json_boolean(run->broken));
	json_object_set_new(object, "notes", notes);
	json_object_set(object, "header", run->header != NULL ? run->header : json_null());
	json_object_set_new(object, "series", series);
	json_object_set_new(object, "ratios", ratios);
	np_analyses_free(analyses, run->series_count);
	return object;
}

int np_export_json(FILE *file, const struct np_run *runs, size_t count,
		   struct np_error *error)
{
	json_t *array = json_array();
	int rc = 0;

	for (size_t i = 0; i < count && error->code == 0; i++)
		json_array_append_new(array, run_object(&runs[i], error));
	rc = error->code;
	if (rc == 0 &&
	    (json_dumpf(array, file, JSON_INDENT(1)) != 0 || fputc('\n', file) == EOF))
		rc = np_fail(error, NP_ERROR_FAILED, EIO, "cannot write the export");
	json_decref(array);
	return rc;
}
