/*
 * output_json.c - JSON Lines: netpong-results(5) documents every field.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/json_line.h"
#include "output/output.h"
#include "results/pairs.h"

/* Converts a fact to text, or to a number with unit and source.  Readers of JSON hold no
 * integer above INT64_MAX. */
static json_t *fact_value(const struct np_fact *fact)
{
	if (fact->unit == NP_UNIT_NONE || fact->number > INT64_MAX)
		return json_string(fact->text);
	return json_pack("{s:I, s:s, s:s?}", "value", (json_int_t)fact->number, "unit",
			 np_unit_word(fact->unit), "source", fact->source);
}

static json_t *facts_object(const struct np_facts *facts)
{
	json_t *object = json_object();

	for (size_t i = 0; i < facts->count; i++)
		json_object_set_new(object, facts->list[i].name,
				    fact_value(&facts->list[i]));
	return object;
}

static json_t *options_object(const struct np_run_header *header)
{
	json_t *object = json_object();
	char text[1024];

	for (size_t set = 0; set < header->set_count; set++) {
		const struct np_option *option = header->sets[set].table;

		for (; option != NULL && option->name != NULL; option++) {
			if (!np_option_is_shown(&header->sets[set], option) ||
			    option->letter_only)
				continue;
			np_option_text(option, header->sets[set].values, text,
				       sizeof(text));
			json_object_set_new(object, option->name, json_string(text));
		}
	}
	return object;
}

/* Appends an option as typed, unless it has its default. */
static void add_given(FILE *given, const struct np_option *option, const char *text)
{
	const bool flag = option->type == NP_OPTION_FLAG;
	const char *initial = option->initial != NULL	       ? option->initial :
			      flag			       ? "no" :
			      option->type == NP_OPTION_CHOICE ? option->choices[0] :
								 "0";

	if (*text == '\0' || strcmp(text, initial) == 0)
		return;
	fprintf(given, option->letter_only ? "%s-%.1s" : "%s--%s",
		ftell(given) != 0 ? " " : "",
		option->letter_only ? &option->letter : option->name);
	if (flag)
		fputs(strcmp(text, "no") == 0 ? "=no" : "", given);
	else
		fprintf(given, strpbrk(text, " '\"*?$") != NULL ? " '%s'" : " %s", text);
}

/* Appends an option of a set, once for each of its values. */
static void add_option(FILE *given, const struct np_option *option, const void *values)
{
	const struct np_option_texts *texts =
		(const void *)((const char *)values + option->offset);
	char text[1024];

	if (option->type != NP_OPTION_TEXTS) {
		np_option_text(option, values, text, sizeof(text));
		add_given(given, option, text);
		return;
	}
	for (size_t i = 0; i < texts->count; i++)
		add_given(given, option, texts->list[i]);
}

/* Returns whether an option was set because another one was given: -I by --buffers. */
static bool follows(const struct np_run_header *header, const struct np_option *option)
{
	const struct np_option_set *set = NULL;
	const struct np_option *buffers =
		np_option_find(header->sets, header->set_count, "buffers", &set);
	char text[80];

	if (buffers == NULL || strcmp(option->name, "invalidate") != 0)
		return false;
	np_option_text(buffers, set->values, text, sizeof(text));
	return text[0] != '\0';
}

/* Returns options that differ from their defaults, without those of the group Results. */
static json_t *given_text(const struct np_run_header *header)
{
	char *given = NULL;
	const char *group = "";
	size_t size = 0;
	FILE *stream = open_memstream(&given, &size);

	for (size_t set = 0; stream != NULL && set < header->set_count; set++) {
		const struct np_option *option = header->sets[set].table;

		for (; option != NULL && option->name != NULL; option++) {
			group = option->group != NULL ? option->group : group;
			if (!np_option_is_shown(&header->sets[set], option) ||
			    strcmp(group, "Results") == 0 || follows(header, option))
				continue;
			add_option(stream, option, header->sets[set].values);
		}
	}
	if (stream != NULL)
		fclose(stream);
	json_t *object = json_string(given != NULL ? given : "");
	free(given);
	return object;
}

static json_t *cut_word(enum np_pool_cut cut)
{
	if (cut == NP_POOL_WHOLE)
		return json_null();
	return json_string(cut == NP_POOL_MEMORY ? "memory" : "registration");
}

int np_json_header(FILE *file, const struct np_run_header *header, struct np_error *error)
{
	const struct np_plan *plan = header->plan;
	const size_t left_out = plan->too_long_for_connection + plan->too_large_for_parts +
				plan->of_no_multiple + plan->too_many_for_budget;
	json_t *sizes = json_array(), *variants = json_array();

	for (size_t i = 0; i < plan->size_count; i++)
		json_array_append_new(sizes, json_integer((json_int_t)plan->sizes[i]));
	for (size_t i = 0; i < plan->variant_count && plan->variant_count > 1; i++)
		json_array_append_new(variants, json_string(header->request->variants[i]));
	/* With variants in runs of their own, this run has one: list those of all runs. */
	for (size_t i = 0; header->variants != NULL && plan->variant_count <= 1 &&
			   i < header->variants->count;
	     i++)
		json_array_append_new(variants,
				      json_string(header->variants->list[i].name));
	return np_json_write_line(
		file,
		json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:I, "
			  "s:o, s:I, s:o, "
			  "s:f, s:f, s:f, s:f, "
			  "s:s, s:b, s:o, s:o, s:o, s:o}",
			  "kind", "header", "format", NP_RESULTS_FORMAT, "program",
			  header->module->program, "version", header->version, "module",
			  header->module->name, "op", header->request->operation_name,
			  "variants", variants, "options", options_object(header), "given",
			  given_text(header), "sizes", sizes, "sizes_left_out",
			  (json_int_t)left_out, "sizes_without_time",
			  (json_int_t)plan->too_many_for_budget, "longest",
			  plan->longest != 0 ? json_integer((json_int_t)plan->longest) :
					       json_null(),
			  "pool_bytes", (json_int_t)plan->pool_bytes, "pool_cut",
			  cut_word(plan->pool_cut), "sample_s",
			  (double)plan->sample_ns * 1e-9, "budget_s",
			  (double)plan->budget_ns * 1e-9, "clock_overhead_ns",
			  header->clock.overhead_ns, "clock_resolution_ns",
			  header->clock.resolution_ns, "clock", header->clock.name,
			  "registers", header->module->reg != NULL, "transmitter",
			  facts_object(&header->hosts[0]), "receiver",
			  facts_object(&header->hosts[1]), "transmitter_path",
			  facts_object(&header->paths[0]), "receiver_path",
			  facts_object(&header->paths[1])),
		error);
}

int np_json_probe(FILE *file, size_t length, const struct np_cold_probe *probes,
		  struct np_error *error)
{
	for (int rank = 0; rank < 2; rank++) {
		json_t *object = np_json_record(np_probe_fields, &probes[rank], NULL);

		json_object_set_new(object, "bytes", json_integer((json_int_t)length));
		json_object_set_new(object, "rank", json_integer(rank));
		const int rc = np_json_write_line(file, object, error);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static json_t *times_array(const uint64_t *ns, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_integer((json_int_t)ns[i]));
	return array;
}

static json_t *counted_object(const struct np_counts *counts)
{
	json_t *object = json_object();

	for (size_t i = 0; i < counts->count; i++)
		json_object_set_new(object, counts->list[i].name,
				    json_integer((json_int_t)counts->list[i].value));
	return object;
}

int np_json_visit(FILE *file, const struct np_results *results,
		  const struct np_measured *measured, struct np_error *error)
{
	json_t *object = np_json_record(np_visit_fields, measured, results);

	json_object_set_new(object, "warmup_ns",
			    times_array(measured->warmup_ns,
					measured->blocks * measured->warmup_per_block));
	json_object_set_new(object, "samples_ns",
			    times_array(measured->samples_ns,
					measured->blocks * measured->samples_per_block));
	json_object_set_new(object, "counts", counted_object(&measured->counts));
	return np_json_write_line(file, object, error);
}

int np_json_superseded(FILE *file, unsigned run_index, uint64_t serial,
		       struct np_error *error)
{
	return np_json_write_line(file,
				  json_pack("{s:s, s:i, s:I}", "kind", "superseded", "run",
					    (int)run_index, "serial", (json_int_t)serial),
				  error);
}

int np_json_checked(FILE *file, const struct np_results *results, size_t length,
		    enum np_mode mode, size_t variant, uint64_t messages,
		    struct np_error *error)
{
	return np_json_write_line(
		file,
		json_pack("{s:s, s:I, s:s, s:s, s:o, s:I}", "kind", "checked", "bytes",
			  (json_int_t)length, "op", results->operation_name, "mode",
			  np_mode_name(mode), "variant", np_json_variant(results, variant),
			  "messages", (json_int_t)messages),
		error);
}

static json_t *counts_object(const struct np_results *results, const struct np_row *row)
{
	json_t *object = json_object();

	for (size_t i = 0; i < row->count_count; i++)
		json_object_set_new(object, results->count_names[row->counts[i].name],
				    json_integer((json_int_t)row->counts[i].value));
	return object;
}

static json_t *row_object(const struct np_results *results, const struct np_row *row)
{
	json_t *object = np_json_record(np_row_fields, row, results);

	json_object_set_new(object, "counts", counts_object(results, row));
	return object;
}

static json_t *ratios_array(const struct np_pair *pair)
{
	json_t *array = json_array();

	for (uint64_t i = 0; i < pair->units && pair->unit_ratios != NULL; i++)
		json_array_append_new(array, np_json_number(pair->unit_ratios[i]));
	return array;
}

/* Builds the line of a pair.  The field "mode" or "variant" that differs between the two
 * rows is null. */
static json_t *pair_object(const struct np_results *results, const struct np_pair *pair)
{
	const bool of_modes = np_pair_is_of_modes(pair);
	char name[2 * NP_WORD];

	np_pair_name(results, pair, name, sizeof(name));
	json_t *object = np_json_record(np_pair_fields, pair, results);
	json_object_set_new(object, "of", json_string(name));
	if (of_modes)
		json_object_set_new(object, "variant",
				    np_json_variant(results, pair->variant));
	else
		json_object_set_new(object, "mode", json_string(np_mode_name(pair->mode)));
	json_object_set_new(object, "unit_ratios", ratios_array(pair));
	json_object_set_new(object, "changes", np_json_changes(pair));
	return object;
}

int np_json_connection(FILE *file, const struct np_warm_up *connection,
		       struct np_error *error)
{
	return np_json_write_line(
		file, np_json_record(np_connection_fields, connection, NULL), error);
}

static json_t *new_connection_array(const struct np_new_connection *found)
{
	json_t *array = json_array();

	if (isnan(found->low) || found->connections == 0)
		return array;
	json_array_append_new(array, np_json_record(np_new_connection_fields, found, NULL));
	return array;
}

static json_t *slow_minutes_array(const struct np_results *results,
				  const struct np_minutes *minutes)
{
	json_t *array = json_array();

	for (size_t i = 0; i < minutes->slow_count && i < NP_SLOW_MINUTES; i++) {
		const struct np_minute *one = &minutes->slow[i];
		const char *variant = np_variant_name(results, one->visit->variant);

		json_array_append_new(
			array,
			json_pack("{s:I, s:s, s:s?, s:I, s:o, s:o}", "bytes",
				  (json_int_t)one->visit->length, "mode",
				  np_mode_name(one->visit->mode), "variant", variant,
				  "minute", (json_int_t)one->visit->pass + 1, "ratio",
				  np_json_number(one->ratio), "p", np_json_number(one->p)));
	}
	return array;
}

int np_json_slowest(FILE *file, const struct np_results *results, struct np_error *error)
{
	const bool runs = results->runs > 1;
	const struct np_job_slowest slowest = np_slowest_find(&results->slowest, runs);

	if (slowest.passes == 0)
		return 0;
	return np_json_write_line(
		file,
		json_pack("{ss si ss so si si si so}", "kind", "slowest", "rank",
			  (int)slowest.rank, "host", slowest.host, "core",
			  slowest.core < 0 ? json_null() : json_integer(slowest.core),
			  "times", (int)slowest.times, runs ? "runs" : "passes",
			  (int)slowest.passes, "ranks", (int)slowest.ranks, "p",
			  np_json_number(np_slowest_chance(&slowest))),
		error);
}

/* Lists summaries, over all sizes, of each variant against the first. */
static json_t *comparisons_array(const struct np_results *results,
				 const struct np_findings *findings)
{
	json_t *array = json_array();

	for (size_t i = 0; i < findings->comparison_count; i++) {
		const struct np_comparison *comparison = &findings->comparisons[i];
		char name[2 * NP_WORD];

		np_pair_name(results, &comparison->like, name, sizeof(name));
		json_t *object = np_json_record(np_comparison_fields, comparison, results);
		json_object_set_new(object, "of", json_string(name));
		json_array_append_new(array, object);
	}
	return array;
}

/* Lists ranges of sizes where a mode is slower than its base. */
static json_t *slow_ranges_array(const struct np_cost *cost)
{
	json_t *array = json_array();

	for (size_t i = 0; i < cost->slow_range_count; i++) {
		const struct np_slow_range *range = &cost->slow_ranges[i];

		json_t *object = np_json_record(np_slow_range_fields, range, NULL);
		json_object_set_new(object, "worst_bytes",
				    json_integer((json_int_t)range->worst->length));
		json_object_set_new(object, "worst_ratio",
				    np_json_number(range->worst->ratio));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *costs_array(const struct np_results *results,
			   const struct np_findings *findings)
{
	json_t *array = json_array();

	for (size_t i = 0; i < findings->cost_count; i++) {
		const struct np_cost *cost = &findings->costs[i];
		char name[2 * NP_WORD];

		np_pair_name(results, &cost->like, name, sizeof(name));
		json_t *object = np_json_record(np_cost_fields, cost, results);
		json_object_set_new(object, "of", json_string(name));
		json_object_set_new(object, "ranges",
				    np_json_ranges(cost->ranges, cost->range_count));
		json_object_set_new(object, "slow_ranges", slow_ranges_array(cost));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *findings_object(const struct np_results *results,
			       const struct np_findings *found,
			       const struct np_error *reason)
{
	const struct np_row *latency = found->latency, *peak = found->peak;
	const struct np_minutes *minutes = &found->minutes;
	json_t *object = np_json_record(np_findings_fields, found, results);

	json_object_set_new(object, "complete", json_boolean(reason == NULL));
	json_object_set_new(object, "reason",
			    json_string(reason != NULL ? reason->text : ""));
	if (latency != NULL)
		json_object_set_new(object, "latency_s", np_json_number(latency->median_s));
	if (peak != NULL) {
		json_object_set_new(object, "peak_mbps", np_json_number(peak->mbps));
		json_object_set_new(object, "peak_bytes",
				    json_integer((json_int_t)peak->length));
	}
	json_object_set_new(object, "new_connection",
			    new_connection_array(&found->new_connection));
	json_object_set_new(object, "costs", costs_array(results, found));
	json_object_set_new(object, "comparisons", comparisons_array(results, found));
	if (minutes->least != NULL) {
		json_object_set_new(object, "least_mbps",
				    np_json_number(minutes->least_mbps));
		json_object_set_new(object, "least_minute",
				    json_integer((json_int_t)minutes->least->pass + 1));
	}
	json_object_set_new(object, "slow_minutes", slow_minutes_array(results, minutes));
	return object;
}

int np_json_table(FILE *file, const struct np_results *results,
		  const struct np_table *table, const struct np_findings *findings,
		  const struct np_error *reason, struct np_error *error)
{
	int rc = np_json_slowest(file, results, error);

	for (size_t i = 0; i < table->row_count && rc == 0; i++)
		rc = np_json_write_line(file, row_object(results, &table->rows[i]), error);
	for (size_t i = 0; i < table->pair_count && rc == 0; i++)
		rc = np_json_write_line(file, pair_object(results, &table->pairs[i]),
					error);
	if (rc == 0)
		rc = np_json_causes(file, results, error);
	return rc == 0 ? np_json_write_line(
				 file, findings_object(results, findings, reason), error) :
			 rc;
}
