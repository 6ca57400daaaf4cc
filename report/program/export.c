/*
 * export.c - judges figures by the clauses of --expect, and writes them as clauses, CSV,
 * JSON, Prometheus' text or NetPIPE's columns.
 */
#include "report/program/export.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "output/json_line.h"
#include "output/output.h"
#include "output/terminal.h"
#include "report/curves/judge.h"
#include "report/curves/run.h"

/* ---- --expect ----------------------------------------------------------------------- */

/* Reads the clauses of a program from --expect @FILE.  program NULL: checks the syntax of
 * the file only. */
static int read_clauses(const struct np_settings *settings, const char *program,
			struct np_clauses *clauses, struct np_error *error)
{
	char *text = NULL;
	int rc = np_file_text(settings->expect + 1, NP_CLAUSES_FILE_MAX, &text, error);

	if (rc == 0)
		rc = np_expectation_clauses(settings->expect + 1, text, program, clauses,
					    error);
	free(text);
	return rc;
}

/* Finds the program that wrote all files; lines of --expect @FILE begin with its
 * name. */
static int find_program(const struct np_run *runs, size_t count, const char **program,
			struct np_error *error)
{
	*program = np_run_text(&runs[0], "program");
	for (size_t i = 0; i < count; i++) {
		const char *name = np_run_text(&runs[i], "program");

		if (name == NULL)
			return np_refuse(
				error,
				"--expect @FILE: '%.200s' names no program; --expect "
				"takes clauses",
				runs[i].path != NULL ? runs[i].path : "a file");
		if (strcmp(name, *program) != 0)
			return np_refuse(
				error,
				"--expect @FILE: files of %.40s and of %.40s: judge "
				"them separately",
				*program, name);
	}
	return 0;
}

static int read_expectation(const struct np_settings *settings, const struct np_run *runs,
			    size_t count, struct np_expectation *expectation,
			    struct np_error *error)
{
	const char *program = NULL;
	int rc;

	if (settings->expect[0] != '@')
		return np_expectation_init(expectation, settings->expect, error);
	*expectation = (struct np_expectation){ .clauses = { .count = 0 } };
	rc = count != 0 ? find_program(runs, count, &program, error) : 0;
	return rc == 0 ? read_clauses(settings, program, &expectation->clauses, error) : rc;
}

int np_report_expect_check(const struct np_settings *settings, struct np_error *error)
{
	struct np_expectation expectation;

	return read_expectation(settings, NULL, 0, &expectation, error);
}

/* Returns the first file that is damaged or was cut off before the end of its run; NULL:
 * none. */
static const struct np_run *find_cut_off(const struct np_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *complete = json_object_get(runs[i].findings, "complete");

		if (runs[i].broken || runs[i].invalid ||
		    (runs[i].header != NULL && !json_is_true(complete)))
			return &runs[i];
	}
	return NULL;
}

int np_report_expect(const struct np_settings *settings, const struct np_run *runs,
		     size_t count, bool broken, struct np_error *error)
{
	struct np_expectation expectation;
	struct np_fold fold;
	int rc = read_expectation(settings, runs, count, &expectation, error);

	if (rc == 0)
		rc = np_judge_runs(&expectation, runs, count, error);
	if (rc != 0)
		return rc;
	const struct np_run *cut_off = find_cut_off(runs, count);
	const bool incomplete = broken || cut_off != NULL;

	np_text_expectation(np_fold_begin(&fold, stdout), &expectation,
			    cut_off != NULL && cut_off->invalid ?
				    "a file has results that are void" :
			    incomplete ? "a file is not that of a complete run" :
					 NULL);
	rc = np_fold_end(&fold, error);
	if (rc == 0)
		rc = np_expectation_fail(&expectation,
					 "more passes or more runs may decide", error);
	if (rc == 0 && cut_off != NULL)
		rc = np_fail(error, NP_ERROR_UNDECIDED, EDOM,
			     "--expect: nothing passes: '%.200s' %s", cut_off->path,
			     cut_off->invalid ? "has results that are void" :
						"is not of a complete run");
	return rc;
}

/* ---- --export clauses --------------------------------------------------------------- */

/* Sizes that get clauses: all of a run with at most FEW_SIZES, else the smallest and the
 * largest.  Quantities: latency or message rate below LARGE bytes, bandwidth from there on,
 * and the ratio rotate/reuse where buffers rotated. */
enum { FEW_SIZES = 16, LARGE = 8192 };

static void add_clause(const struct np_run *run, struct np_clause clause, double slack,
		       struct np_clauses *clauses)
{
	const double value = np_judge_value(run, &clause);

	if (isnan(value) || clauses->count == NP_CLAUSES_MAX)
		return;
	clause.bound = np_clause_invert(&clause, value * (1 + slack));
	clauses->list[clauses->count++] = clause;
}

static void add_size(const struct np_run *run, size_t length, double slack,
		     struct np_clauses *clauses)
{
	const bool large = length >= LARGE;
	const struct np_clause asked[] = {
		{ large ? NP_QUANTITY_BANDWIDTH : NP_QUANTITY_LATENCY, length, !large, 0 },
		{ large ? NP_QUANTITY_STREAM_BANDWIDTH : NP_QUANTITY_MESSAGE_RATE, length,
		  false, 0 },
		{ NP_QUANTITY_RATIO, length, true, 0 },
	};

	/* Messages of 0 bytes have no bandwidth: latency only. */
	for (size_t i = 0; i < (length == 0 ? 1 : sizeof(asked) / sizeof(*asked)); i++)
		add_clause(run, asked[i], slack, clauses);
}

static const struct np_series *find_reuse(const struct np_run *run)
{
	for (size_t i = 0; i < run->series_count; i++) {
		if (strcmp(run->series[i].mode, "reuse") == 0)
			return &run->series[i];
	}
	return NULL;
}

static bool is_word(const char *text)
{
	while (isalnum((unsigned char)*text))
		text++;
	return *text == '\0';
}

/* Refuses two runs of one program and operation: a clause is written once. */
static int check_once(const struct np_run *runs, size_t count, struct np_error *error)
{
	for (size_t i = 1; i < count; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct np_series *one = find_reuse(&runs[k]);
			const struct np_series *other = find_reuse(&runs[i]);
			const char *programs[2] = { np_run_text(&runs[k], "program"),
						    np_run_text(&runs[i], "program") };

			if (one != NULL && other != NULL && programs[0] != NULL &&
			    programs[1] != NULL && strcmp(programs[0], programs[1]) == 0 &&
			    strcmp(one->op, other->op) == 0)
				return np_refuse(
					error,
					"--export clauses: '%.150s' and '%.150s' are "
					"both of %.40s: give one of them",
					runs[k].path, runs[i].path, programs[0]);
		}
	}
	return 0;
}

static int record_run(FILE *file, const struct np_run *run, double slack,
		      struct np_error *error)
{
	const struct np_series *series = find_reuse(run);
	const char *program = np_run_text(run, "program");
	struct np_clauses clauses = { .count = 0 };
	char text[NP_CLAUSE_TEXT];

	if (find_cut_off(run, 1) != NULL)
		return np_fail(error, NP_ERROR_FAILED, ENODATA,
			       "not recorded: '%.200s' is not of a complete run",
			       run->path);
	for (size_t i = 0; series != NULL && i < series->count; i++) {
		if (series->count <= FEW_SIZES || i == 0 || i == series->count - 1)
			add_size(run, series->points[i].length, slack, &clauses);
	}
	if (clauses.count == 0 || program == NULL || !is_word(program))
		return np_fail(
			error, NP_ERROR_FAILED, ENODATA,
			"not recorded: '%.200s' has no latency or bandwidth row to record",
			run->path);
	fprintf(file, "%s: ", program);
	for (size_t i = 0; i < clauses.count; i++) {
		np_clause_text(&clauses.list[i], text);
		fprintf(file, "%s%s", i != 0 ? ", " : "", text);
	}
	fputc('\n', file);
	return 0;
}

/* Writes a line "PROGRAM: CLAUSES" for each run; a run slower by the share `slack` passes
 * them.  Returns 0 or -errno. */
static int export_clauses(FILE *file, double slack, const struct np_run *runs, size_t count,
			  struct np_error *error)
{
	int rc = check_once(runs, count, error);

	if (rc == 0)
		fprintf(file, "# Messages may take %.4g %% longer than they did.\n",
			100 * slack);
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = record_run(file, &runs[i], slack, error);
	return rc;
}

/* ---- JSON --------------------------------------------------------------------------- */

/* JSON of a text from a file; null if it is not UTF-8. */
static json_t *json_text(const char *bytes)
{
	json_t *string = json_string(bytes);

	return string != NULL ? string : json_null();
}

static json_t *json_estimate(const struct np_estimate *estimate)
{
	if (!isfinite(estimate->value))
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "value", np_json_number(estimate->value), "low",
			 np_json_number(estimate->low), "high",
			 np_json_number(estimate->high));
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
		const struct np_line_fit *fit = &analysis->fits[i];

		json_array_append_new(
			array, json_pack("{s:I, s:I, s:o, s:o, s:o, s:s}", "bytes_low",
					 (json_int_t)analysis->points[fit->first].bytes,
					 "bytes_high",
					 (json_int_t)analysis->points[fit->last].bytes,
					 "t0_s", json_estimate(&fit->t0),
					 "r_inf_bytes_per_s", json_estimate(&fit->r_inf),
					 "n_half_bytes", json_estimate(&fit->n_half), "why",
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
		json_array_append_new(
			points, np_json_record(np_point_fields, &series->points[i], NULL));
	json_t *object = json_object();
	json_object_set_new(object, "op", json_text(series->op));
	json_object_set_new(object, "mode", json_text(series->mode));
	json_object_set_new(object, "variant", json_text(series->variant));
	json_object_set_new(object, "points", points);
	json_object_set_new(object, "breaks", breaks_array(analysis));
	json_object_set_new(object, "lines", lines_array(analysis));
	json_object_set_new(object, "half_peak_bytes", json_estimate(&analysis->half_peak));
	return object;
}

static json_t *ratios_object(const struct np_ratio_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++) {
		json_t *object = np_json_record(np_ratio_fields, &list->ratios[i], NULL);

		json_object_set_new(object, "changes", np_json_changes(&list->ratios[i]));
		json_array_append_new(array, object);
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
				    json_text(run->notes.list[i].text));
	for (size_t i = 0; i < run->warnings.count; i++)
		json_object_set_new(notes, run->warnings.list[i].name,
				    json_text(run->warnings.list[i].text));
	json_object_set_new(object, "file", json_text(run->path));
	json_object_set_new(object, "format", json_string(run->format));
	json_object_set_new(object, "broken", json_boolean(run->broken));
	json_object_set_new(object, "notes", notes);
	json_object_set(object, "header", run->header != NULL ? run->header : json_null());
	json_object_set_new(object, "series", series);
	json_object_set_new(object, "ratios", ratios);
	np_analyses_free(analyses, run->series_count);
	return object;
}

/* Writes an array of runs, each with its header, notes, curves and ratios; each curve with
 * its points, breaks and lines.  Returns 0 or -errno. */
static int export_json(FILE *file, const struct np_run *runs, size_t count,
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

/* ---- Metrics of Prometheus ---------------------------------------------------------- */

static double median_of(const struct np_row *point)
{
	return point->median_s;
}

static double low_of(const struct np_row *point)
{
	return point->ci_low_s;
}

static double high_of(const struct np_row *point)
{
	return point->ci_high_s;
}

static double rate_of(const struct np_row *point)
{
	return point->mbps * 1e6;
}

static const struct family {
	const char *name, *help;
	double (*value)(const struct np_row *point);
} families[] = {
	{ "netpong_message_seconds",
	  "Median time of a message: half the round trip of a ping-pong.", median_of },
	{ "netpong_message_seconds_low", "Lower end of its 95 % interval.", low_of },
	{ "netpong_message_seconds_high", "Upper end of its 95 % interval.", high_of },
	{ "netpong_bits_per_second", "Rate at the median time.", rate_of },
};

/* Writes NAME="VALUE" with the escapes of the text format of Prometheus. */
static void write_label(FILE *file, const char *name, const char *value)
{
	fprintf(file, "%s=\"", name);
	for (const char *at = value; *at != '\0'; at++) {
		if (*at == '\n')
			fputs("\\n", file);
		else
			fprintf(file, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
	}
	fputc('"', file);
}

static void write_metrics(FILE *file, const struct family *family, const struct np_run *run,
			  const struct np_series *series)
{
	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *point = &series->points[i];
		const double value = family->value(point);

		if (!isfinite(value))
			continue;
		fprintf(file, "%s{", family->name);
		write_label(file, "file", run->path);
		write_label(file, ",operation", series->op);
		write_label(file, ",mode", series->mode);
		write_label(file, ",variant", series->variant);
		fprintf(file, ",bytes=\"%zu\"} %.9g\n", point->length, value);
	}
}

/* Writes all curves of all runs in Prometheus' text format, version 0.0.4, as the textfile
 * collector of its node exporter reads it: base units (seconds, bits per second), one
 * family of gauges after the other.  Unknown values are left out. */
static void export_prometheus(FILE *file, const struct np_run *runs, size_t count)
{
	for (size_t f = 0; f < sizeof(families) / sizeof(*families); f++) {
		fprintf(file, "# HELP %s %s\n# TYPE %s gauge\n", families[f].name,
			families[f].help, families[f].name);
		for (size_t i = 0; i < count; i++) {
			for (size_t k = 0; k < runs[i].series_count; k++)
				write_metrics(file, &families[f], &runs[i],
					      &runs[i].series[k]);
		}
	}
}

/* ---- CSV, NetPIPE's format, and the destination ------------------------------------- */

/* Digits of a number; fewer of a rate, which readers derive again from the time. */
static int digits_of(const struct np_field *field)
{
	return strcmp(field->name, "mbps") == 0 ? 9 : 12;
}

/* Writes one cell, quoted if necessary (RFC 4180). */
static void csv_cell(FILE *file, const char *text)
{
	if (strpbrk(text, ",\"\r\n") == NULL) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

/* Writes a cell, and replaces control characters, which change a terminal.  Labels of
 * curves have none. */
static void csv_text(FILE *file, const char *text)
{
	char clean[4096];

	csv_cell(file, np_quote(text, clean, sizeof(clean)));
}

static void csv_row(FILE *file, const struct np_run *run, const struct np_series *series,
		    const struct np_row *point)
{
	csv_text(file, run->path);
	fputc(',', file);
	csv_cell(file, series->op);
	fputc(',', file);
	csv_cell(file, series->mode);
	fputc(',', file);
	csv_cell(file, series->variant);
	json_t *object = np_json_record(np_point_fields, point, NULL);
	for (const struct np_field *field = np_point_fields; field->name != NULL; field++) {
		const json_t *value = json_object_get(object, field->name);

		fputc(',', file);
		if (json_is_integer(value))
			fprintf(file, "%lld", (long long)json_integer_value(value));
		else if (json_is_string(value))
			csv_text(file, json_string_value(value));
		else if (json_is_real(value))
			fprintf(file, "%.*g", digits_of(field), json_real_value(value));
	}
	json_decref(object);
	fputc('\n', file);
}

static void export_csv(FILE *file, const struct np_run *runs, size_t count)
{
	fputs("file,op,mode,variant", file);
	for (const struct np_field *field = np_point_fields; field->name != NULL; field++)
		fprintf(file, ",%s", field->name);
	fputc('\n', file);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < runs[i].series_count; k++) {
			const struct np_series *series = &runs[i].series[k];

			for (size_t at = 0; at < series->count; at++)
				csv_row(file, &runs[i], series, &series->points[at]);
		}
	}
}

/* Writes the last curve, which is rotate with -I, in the format of NetPong's -o. */
static int export_netpipe(FILE *file, const struct np_run *runs, size_t count,
			  struct np_error *error)
{
	const struct np_run *run = &runs[0];
	char label[3 * NP_LABEL];

	if (count != 1)
		return np_refuse(error, "--export=netpipe has columns for one file");
	if (run->series_count == 0)
		return 0;
	const struct np_series *series = &run->series[run->series_count - 1];
	np_series_label(run, series, label, sizeof(label));
	for (char *at = label; *at != '\0'; at++)
		*at = *at == '\n' || *at == '\r' ? ' ' : *at;
	fprintf(file, "# %s\n# bytes  Mbit/s (10^6 bit/s)  seconds\n", label);
	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *point = &series->points[i];

		fprintf(file, "%10zu %14.6f %.6e\n", point->length,
			isfinite(point->mbps) ? point->mbps : 0, point->median_s);
	}
	return 0;
}

int np_export(const struct np_settings *settings, const struct np_run *runs, size_t count,
	      struct np_error *error)
{
	struct np_new_file made = { .file = stdout };
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		if (runs[i].pairs != NULL)
			return np_refuse(error, "not exported: '%.200s' is of all pairs",
					 runs[i].path);
	}

	const bool to_file = settings->output != NULL && strcmp(settings->output, "-") != 0;

	if (to_file)
		rc = np_new_file_open(&made, settings->output, settings->force, error);
	if (rc != 0)
		return rc;
	FILE *file = made.file;
	if (settings->export == NP_EXPORT_CSV)
		export_csv(file, runs, count);
	else if (settings->export == NP_EXPORT_JSON)
		rc = export_json(file, runs, count, error);
	else if (settings->export == NP_EXPORT_PROMETHEUS)
		export_prometheus(file, runs, count);
	else if (settings->export == NP_EXPORT_CLAUSES)
		rc = export_clauses(file, settings->threshold / 100, runs, count, error);
	else
		rc = export_netpipe(file, runs, count, error);
	if (!to_file)
		return rc; /* main() checks standard output for errors */
	return np_new_file_close(&made, rc, error);
}
