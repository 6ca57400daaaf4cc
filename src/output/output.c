/*
 * output.c - result files: create, keep backups of existing ones, close; report at the end
 * of a run or of --runs, with the findings of --refine and --tune.
 */
#include "output/output.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"
#include "output/json_line.h"
#include "output/terminal.h"
#include "plan/layout.h"
#include "questions/capacity_model.h"
#include "results/findings.h"
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
	char low[32], high[32], effect[128], p[32], limits[LIMITS_MAX * 160], rounds[48];

	np_text_bytes(found->low, low, sizeof(low));
	np_text_bytes(found->high, high, sizeof(high));
	np_text_slower(found->effect, found->low_effect, found->high_effect, effect,
		       sizeof(effect));
	p_text(found->adjusted, p, sizeof(p));
	snprintf(rounds, sizeof(rounds), " after %zu rounds", found->rounds);
	limits_text(header, found->low, found->high, limits, sizeof(limits));
	np_say(file, np_confirmed_word(found->kind),
	       "%s%s%s: %s%s%s%s%s, %ssignificant (%s%s)%s", low,
	       found->low != found->high ? " to " : "",
	       found->low != found->high ? high : "", effect,
	       step ? "" : " than its neighbours", modes ? ", " : "",
	       modes ? np_mode_name(found->mode) : "",
	       found->other ? ", in another host state" : "", found->sure ? "" : "not ", p,
	       found->sure ? "" : rounds, limits);
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

/* Prints steps and dropouts of --refine; nothing without it. */
static void text_refined(FILE *file, const struct np_results *results,
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

	for (size_t i = 0; i < count; i++) {
		json_t *object = np_json_record(np_limit_fields, &limits[i], NULL);

		json_object_set_new(object, "fact", json_string(limits[i].fact->name));
		if (limits[i].fact->source != NULL)
			json_object_set_new(object, "source",
					    json_string(limits[i].fact->source));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *break_object(const struct np_results *results,
			    const struct np_run_header *header,
			    const struct np_confirmed *found, const char *what)
{
	json_t *object = np_json_record(np_break_fields, found, results);

	json_object_set_new(object, "what", json_string(what));
	json_object_set_new(object, "variant", np_json_variant(results, 0));
	json_object_set_new(object, "limits",
			    limits_array(header, found->low, found->high));
	return object;
}

/* Builds the line of a bend or a bimodal size, which --refine does not test: null intervals
 * and p-values. */
static json_t *bend_object(const struct np_results *results,
			   const struct np_run_header *header,
			   const struct np_refine_bend *entry)
{
	const struct np_note *bend = &entry->bend;

	return break_object(results, header,
			    &(struct np_confirmed){ .mode = entry->mode,
						    .low = bend->low,
						    .high = bend->high,
						    .effect = bend->effect,
						    .low_effect = (double)NAN,
						    .high_effect = (double)NAN,
						    .p = (double)NAN,
						    .adjusted = (double)NAN },
			    bend->kind == NP_NOTE_BEND ? "bend" : "bimodal");
}

/* Writes the result of --refine, a line for each break and a summary; nothing without it.
 */
static int json_refined(FILE *file, const struct np_results *results,
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
		rc = np_json_write_line(file,
					break_object(results, header, &found[i],
						     np_confirmed_word(found[i].kind)),
					error);
	for (size_t i = 0; i < refining->bend_count && rc == 0; i++)
		rc = np_json_write_line(
			file, bend_object(results, header, &refining->bends[i]), error);
	free(found);
	if (rc != 0)
		return rc;
	return np_json_write_line(
		file, np_json_record(np_refinement_fields, refining, NULL), error);
}

static bool needs_quotes(const char *value)
{
	const char *at = value;

	while (isalnum((unsigned char)*at) ||
	       (*at != '\0' && strchr("_,.:/+-", *at) != NULL))
		at++;
	return *at != '\0' || at == value;
}

/* Formats "export UCX_RNDV_THRESH=8K", "--wait poll". */
static void line_text(const struct np_variant_setting *setting, char *text, size_t size)
{
	const char *quote = needs_quotes(setting->value) ? "'" : "";

	snprintf(text, size, "%s%s%s%s%s%s", setting->variable ? "export " : "--",
		 setting->name, setting->variable ? "=" : " ", quote, setting->value,
		 quote);
}

static void say_ranges(FILE *file, const struct np_table *table, const char *title,
		       const struct np_tuned_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct np_tuned_range *range = &ranges[i];
		const struct np_pair *most = range->most;
		const bool modes = most->mode != table->rows[0].mode;
		char sizes[96], at[32], effect[128];

		np_text_sizes(range->smallest, range->largest, range->sizes, sizes,
			      sizeof(sizes));
		np_text_bytes(most->length, at, sizeof(at));
		np_text_slower(most->ratio, most->low, most->high, effect, sizeof(effect));
		np_say(file, "", "%s %s%s%s: %s%s%s", title, sizes, modes ? ", " : "",
		       modes ? np_mode_name(most->mode) : "", effect,
		       range->sizes > 1 ? " at most, at " : "", range->sizes > 1 ? at : "");
	}
}

/* Prints the settings that --tune recommends, with the sizes that each makes faster or
 * slower. */
static void text_tune(FILE *file, const struct np_table *table,
		      const struct np_variants *variants)
{
	const struct np_tune tune = np_tune_derive(table);
	char line[512];

	fputc('\n', file);
	if (tune.count == 0)
		np_say(file, "tune",
		       "nothing to set: no variant is significantly faster than %s at any "
		       "size",
		       variants->list[0].name);
	for (size_t i = 0; i < tune.count; i++) {
		const struct np_tuned *tuned = &tune.list[i];
		const struct np_variant *variant = &variants->list[tuned->variant];

		if (variant->count == 0)
			np_say(file, i == 0 ? "tune" : "", "%s: nothing set",
			       variant->name);
		for (size_t k = 0; k < variant->count; k++) {
			line_text(&variant->settings[k], line, sizeof(line));
			np_say(file, i == 0 && k == 0 ? "tune" : "", "%s", line);
		}
		say_ranges(file, table, "  gains", tuned->gains, tuned->gain_count);
		say_ranges(file, table, "  loses", tuned->losses, tuned->loss_count);
		if (tuned->loss_count == 0)
			np_say(file, "", "  loses at no size");
	}
}

static json_t *ranges_array(const struct np_tuned_range *ranges, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct np_pair *most = ranges[i].most;

		json_array_append_new(
			array, json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "mode",
					 np_mode_name(most->mode), "smallest",
					 (json_int_t)ranges[i].smallest, "largest",
					 (json_int_t)ranges[i].largest, "sizes",
					 (json_int_t)ranges[i].sizes, "most_at",
					 (json_int_t)most->length, "ratio", most->ratio,
					 "ratio_low", most->low, "ratio_high", most->high));
	}
	return array;
}

/* Writes the result of --tune, a line for each recommended variant, the best first. */
static int json_tune(FILE *file, const struct np_table *table,
		     const struct np_variants *variants, struct np_error *error)
{
	const struct np_tune tune = np_tune_derive(table);
	int rc = 0;

	for (size_t i = 0; i < tune.count && rc == 0; i++) {
		const struct np_tuned *tuned = &tune.list[i];
		const struct np_variant *variant = &variants->list[tuned->variant];
		json_t *lines = json_array();
		char line[512];

		for (size_t k = 0; k < variant->count; k++) {
			line_text(&variant->settings[k], line, sizeof(line));
			json_array_append_new(lines, json_string(line));
		}
		rc = np_json_write_line(
			file,
			json_pack("{s:s, s:s, s:o, s:o, s:o}", "kind", "tune", "variant",
				  variant->name, "set", lines, "gains",
				  ranges_array(tuned->gains, tuned->gain_count), "losses",
				  ranges_array(tuned->losses, tuned->loss_count)),
			error);
	}
	return rc;
}

/* Accepts an existing regular file, as np_output_open() keeps a backup of it. */
static int check_result(const char *path, bool force, struct np_error *error)
{
	struct stat status;

	return path != NULL && lstat(path, &status) == 0 && S_ISREG(status.st_mode) ?
		       0 :
		       np_file_check(path, force, error);
}

static bool is_given(const char *path)
{
	return path != NULL && *path != '\0';
}

/* True if two paths name one regular file, into which two streams would overwrite each
 * other. */
static bool is_one_file(const char *one, const char *other)
{
	struct stat a, b;

	return is_given(one) && is_given(other) &&
	       (strcmp(one, other) == 0 ||
		(stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
		 a.st_ino == b.st_ino)) &&
	       (stat(one, &a) != 0 || S_ISREG(a.st_mode));
}

/* Refuses two options that name one file: the later writer would destroy the former's. */
static int refuse_one_file(const struct np_options *options, struct np_error *error)
{
	const struct {
		const char *option, *path;
	} files[] = { { "--json", options->json },
		      { "-o", options->output },
		      { "--plot", options->plot },
		      { "--html", options->html } };

	for (size_t i = 1; i < sizeof(files) / sizeof(*files); i++) {
		for (size_t k = 0; k < i; k++) {
			if (is_one_file(files[k].path, files[i].path))
				return np_refuse(error,
						 "%s and %s name the same file, '%.200s': "
						 "give each its own",
						 files[k].option, files[i].option,
						 files[k].path);
		}
	}
	return 0;
}

int np_output_check(const struct np_options *options, struct np_error *error)
{
	int rc = refuse_one_file(options, error);

	if (rc != 0)
		return rc;
	rc = check_result(options->json, options->force, error);
	double usual_ns;

	if (rc == 0)
		rc = check_result(options->output, options->force, error);
	if (rc == 0 && is_given(options->reference) &&
	    is_one_file(options->json, options->reference))
		rc = np_refuse(error,
			       "--reference and --json name one file, '%.200s': the run "
			       "would replace its reference; give --json another",
			       options->json);
	if (rc == 0 && is_given(options->reference))
		rc = np_reference_read(options->reference, &usual_ns, error);
	return rc;
}

static int open_result(const char *path, bool force, char **kept, FILE **file,
		       struct np_error *error)
{
	return is_given(path) ? np_file_create_kept(path, force, kept, file, error) : 0;
}

/* Removes the new, empty file and restores the backup. */
static void take_back(const char *path, char *kept, const FILE *file)
{
	if (file != NULL && strcmp(path, "-") != 0)
		unlink(path);
	if (kept != NULL)
		rename(kept, path);
}

/* Determines what the terminal can show; nothing with --quiet. */
static void detect_terminal(struct np_output *output)
{
	const char *term = getenv("TERM");

	/* A dumb terminal cannot erase a line. */
	output->progress = !output->options->quiet && isatty(STDERR_FILENO) &&
			   term != NULL && strcmp(term, "dumb") != 0;
	output->live = output->progress && isatty(STDOUT_FILENO);
}

int np_output_open(struct np_output *output, const struct np_options *options,
		   struct np_error *error)
{
	*output = (struct np_output){ .options = options };
	detect_terminal(output);
	int rc = open_result(options->json, options->force, &output->kept_json,
			     &output->json, error);
	/* Two names of one file can be detected only once it exists. */
	if (rc == 0)
		rc = refuse_one_file(options, error);
	if (rc == 0)
		rc = open_result(options->output, options->force, &output->kept_netpipe,
				 &output->netpipe, error);
	if (rc != 0 && !options->force) {
		take_back(options->json, output->kept_json, output->json);
		take_back(options->output, output->kept_netpipe, output->netpipe);
	}
	return rc;
}

int np_output_close(struct np_output *output, struct np_error *error)
{
	const struct np_options *options = output->options;
	const int first = output->json == NULL ?
				  0 :
				  np_file_close(output->json, options->json, error);
	const int second = output->netpipe == NULL ?
				   0 :
				   np_file_close(output->netpipe, options->output, error);

	output->json = output->netpipe = NULL;
	free(output->kept_json);
	free(output->kept_netpipe);
	output->kept_json = output->kept_netpipe = NULL;
	return first != 0 ? first : second;
}

/* Writes bytes, Mbit/s and one-way seconds, after comment lines.  A megabit is 10^6 bits;
 * in NetPIPE 3 it was 2^20. */
static int write_netpipe(FILE *file, const struct np_results *results,
			 const struct np_run_header *header, enum np_mode mode,
			 const struct np_table *table, struct np_error *error)
{
	/* The format has room for one variant: write the first. */
	const char *variant = np_variant_name(results, 0);
	bool failed;

	failed = fprintf(file,
			 "# %s %s, %s, %s buffers%s%s\n"
			 "# bytes  Mbit/s (10^6 bit/s)  seconds\n",
			 header->module->program, header->version, results->operation_name,
			 np_mode_name(mode), variant != NULL ? ", " : "",
			 variant != NULL ? variant : "") < 0;
	for (size_t i = 0; i < table->row_count && !failed; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->mode == mode && row->variant == 0)
			failed = fprintf(file, "%10zu %14.6f %.6e\n", row->length,
					 row->mbps, row->median_s) < 0;
	}
	if (failed || fflush(file) != 0)
		return np_fail_errno(error, errno, "cannot write the output file");
	return 0;
}

/* Everything that the report derives from visits. */
struct derived {
	struct np_table table;
	struct np_findings findings;
	struct np_capacity capacity;	/* no points without a sweep */
	struct np_replay replay;	/* no points without --replay */
	struct np_expectation expected; /* no clauses without --expect */
};

/* Prints the result of --capacity or --why, then the summary. */
static int print_question(const struct np_output *output, const struct np_results *results,
			  const struct np_run_header *header, const struct derived *derived,
			  struct np_error *error)
{
	struct np_fold fold;
	FILE *text = np_fold_begin(&fold, stdout);

	if (derived->capacity.point_count != 0)
		np_text_capacity(text, &derived->capacity, output->options->all_rows);
	if (derived->replay.count != 0)
		np_text_replay(text, &derived->replay, header);
	np_text_causes(text, results);
	if (!output->options->quiet)
		np_text_summary(text, results, header, &derived->table, &derived->findings,
				output->options->verbose);
	return np_fold_end(&fold, error);
}

static int print_expected(const struct np_expectation *expected, const char *cut_off,
			  struct np_error *error)
{
	struct np_fold fold;

	np_text_expectation(np_fold_begin(&fold, stdout), expected, cut_off);
	return np_fold_end(&fold, error);
}

void np_text_kept(FILE *file, const char *kept, const char *path)
{
	if (kept != NULL)
		np_say(file, "kept", "%s: what %s held before", kept, path);
}

static int print_report(const struct np_output *output, const struct np_results *results,
			const struct np_run_header *header, const struct derived *derived,
			const struct np_error *reason, struct np_error *error)
{
	const struct np_options *options = output->options;
	int rc = 0;

	if (derived->findings.one_question) {
		rc = print_question(output, results, header, derived, error);
	} else {
		text_refined(stdout, results, header);
		if (!options->quiet)
			np_text_summary(stdout, results, header, &derived->table,
					&derived->findings, options->verbose);
		np_text_table(stdout, results, &derived->table, options->all_rows);
		if (options->verbose)
			np_text_code_paths(stdout, results, &derived->table);
		if (results->per_message && results->runs <= 1)
			np_text_histograms(stdout, results, &derived->table);
	}
	if (options->tune)
		text_tune(stdout, &derived->table, header->variants);
	if (!options->quiet) {
		fputc('\n', stdout);
		np_text_warnings(stdout, results, header, &derived->findings);
		np_text_kept(stdout, output->kept_json, output->options->json);
		np_text_kept(stdout, output->kept_netpipe, output->options->output);
		np_text_quality(stdout, results, header, &derived->table,
				&derived->findings, derived->expected.clauses.count == 0);
	}
	/* Print the outcome of --expect last: a log shows the last line. */
	if (derived->expected.clauses.count != 0) {
		fputc('\n', stdout);
		const int printed = print_expected(
			&derived->expected, reason != NULL ? "the run was cut off" : NULL,
			error);

		rc = rc != 0 ? rc : printed;
	}
	fflush(stdout);
	return rc;
}

static int json_quality(FILE *file, const struct np_quality *quality,
			struct np_error *error)
{
	return np_json_write_line(file,
				  json_pack("{s:s, s:s, s:s}", "kind", "quality", "grade",
					    quality->grade, "reason", quality->reason),
				  error);
}

static int write_report(const struct np_output *output, const struct np_results *results,
			const struct np_run_header *header, const struct derived *derived,
			const struct np_error *reason, struct np_error *error)
{
	int rc = 0;

	if (output->json != NULL)
		rc = np_json_capacity(output->json, results, &derived->capacity, error);
	if (output->json != NULL && rc == 0)
		rc = json_refined(output->json, results, header, error);
	if (output->json != NULL && rc == 0)
		rc = np_json_expectation(output->json, &derived->expected, error);
	if (output->json != NULL && rc == 0 && output->options->tune)
		rc = json_tune(output->json, &derived->table, header->variants, error);
	if (output->json != NULL && rc == 0 && derived->findings.latency != NULL) {
		const struct np_quality quality =
			np_quality_of(results, header, &derived->table, &derived->findings);

		rc = json_quality(output->json, &quality, error);
	}
	if (output->json != NULL && rc == 0)
		rc = np_json_table(output->json, results, &derived->table,
				   &derived->findings, reason, error);
	if (output->netpipe != NULL) {
		/* NetPIPE with -I prints the times of rotating buffers. */
		const enum np_mode mode =
			np_options_rotate(output->options) ? NP_MODE_ROTATE : NP_MODE_REUSE;
		const int written = write_netpipe(output->netpipe, results, header, mode,
						  &derived->table, error);

		rc = rc != 0 ? rc : written;
	}
	return rc;
}

/* Evaluates the capacity sweep of a run; no points without one.  Returns 0 or -ENOMEM;
 * np_capacity_free() is to be called in either case. */
static int derive_capacity(const struct np_results *results,
			   const struct np_run_header *header, struct np_capacity *capacity)
{
	const struct np_options *options =
		header->set_count != 0 ? header->sets[0].values : NULL;
	struct np_capacity_host host = {
		.share_cache = !header->two_hosts,
		.copies = header->module->reg == NULL,
		.pool = header->plan != NULL ? header->plan->pool_bytes : 0,
		.in_order = options != NULL && options->order != NP_ORDER_RANDOM,
		.regions = options != NULL ? options->regions : 0,
	};

	np_capacity_host_read(&header->hosts[0],
			      options != NULL ? np_page_words[options->pages] : NULL,
			      &host);
	return np_capacity_of_visits(results, &host, capacity);
}

int np_output_report(const struct np_output *output, const struct np_results *results,
		     const struct np_run_header *header, const struct np_error *reason,
		     struct np_error *error)
{
	struct derived derived = { .capacity = { .points = NULL } };
	int rc = np_table_derive(results, &derived.table);

	if (rc == 0)
		rc = derive_capacity(results, header, &derived.capacity);
	if (rc == 0)
		rc = np_replay_derive(results, &derived.replay);
	if (rc == 0 && output->options->expect != NULL)
		rc = np_expectation_init(&derived.expected, output->options->expect, error);
	if (rc == 0 && output->options->expect != NULL)
		rc = np_expectation_judge(&derived.expected, results);
	if (rc == 0) {
		derived.expected.clauses.left = output->options->expect_left;
		derived.findings = np_findings_derive(results, &derived.table);
		derived.findings.cut_off = reason != NULL;
		rc = print_report(output, results, header, &derived, reason, error);
		const int written =
			write_report(output, results, header, &derived, reason, error);

		rc = rc != 0 ? rc : written;
		if (rc == 0 && output->options->fail_on == NP_FAIL_ON_SLOWER)
			rc = np_findings_fail(&derived.findings, error);
		if (rc == 0 && output->options->expect != NULL)
			rc = np_expectation_fail(&derived.expected,
						 "a longer --time-budget may decide",
						 error);
	} else {
		rc = np_fail_errno(error, rc, "no memory for the table");
	}
	np_capacity_free(&derived.capacity);
	np_replay_free(&derived.replay);
	np_table_free(&derived.table);
	return rc;
}
