/*
 * output_report.c - report at the end of a run, complete or not, or of --runs.
 */
#include <errno.h>

#include "output/fold.h"
#include "output/output.h"
#include "output/say.h"
#include "results/findings.h"

/* Everything that the report derives from visits. */
struct derived {
	struct np_table table;
	struct np_findings findings;
	struct np_capacity capacity;	/* no points without a sweep */
	struct np_expectation expected; /* no clauses without --expect */
};

/* Prints the result of --capacity or --why, then the summary. */
static void print_question(const struct np_output *output, const struct np_results *results,
			   const struct np_run_header *header,
			   const struct derived *derived)
{
	struct np_fold fold;
	FILE *text = np_fold_begin(&fold, stdout);

	if (derived->capacity.point_count != 0)
		np_text_capacity(text, &derived->capacity, output->options->all_rows);
	np_text_causes(text, results);
	np_fold_end(&fold);
	if (!output->options->quiet)
		np_text_summary(stdout, results, header, &derived->table,
				&derived->findings, output->options->verbose);
}

static void print_expected(const struct np_expectation *expected, const char *cut_off)
{
	struct np_fold fold;

	np_text_expectation(np_fold_begin(&fold, stdout), expected, cut_off);
	np_fold_end(&fold);
}

void np_text_kept(FILE *file, const char *kept, const char *path)
{
	if (kept != NULL)
		np_say(file, "kept", "%s: what %s held before", kept, path);
}

static void print_report(const struct np_output *output, const struct np_results *results,
			 const struct np_run_header *header, const struct derived *derived,
			 const struct np_error *reason)
{
	const struct np_options *options = output->options;

	if (derived->findings.one_question) {
		print_question(output, results, header, derived);
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
		np_text_warnings(stdout, results, header, &derived->findings);
		np_text_kept(stdout, output->kept_json, output->options->json);
		np_text_kept(stdout, output->kept_netpipe, output->options->output);
	}
	/* The last line is for a log. */
	if (derived->expected.clauses.count != 0) {
		fputc('\n', stdout);
		print_expected(&derived->expected,
			       reason != NULL ? "the run was cut off" : NULL);
	}
	fflush(stdout);
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
	if (output->json != NULL && rc == 0)
		rc = np_json_table(output->json, results, &derived->table,
				   &derived->findings, reason, error);
	if (output->netpipe != NULL) {
		/* With -I, the rotating mode, as in NetPIPE. */
		const enum np_mode mode =
			np_options_rotate(output->options) ? NP_MODE_ROTATE : NP_MODE_REUSE;
		const int written = np_netpipe_write(output->netpipe, results, header, mode,
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
	if (rc == 0 && output->options->expect != NULL)
		rc = np_expectation_init(&derived.expected, output->options->expect,
					 output->options->expect_error,
					 output->options->indifference, error);
	if (rc == 0 && output->options->expect != NULL)
		rc = np_expectation_judge(&derived.expected, results);
	if (rc == 0) {
		derived.expected.clauses.left = output->options->expect_left;
		derived.findings = np_findings_derive(results, &derived.table);
		derived.findings.cut_off = reason != NULL;
		print_report(output, results, header, &derived, reason);
		rc = write_report(output, results, header, &derived, reason, error);
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
	np_table_free(&derived.table);
	return rc;
}
