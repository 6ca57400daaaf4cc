/*
 * output_json_refine.c - breaks of --refine as result lines.
 */
#include <errno.h>
#include <stdlib.h>

#include "output/json_line.h"
#include "output/output.h"
#include "results/limit.h"

enum { LIMITS_MAX = 4 };

static json_t *limits_array(const struct np_run_header *header, size_t low, size_t high)
{
	struct np_limit limits[LIMITS_MAX] = { { .fact = NULL } };
	const size_t count =
		np_limits_find(header->paths, header->hosts, low, high, limits, LIMITS_MAX);
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(
			array, json_pack("{s:s, s:s?, s:s, s:I, s:I, s:I}", "fact",
					 limits[i].fact->name, "source",
					 limits[i].fact->source, "label", limits[i].label,
					 "bytes", (json_int_t)limits[i].bytes, "times",
					 (json_int_t)limits[i].times, "header_bytes",
					 (json_int_t)limits[i].header));
	return array;
}

static json_t *found_object(const struct np_results *results,
			    const struct np_run_header *header,
			    const struct np_confirmed *found)
{

	return json_pack("{s:s, s:s, s:I, s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:I, s:b, s:o}",
			 "kind", "break", "what", np_confirmed_word(found->kind),
			 "bytes_low", (json_int_t)found->low, "bytes_high",
			 (json_int_t)found->high, "op", results->operation_name, "mode",
			 np_mode_name(found->mode), "variant", np_json_variant(results, 0),
			 "effect", np_json_number(found->effect), "effect_low",
			 np_json_number(found->low_effect), "effect_high",
			 np_json_number(found->high_effect), "p", np_json_number(found->p),
			 "p_adjusted", np_json_number(found->adjusted), "rounds",
			 (json_int_t)found->rounds, "significant", found->sure, "limits",
			 limits_array(header, found->low, found->high));
}

/* Builds the line of a bend or a bimodal size, which have no test. */
static json_t *bend_object(const struct np_results *results,
			   const struct np_run_header *header,
			   const struct np_refine_bend *entry)
{
	const struct np_note *bend = &entry->bend;

	return json_pack(
		"{s:s, s:s, s:I, s:I, s:s, s:s, s:o, s:o, s:n, s:n, s:n, s:n, "
		"s:i, s:b, s:o}",
		"kind", "break", "what", bend->kind == NP_NOTE_BEND ? "bend" : "bimodal",
		"bytes_low", (json_int_t)bend->low, "bytes_high", (json_int_t)bend->high,
		"op", results->operation_name, "mode", np_mode_name(entry->mode), "variant",
		np_json_variant(results, 0), "effect", np_json_number(bend->effect),
		"effect_low", "effect_high", "p", "p_adjusted", "rounds", 0, "significant",
		false, "limits", limits_array(header, bend->low, bend->high));
}

int np_json_refined(FILE *file, const struct np_results *results,
		    const struct np_run_header *header, struct np_error *error)
{
	const struct np_refining *refining = header->refining;
	struct np_confirmed *found = NULL;
	size_t count = 0;
	int rc = 0;

	if (refining == NULL || !refining->ran)
		return 0;
	if (np_refine_derive(results, &found, &count) != 0)
		return np_fail_errno(error, ENOMEM, "no memory for the table");
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = np_json_write_line(file, found_object(results, header, &found[i]),
					error);
	for (size_t i = 0; i < refining->bend_count && rc == 0; i++)
		rc = np_json_write_line(
			file, bend_object(results, header, &refining->bends[i]), error);
	free(found);
	if (rc != 0)
		return rc;
	return np_json_write_line(
		file,
		json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f}", "kind", "refinement",
			  "gaps", (json_int_t)refining->gaps, "gaps_left",
			  (json_int_t)refining->gaps_left, "gaps_clear",
			  (json_int_t)refining->gaps_clear, "searched_to_bytes",
			  (json_int_t)refining->searched_to, "visits",
			  (json_int_t)refining->visits, "seconds", refining->seconds),
		error);
}
