/*
 * output_read.c - parser of JSON Lines, for --runs and NPreport: visits, and lines that
 * change results; latency of an earlier run (--reference).
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "output/json_line.h"
#include "output/output.h"

static int refuse(struct np_error *error, const char *what)
{
	return np_malformed(error, "not a visit line: %s", what);
}

static int refuse_field(struct np_error *error, const char *field)
{
	return np_malformed(
		error,
		"not a visit line: the field \"%s\" is missing, of another type or out of "
		"range",
		field);
}

static bool in_range(json_int_t value, json_int_t least, json_int_t most)
{
	return value >= least && value <= most;
}

/* Checks an array against the count in its line, before memory of that size is
 * allocated. */
static bool has_times(const json_t *array, size_t count)
{
	return json_is_array(array) && json_array_size(array) == count;
}

static int read_times(const json_t *array, uint64_t *ns)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);

		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return -EBADMSG;
		ns[i] = (uint64_t)json_integer_value(value);
	}
	return 0;
}

/* Reads event counts; skips those with an invalid name. */
static int read_counts(json_t *object, struct np_counts *counts)
{
	const char *name;
	json_t *value;

	if (!json_is_object(object))
		return -EBADMSG;
	json_object_foreach (object, name, value) {
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return -EBADMSG;
		if (np_counts_is_name(name))
			np_counts_add(counts, name, (uint64_t)json_integer_value(value));
	}
	return 0;
}

/* Returns the index of a variant; SIZE_MAX if the run does not compare it. */
static size_t read_variant(const json_t *value, const struct np_results *results)
{
	const char *name = json_string_value(value);

	if (value == NULL || json_is_null(value))
		return results->variant_count == 0 ? 0 : SIZE_MAX;
	for (size_t i = 0; i < results->variant_count; i++) {
		if (name != NULL && strcmp(results->variants[i], name) == 0)
			return i;
	}
	return SIZE_MAX;
}

static enum np_factor read_factor(const char *name)
{
	enum np_factor factor = NP_FACTOR_NONE + 1;

	if (name == NULL)
		return NP_FACTOR_NONE;
	while (factor < NP_FACTORS && strcmp(np_factor_name(factor), name) != 0)
		factor++;
	return factor;
}

static int read_visit(json_t *object, const struct np_results *results,
		      struct np_measured **out, struct np_error *error)
{
	enum { BATCHES_MAX = 1 << 24 };
	json_t *warmup_ns = json_object_get(object, "warmup_ns"),
	       *samples_ns = json_object_get(object, "samples_ns");
	struct np_measured read = { .blocks = 0 };
	const char *wrong = np_json_read_record(np_visit_fields, object, &read);

	if (wrong != NULL)
		return refuse_field(error, wrong);
	read.visit.variant = read_variant(json_object_get(object, "variant"), results);
	if (read.visit.messages < 1 || read.blocks > BATCHES_MAX ||
	    read.warmup_per_block > BATCHES_MAX || read.samples_per_block > BATCHES_MAX ||
	    (read.visit.buffers == 0) != (read.visit.axis == NP_AXIS_NONE) ||
	    read.visit.variant == SIZE_MAX)
		return refuse(error, "a number is out of range");
	if (!has_times(warmup_ns, read.blocks * read.warmup_per_block) ||
	    !has_times(samples_ns, read.blocks * read.samples_per_block))
		return refuse(error, "warmup_ns or samples_ns has the wrong length");
	struct np_measured *measured =
		np_measured_new(read.blocks, read.warmup_per_block, read.samples_per_block);
	if (measured == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	measured->visit = read.visit;
	memcpy(measured->code_path, read.code_path, sizeof(read.code_path));
	if (read_times(warmup_ns, measured->warmup_ns) != 0 ||
	    read_times(samples_ns, measured->samples_ns) != 0 ||
	    read_counts(json_object_get(object, "counts"), &measured->counts) != 0) {
		np_measured_free(measured);
		return refuse(error, "a time or a count is no whole number");
	}
	*out = measured;
	return 1;
}

static int read_superseded(json_t *object, struct np_results *results,
			   struct np_error *error)
{
	json_int_t run_index, serial;

	if (json_unpack(object, "{s:I, s:I}", "run", &run_index, "serial", &serial) != 0)
		return refuse(error, "a field is missing or of another type");
	if (!in_range(run_index, 0, INT_MAX) || serial < 0)
		return refuse(error, "a number is out of range");
	np_results_supersede(results, (unsigned)run_index, (uint64_t)serial);
	return 0;
}

static int read_connection(json_t *object, struct np_results *results,
			   struct np_error *error)
{
	struct np_warm_up connection = { .length = 0 };
	const char *wrong = np_json_read_record(np_connection_fields, object, &connection);

	if (wrong != NULL)
		return refuse_field(error, wrong);
	return np_results_add_warm_up(results, &connection) == 0 ?
		       0 :
		       np_fail_errno(error, ENOMEM, "no memory for results");
}

/* Copies a string; null becomes empty. */
static void read_words(const json_t *value, char *words, size_t size)
{
	snprintf(words, size, "%s", json_is_string(value) ? json_string_value(value) : "");
}

static int read_condition(json_t *object, struct np_results *results,
			  struct np_error *error)
{
	const json_t *asked = json_object_get(object, "asked");
	const enum np_factor factor =
		read_factor(json_string_value(json_object_get(object, "factor")));

	if (factor == NP_FACTOR_NONE || factor == NP_FACTORS || !json_is_boolean(asked))
		return refuse(error, "a field is missing or of another type");
	struct np_condition *condition = &results->conditions[factor];

	*condition = (struct np_condition){ .asked = json_is_true(asked) };
	read_words(json_object_get(object, "base"), condition->base,
		   sizeof(condition->base));
	read_words(json_object_get(object, "other"), condition->other,
		   sizeof(condition->other));
	read_words(json_object_get(object, "reason"), condition->reason,
		   sizeof(condition->reason));
	return 0;
}

/* Reads the slowest rank of one run.  Skips a line about several runs, which is derived
 * from the lines of each. */
static int read_slowest(json_t *object, struct np_results *results, struct np_error *error)
{
	enum { RUNS_MOST = 1 << 12 };
	json_int_t rank, core = -1, times, passes, ranks;
	struct np_job_slowest one = { .rank = 0 };

	if (json_object_get(object, "runs") != NULL || results->slowest.count == RUNS_MOST)
		return 0;
	if (json_unpack(object, "{s:I, s:I, s:I, s:I}", "rank", &rank, "times", &times,
			"passes", &passes, "ranks", &ranks) != 0 ||
	    (!json_is_null(json_object_get(object, "core")) &&
	     json_unpack(object, "{s:I}", "core", &core) != 0))
		return refuse(error, "a field is missing or of another type");
	if (!in_range(ranks, 1, INT_MAX) || !in_range(rank, 0, INT_MAX) ||
	    !in_range(core, -1, INT_MAX) || !in_range(passes, 1, INT_MAX / 100) ||
	    !in_range(times, 1, passes))
		return refuse(error, "a number is out of range");
	one.rank = (unsigned)rank;
	one.core = (int)core;
	one.times = (unsigned)times;
	one.passes = (unsigned)passes;
	one.ranks = (unsigned)ranks;
	read_words(json_object_get(object, "host"), one.host, sizeof(one.host));
	return np_slowest_add(&results->slowest, &one) == 0 ?
		       0 :
		       np_fail_errno(error, ENOMEM, "no memory for results");
}

/* Reads the number of planned sizes and the bounds of the expected core-to-core latency
 * from a header. */
static int read_header(json_t *object, struct np_results *results)
{
	struct np_facts facts = { .count = 0 };
	const json_int_t late =
		json_integer_value(json_object_get(object, "sizes_without_time"));

	results->points = json_array_size(json_object_get(object, "sizes")) +
			  (late > 0 ? (size_t)late : 0);
	const char *name;
	json_t *value;

	json_object_foreach (json_object_get(object, "transmitter"), name, value) {
		if (json_is_string(value))
			np_facts_add(&facts, name, "%s", json_string_value(value));
	}
	results->latency_bounds = np_latency_bounds_from_facts(&facts);
	np_facts_free(&facts);
	return 0;
}

int np_json_read_visit(const char *line, struct np_results *results,
		       struct np_measured **measured, struct np_error *error)
{
	json_error_t failure;
	json_t *object = json_loads(line, 0, &failure);
	int rc = 0;

	if (object == NULL)
		return refuse(error, failure.text);
	const char *kind = json_string_value(json_object_get(object, "kind"));
	if (kind == NULL)
		rc = refuse(error, "the field \"kind\" is missing");
	else if (strcmp(kind, "visit") == 0)
		rc = read_visit(object, results, measured, error);
	else if (strcmp(kind, "header") == 0)
		rc = read_header(object, results);
	else if (strcmp(kind, "superseded") == 0)
		rc = read_superseded(object, results, error);
	else if (strcmp(kind, "connection") == 0)
		rc = read_connection(object, results, error);
	else if (strcmp(kind, "slowest") == 0)
		rc = read_slowest(object, results, error);
	else if (strcmp(kind, "condition") == 0)
		rc = read_condition(object, results, error);
	json_decref(object);
	return rc;
}

/* Returns the core-to-core latency, ns, of a line of findings; 0 for any other line. */
static double latency_of(const char *line)
{
	static const char kind[] = "{\"kind\":\"findings\"";
	json_error_t failure;

	if (strncmp(line, kind, sizeof(kind) - 1) != 0)
		return 0;
	json_t *object = json_loads(line, 0, &failure);
	const double ns = json_number_value(json_object_get(object, "core_latency_ns"));

	json_decref(object);
	return ns > 0 && ns < 1e9 ? ns : 0;
}

int np_reference_read(const char *path, double *usual_ns, struct np_error *error)
{
	/* O_NONBLOCK: the open(2) of a FIFO without a writer does not return. */
	struct np_lines lines = { .fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) };
	struct stat status = { .st_mode = 0 };
	struct np_error failure = { .code = 0 };
	size_t length;
	bool unbound = false;
	char *line;
	int rc;

	*usual_ns = 0;
	if (lines.fd < 0)
		return np_fail(error, NP_ERROR_USAGE, errno,
			       "--reference: cannot open %.200s: %s", path,
			       strerror(errno));
	if (fstat(lines.fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		np_lines_close(&lines);
		return np_refuse(error,
				 "--reference: %.200s is no regular file: give the file of "
				 "--json of an earlier run",
				 path);
	}
	while ((rc = np_lines_next(&lines, &line, &length, &failure)) == 1) {
		const double ns = latency_of(line);

		*usual_ns = ns > 0 ? ns : *usual_ns;
		unbound |= strstr(line, "\"core\":\"any\"") != NULL;
	}
	np_lines_close(&lines);
	if (rc != 0)
		return np_refuse(error,
				 "--reference: cannot read %.150s: %.150s: give the file "
				 "of --json of an earlier run",
				 path, failure.text);
	if (*usual_ns > 0)
		return 0;
	if (unbound)
		return np_refuse(
			error,
			"--reference: %.200s has no core-to-core latency, since a "
			"process of that run could run on any core: repeat the run "
			"with each process bound to a core",
			path);
	return np_refuse(error,
			 "--reference: %.200s has no core-to-core latency: give the file "
			 "of --json of a complete run whose two processes were on one "
			 "host",
			 path);
}
