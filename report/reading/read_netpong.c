/*
 * read_netpong.c - parses NetPong's result files: netpong-results(5).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "report/curves/fields.h"
#include "output/json_line.h"
#include "output/output.h"
#include "report/reading/reading.h"

static bool recognize(const char *text)
{
	const size_t blank = strspn(text, " \t\r\n");

	/* Other tools write JSON, too. */
	return text[blank] == '{' && strstr(text, "\"kind\"") != NULL;
}

static enum np_operation operation_of(const char *op)
{
	if (strcmp(op, "pingpong") == 0)
		return NP_PINGPONG;
	return strcmp(op, "bidirectional") == 0 ? NP_BIDIRECTIONAL : NP_STREAM;
}

/* Stores the names of variants; their memory belongs to the header, which the run owns. */
static int take_variants(struct np_reading *reading, const json_t *variants,
			 struct np_error *error)
{
	struct np_results *results = reading->run->results;

	if (json_array_size(variants) > NP_VARIANTS_MAX)
		return np_malformed(error, "%zu variants: a run has at most %d",
				    json_array_size(variants), NP_VARIANTS_MAX);
	for (size_t i = 0; i < json_array_size(variants); i++) {
		const char *name = json_string_value(json_array_get(variants, i));

		if (name == NULL || strlen(name) >= NP_LABEL)
			return np_malformed(error, "a variant without a name");
		results->variants[i] = name;
		results->variant_count = i + 1;
	}
	return 0;
}

/* True if program and operation are equal, as in all headers of --runs. */
static bool same_experiment(const json_t *first, const json_t *next)
{
	static const char *const names[] = { "program", "op" };

	for (size_t i = 0; i < 2; i++) {
		const char *one = json_string_value(json_object_get(first, names[i]));
		const char *other = json_string_value(json_object_get(next, names[i]));

		if ((one == NULL) != (other == NULL) ||
		    (one != NULL && strcmp(one, other) != 0))
			return false;
	}
	return true;
}

/* Copies texts, and numbers with units, as facts; ignores other values. */
static void take_facts(json_t *object, struct np_facts *facts)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		const json_t *number = json_object_get(value, "value");
		const char *unit = json_string_value(json_object_get(value, "unit"));

		if (json_is_string(value))
			np_facts_add(facts, name, "%s", json_string_value(value));
		else if (unit != NULL && np_unit_named(unit) != NP_UNIT_NONE &&
			 json_is_integer(number) && json_integer_value(number) >= 0)
			np_facts_add_number(
				facts, name, (uint64_t)json_integer_value(number),
				np_unit_named(unit),
				json_string_value(json_object_get(value, "source")));
	}
}

static int take_header(struct np_reading *reading, json_t *object, struct np_error *error)
{
	const json_t *format = json_object_get(object, "format");
	const char *op = json_string_value(json_object_get(object, "op"));
	struct np_run *run = reading->run;
	double percent;

	if (json_integer_value(format) != NP_RESULTS_FORMAT)
		return np_malformed(
			error, "format %lld of the header: this version reads %d",
			(long long)json_integer_value(format), NP_RESULTS_FORMAT);
	if (op == NULL || !json_is_object(json_object_get(object, "transmitter")))
		return np_malformed(error, "the header lacks \"op\" or \"transmitter\"");
	if (run->header != NULL && !same_experiment(run->header, object))
		return np_malformed(error,
				    "a header of another program or operation: put each "
				    "run into a file of its own");
	run->runs++;
	if (run->header != NULL)
		return 0;
	run->header = json_incref(object);
	take_facts(json_object_get(object, "options"), &run->options);
	take_facts(json_object_get(object, "transmitter"), &run->hosts[0]);
	take_facts(json_object_get(object, "receiver"), &run->hosts[1]);
	take_facts(json_object_get(object, "transmitter_path"), &run->paths[0]);
	take_facts(json_object_get(object, "receiver_path"), &run->paths[1]);
	run->results->operation = operation_of(op);
	run->results->operation_name = op;
	const char *each = np_facts_find(&run->options, "per-message");
	run->results->per_message = each != NULL && strcmp(each, "yes") == 0;
	const char *watch = np_facts_find(&run->options, "watch");
	run->results->watched =
		watch != NULL && np_number_parse(watch, &percent, NULL) && percent > 0;
	const char *precision = np_facts_find(&run->options, "precision");
	if (!run->results->watched && precision != NULL &&
	    np_number_parse(precision, &percent, NULL))
		run->results->precision = percent / 100;
	const char *same_within = np_facts_find(&run->options, "same-within");
	if (same_within != NULL && np_number_parse(same_within, &percent, NULL))
		run->results->same_within = percent / 100;
	return take_variants(reading, json_object_get(object, "variants"), error);
}

static uint64_t units_of(struct np_reading *reading, const json_t *object)
{
	if (json_object_get(object, "runs") == NULL)
		return np_field_whole(object, "passes");
	reading->gather.several_runs = true;
	return np_field_whole(object, "runs");
}

static int take_row(struct np_reading *reading, const json_t *object,
		    struct np_error *error)
{
	struct np_key key = { .length = 0 };
	char code_path[NP_LABEL] = "";

	/* Skip points of a capacity sweep: they are on no curve over sizes. */
	if (json_object_get(object, "axis") != NULL)
		return 0;
	if (!np_field_length(object, "bytes", &key.length) ||
	    !np_field_label(object, "op", key.op) ||
	    !np_field_label(object, "mode", key.mode) ||
	    !np_time_is_valid(np_field_number(object, "median_s")))
		return np_malformed(
			error,
			"bytes, op, mode or median_s of the row is missing or wrong");
	np_field_label(object, "variant", key.variant);
	/* A code path that is too long stays empty. */
	np_field_label(object, "code_path", code_path);
	struct np_row row = { .length = 0 };
	np_json_read_record(np_point_fields, object, &row);
	row.units = units_of(reading, object);
	row.code_path = np_results_word(reading->run->results, code_path);
	if (!(row.ci_low_s <= row.median_s && np_time_is_valid(row.ci_low_s) &&
	      row.ci_high_s >= row.median_s && np_time_is_valid(row.ci_high_s)))
		row.ci_low_s = row.ci_high_s = (double)NAN;
	reading->figures++;
	return np_gather_row(&reading->gather, &key, &row, error);
}

static bool read_change(const json_t *object, struct np_change *change)
{
	*change = (struct np_change){ .clear = true, .sure = true };
	np_json_read_record(np_change_fields, object, change);
	return np_counts_is_name(change->name) && !isnan(change->base) &&
	       !isnan(change->over);
}

/* Reads the event counts that differ between both sides of a pair; older files have
 * none. */
static int take_changes(const json_t *object, struct np_pair *ratio, struct np_error *error)
{
	const json_t *array = json_object_get(object, "changes");
	const size_t count = json_array_size(array);

	if (count > NP_BLOCK_COUNTS)
		return np_malformed(error, "%zu changes of a pair: a pair has at most %d",
				    count, NP_BLOCK_COUNTS);
	if (count == 0)
		return 0;
	ratio->changes = calloc(count, sizeof(*ratio->changes));
	if (ratio->changes == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	for (size_t i = 0; i < count; i++) {
		if (!read_change(json_array_get(array, i), &ratio->changes[i]))
			return np_malformed(
				error,
				"count, base or over of a change is missing or wrong");
		ratio->change_count++;
	}
	return 0;
}

static int take_pair(struct np_reading *reading, const json_t *object,
		     struct np_error *error)
{
	struct np_key key = { .length = 0 };

	if (json_object_get(object, "axis") != NULL)
		return 0;
	if (!np_field_length(object, "bytes", &key.length) ||
	    !np_field_label(object, "op", key.op) ||
	    !(np_field_number(object, "ratio") >= 1e-9 &&
	      np_field_number(object, "ratio") <= 1e9))
		return np_malformed(error,
				    "bytes, op or ratio of the pair is missing or wrong");
	/* Older files have no "of". */
	if (!np_field_label(object, "of", key.mode))
		snprintf(key.mode, sizeof(key.mode), "rotate/reuse");
	if (!np_field_label(object, "variant", key.variant))
		np_field_label(object, "mode", key.variant);
	/* Skip pairs of the control: other pairs have its ratio in control_ratio. */
	if (strcmp(key.mode, "null/reuse") == 0)
		return 0;
	/* Verdicts of files before 0.4.0 are derived again. */
	struct np_pair pair = { .length = 0 };
	np_json_read_record(np_ratio_fields, object, &pair);
	pair.units = units_of(reading, object);
	const int rc = take_changes(object, &pair, error);

	if (rc != 0) {
		free(pair.changes);
		return rc;
	}
	return np_gather_pair(&reading->gather, &key, &pair, error);
}

static int take_findings(struct np_reading *reading, json_t *object, struct np_error *error)
{
	if (!json_is_boolean(json_object_get(object, "complete")))
		return np_malformed(error, "the findings lack \"complete\"");
	json_decref(reading->run->findings);
	reading->run->findings = json_incref(object);
	reading->finished = true;
	return 0;
}

/* Stores a bend or a bimodal size of --refine; skips steps and dropouts, which are derived
 * from their visits. */
static int take_break(struct np_reading *reading, const json_t *object,
		      struct np_error *error)
{
	const char *what = json_string_value(json_object_get(object, "what"));
	struct np_noted noted = { .effect = np_field_number(object, "effect") };
	struct np_run *run = reading->run;

	noted.bimodal = what != NULL && strcmp(what, "bimodal") == 0;
	if (!noted.bimodal && (what == NULL || strcmp(what, "bend") != 0))
		return 0;
	if (!np_field_length(object, "bytes_low", &noted.low) ||
	    !np_field_length(object, "bytes_high", &noted.high) ||
	    !np_field_label(object, "op", noted.op) ||
	    !np_field_label(object, "mode", noted.mode) || isnan(noted.effect))
		return np_malformed(
			error,
			"bytes, op, mode or effect of the break is missing or wrong");
	np_field_label(object, "variant", noted.variant);
	np_label_clean(noted.op);
	np_label_clean(noted.mode);
	np_label_clean(noted.variant);
	if (np_list_add(&run->noted, &run->noted_count, &noted, sizeof(noted)) != 0)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	return 0;
}

/* Stores the size up to which --refine has searched; files of --runs have none. */
static int take_refinement(struct np_reading *reading, const json_t *object,
			   struct np_error *error)
{
	/* Absent in files before 0.4.0. */
	if (json_object_get(object, "searched_to_bytes") != NULL &&
	    !np_field_length(object, "searched_to_bytes", &reading->run->searched_to))
		return np_malformed(error, "searched_to_bytes of the refinement is wrong");
	return 0;
}

/* Reads the first line of a run of NPfleet, which has neither header nor visits. */
static int take_hosts(struct np_reading *reading, json_t *object, struct np_error *error)
{
	struct np_run *run = reading->run;

	if (run->header != NULL)
		return np_malformed(
			error,
			"a second line of hosts: put each run into a file of its own");
	if (np_pair_matrix_begin(object, &run->pairs, error) != 0) {
		np_pair_matrix_free(run->pairs);
		run->pairs = NULL;
		return error->code;
	}
	run->header = json_incref(object);
	return 0;
}

/* True for the lines of a record, of which the kind "record" is the first. */
static bool run_is_record(const struct np_run *run, const char *kind)
{
	return run->uses != NULL || strcmp(kind, "record") == 0;
}

/* Reads a line of a file of netpong record, which has neither header nor visits. */
static int take_uses(struct np_reading *reading, const json_t *object,
		     struct np_error *error)
{
	struct np_run *run = reading->run;

	if (run->header != NULL)
		return np_malformed(error, "a record behind a header: put each into a file "
					   "of its own");
	if (run->uses == NULL)
		run->uses = calloc(1, sizeof(*run->uses));
	if (run->uses == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for the record");
	const int rc = np_uses_take(run->uses, object, error);

	if (run->uses->cell_count != 0)
		reading->figures = run->uses->cell_count;
	return rc;
}

static int take_object(struct np_reading *reading, json_t *object, struct np_error *error)
{
	const char *kind = json_string_value(json_object_get(object, "kind"));

	if (kind == NULL)
		return np_malformed(error, "not a result line: \"kind\" is missing");
	if (run_is_record(reading->run, kind))
		return take_uses(reading, object, error);
	if (strcmp(kind, "hosts") == 0)
		return take_hosts(reading, object, error);
	if (strcmp(kind, "header") == 0 && reading->run->pairs == NULL)
		return take_header(reading, object, error);
	if (reading->run->header == NULL)
		return np_malformed(error, "a line before the first header");
	if (reading->run->pairs != NULL) {
		reading->figures++;
		return np_pair_matrix_take(reading->run->pairs, kind, object, error);
	}
	if (strcmp(kind, "row") == 0)
		return take_row(reading, object, error);
	if (strcmp(kind, "pair") == 0)
		return take_pair(reading, object, error);
	if (strcmp(kind, "findings") == 0)
		return take_findings(reading, object, error);
	if (strcmp(kind, "quality") == 0) {
		json_decref(reading->run->quality);
		reading->run->quality = json_incref(object);
	}
	if (strcmp(kind, "break") == 0)
		return take_break(reading, object, error);
	if (strcmp(kind, "refinement") == 0)
		return take_refinement(reading, object, error);
	return 0; /* unknown or unused kinds */
}

/* Adds retransmissions and dropped packets of a visit: the counts that np_text_summary()
 * sums up. */
static void add_losses(struct np_reading *reading, const struct np_measured *measured)
{
	for (size_t i = 0; i < measured->counts.count && !measured->visit.sentinel; i++) {
		const char *name = measured->counts.list[i].name;

		if (strstr(name, "retransmits") != NULL)
			reading->again += measured->counts.list[i].value;
		if (strcmp(name, "rx_dropped") == 0)
			reading->dropped += measured->counts.list[i].value;
	}
}

static int take(struct np_reading *reading, char *line, size_t length,
		struct np_error *error)
{
	struct np_measured *measured = NULL;
	json_error_t failure;

	if (length == 0)
		return np_malformed(error, "an empty line");
	const int rc = np_json_read_visit(line, reading->run->results, &measured, error);
	if (rc < 0)
		return rc;
	if (rc == 1) {
		add_losses(reading, measured);
		const bool early =
			reading->run->header == NULL || reading->run->pairs != NULL;
		const int kept =
			early ? np_malformed(error, "a visit before the first header") :
				np_gather_visit(&reading->gather, measured, error);

		np_measured_free(measured);
		reading->figures++;
		return kept;
	}
	json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &failure);
	if (object == NULL)
		return np_malformed(error, "%s", failure.text);
	const int taken = take_object(reading, object, error);
	json_decref(object);
	return taken;
}

const struct np_format np_format_netpong = { .title = "NetPong",
					     .recognize = recognize,
					     .take = take };
