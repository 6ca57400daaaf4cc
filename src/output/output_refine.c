/*
 * output_refine.c - breaks of --refine, as text and as result lines.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "output/json_line.h"
#include "output/output.h"
#include "output/terminal.h"
#include "results/limit.h"

enum { LIMITS_MAX = 4 };

/* Formats "; reported there: eager limit ..."; empty without a limit. */
static void limits_text(const struct np_run_header *header, size_t low, size_t high,
			char *text, size_t size)
{
	struct np_limit limits[LIMITS_MAX] = { { .fact = NULL } };
	const size_t count =
		np_limits_find(header->paths, header->hosts, low, high, limits, LIMITS_MAX);
	char limit[160];
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < count && used < size; i++) {
		np_limit_text(&limits[i], limit, sizeof(limit));
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 i == 0 ? "; reported there: " : ", ", limit);
	}
}

/* Formats "p=0.0004", without an exponent. */
static void p_text(double p, char *text, size_t size)
{
	const double least = 1e-4;

	if (p < least)
		snprintf(text, size, "p<%g", least);
	else
		snprintf(text, size, "p=%.1g", p);
}

static void say_found(FILE *file, const struct np_run_header *header,
		      const struct np_confirmed *found)
{
	const bool step = found->kind == NP_CONFIRMED_STEP,
		   modes = header->plan->mode_count > 1;
	char low[32], high[32], effect[128], p[32], limits[LIMITS_MAX * 160];

	np_text_bytes(found->low, low, sizeof(low));
	np_text_bytes(found->high, high, sizeof(high));
	np_text_slower(found->effect, found->low_effect, found->high_effect, effect,
		       sizeof(effect));
	p_text(found->adjusted, p, sizeof(p));
	limits_text(header, found->low, found->high, limits, sizeof(limits));
	np_say(file, np_confirmed_word(found->kind),
	       "%s%s%s: %s%s%s%s, %ssignificant (%s)%s", low,
	       found->low != found->high ? " to " : "",
	       found->low != found->high ? high : "", effect,
	       step ? "" : " than its neighbours", modes ? ", " : "",
	       modes ? np_mode_name(found->mode) : "", found->sure ? "" : "not ", p,
	       limits);
}

static void say_bimodal(FILE *file, const struct np_refine_bend *entry)
{
	char size[32];

	np_text_bytes(entry->bend.low, size, sizeof(size));
	np_say(file, "bimodal", "%s: two modes %.3fx apart, %s; not searched further", size,
	       entry->bend.effect, np_mode_name(entry->mode));
}

static void say_search(FILE *file, const struct np_refining *refining)
{
	const size_t searched = refining->gaps - refining->gaps_left;
	size_t bends = 0;

	for (size_t i = 0; i < refining->bend_count; i++)
		bends += refining->bends[i].bend.kind == NP_NOTE_BEND;
	np_say(file, "searched",
	       "%zu gap%s in %.1f s, with %zu measurement%s: %zu gradual bend%s; flat and "
	       "skipped: %zu",
	       searched, np_plural(searched), refining->seconds, refining->visits,
	       np_plural(refining->visits), bends, np_plural(bends), refining->gaps_clear);
	if (refining->gaps_left != 0)
		np_say(file, "",
		       "not searched for lack of time: %zu; give a longer --time-budget",
		       refining->gaps_left);
}

void np_text_refined(FILE *file, const struct np_results *results,
		     const struct np_run_header *header)
{
	const struct np_refining *refining = header->refining;
	struct np_confirmed *found = NULL;
	size_t count = 0;

	if (refining == NULL || !refining->ran ||
	    np_refine_derive(results, &found, &count) != 0)
		return;
	fputc('\n', file);
	for (size_t i = 0; i < count; i++)
		say_found(file, header, &found[i]);
	for (size_t i = 0; i < refining->bend_count; i++) {
		if (refining->bends[i].bend.kind == NP_NOTE_BIMODAL)
			say_bimodal(file, &refining->bends[i]);
	}
	if (count == 0)
		np_say(file, "steps", "none found, and no dropouts");
	say_search(file, refining);
	free(found);
}

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

/* Builds the line of a bend or a bimodal size, which --refine does not test: null intervals
 * and p-values. */
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
