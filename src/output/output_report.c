/*
 * output_report.c - report at the end of a run, complete or not, of one run or
 * --launches.
 */
#include <errno.h>

#include "output/output.h"
#include "results/findings_costs.h"

/* Derived from the visits. */
struct derived {
	struct np_table table;
	struct np_findings findings;
	struct np_capacity capacity; /* no points without a sweep */
};

static void print_report(const struct np_output *output, const struct np_results *results,
			 const struct np_run_header *header, const struct derived *derived)
{
	if (derived->capacity.point_count != 0)
		np_text_capacity(stdout, &derived->capacity);
	else
		np_text_table(stdout, results, &derived->table);
	if (results->per_message && results->runs <= 1)
		np_text_histograms(stdout, results, &derived->table);
	if (!output->options->quiet)
		np_text_findings(stdout, results, &derived->findings);
	np_text_causes(stdout, results);
	np_text_refined(stdout, results, header);
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
	if (rc == 0) {
		derived.findings = np_findings_derive(results, &derived.table);
		print_report(output, results, header, &derived);
		rc = write_report(output, results, header, &derived, reason, error);
		if (rc == 0 && output->options->fail_on == NP_FAIL_ON_SLOWER)
			rc = np_findings_fail(&derived.findings, error);
	} else {
		rc = np_fail_errno(error, rc, "no memory for the table");
	}
	np_capacity_free(&derived.capacity);
	np_table_free(&derived.table);
	return rc;
}
