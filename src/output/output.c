/*
 * output.c - result files: create, keep backups of existing ones, close; report at the end
 * of a run, complete or not, or of --runs.
 */
#include "output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "output/terminal.h"
#include "results/findings.h"

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

int np_output_open(struct np_output *output, const struct np_options *options,
		   struct np_error *error)
{
	*output = (struct np_output){ .options = options };
	np_progress_open(output);
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
		np_text_refined(stdout, results, header);
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
		np_text_tune(stdout, &derived->table, header->variants);
	if (!options->quiet) {
		fputc('\n', stdout);
		np_text_warnings(stdout, results, header, &derived->findings);
		np_text_kept(stdout, output->kept_json, output->options->json);
		np_text_kept(stdout, output->kept_netpipe, output->options->output);
		np_text_quality(stdout, results, header, &derived->table,
				&derived->findings, derived->expected.clauses.count == 0);
	}
	/* The last line is for a log: print the outcome of --expect behind the rest. */
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

static int write_report(const struct np_output *output, const struct np_results *results,
			const struct np_run_header *header, const struct derived *derived,
			const struct np_error *reason, struct np_error *error)
{
	int rc = 0;

	if (output->json != NULL)
		rc = np_json_capacity(output->json, results, &derived->capacity, error);
	if (output->json != NULL && rc == 0)
		rc = np_json_refined(output->json, results, header, error);
	if (output->json != NULL && rc == 0)
		rc = np_json_expectation(output->json, &derived->expected, error);
	if (output->json != NULL && rc == 0 && output->options->tune)
		rc = np_json_tune(output->json, &derived->table, header->variants, error);
	if (output->json != NULL && rc == 0 && derived->findings.latency != NULL) {
		const struct np_quality quality =
			np_quality_of(results, header, &derived->table, &derived->findings);

		rc = np_json_quality(output->json, &quality, error);
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

int np_output_report(const struct np_output *output, const struct np_results *results,
		     const struct np_run_header *header, const struct np_error *reason,
		     struct np_error *error)
{
	struct derived derived = { .capacity = { .points = NULL } };
	int rc = np_table_derive(results, &derived.table);

	if (rc == 0)
		rc = np_output_capacity(results, header, &derived.capacity);
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
