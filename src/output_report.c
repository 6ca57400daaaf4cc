/*
 * output_report.c - all that a run prints and writes at its end, or at its
 * interruption: whoever ran it, one launch or the gatherer of several.
 */
#include <errno.h>

#include "output.h"

static bool is_sweep(const struct np_table *table)
{
	return table->row_count != 0 && table->rows[0].axis != NP_AXIS_NONE;
}

static void print_report(const struct np_output *output, const struct np_results *results,
			 const struct np_table *table, const struct np_findings *findings)
{
	if (!is_sweep(table))
		np_text_table(stdout, results, table);
	if (results->per_message && results->launches <= 1)
		np_text_histograms(stdout, results, table);
	if (!output->options->quiet)
		np_text_findings(stdout, results, findings);
	np_text_causes(stdout, results);
	fflush(stdout);
}

static int write_report(const struct np_output *output, const struct np_results *results,
			const struct np_run_header *header, const struct np_table *table,
			const struct np_findings *findings, const struct np_error *why,
			struct np_error *error)
{
	int rc = 0;

	if (output->json != NULL)
		rc = np_json_table(output->json, results, table, findings, why, error);
	if (output->netpipe != NULL) {
		/* With -I the file holds the rotating arm, as NetPIPE's would. */
		const enum np_arm arm =
			np_options_rotate(output->options) ? NP_ARM_ROTATE : NP_ARM_REUSE;
		const int written = np_netpipe_write(output->netpipe, results, header, arm,
						     table, error);

		rc = rc != 0 ? rc : written;
	}
	return rc;
}

int np_output_report(const struct np_output *output, const struct np_results *results,
		     const struct np_run_header *header, const struct np_error *why,
		     struct np_error *error)
{
	struct np_table table;
	int rc = np_table_derive(results, &table);

	if (rc == 0) {
		const struct np_findings findings = np_findings_derive(results, &table);

		if (is_sweep(&table))
			rc = np_output_capacity(output, results, header, error);
		print_report(output, results, &table, &findings);
		if (rc == 0)
			rc = write_report(output, results, header, &table, &findings, why,
					  error);
		if (rc == 0 && output->options->fail_on == NP_FAIL_ON_SLOWER)
			rc = np_findings_fail(&findings, error);
	} else {
		rc = np_fail_errno(error, rc, "no memory for the table");
	}
	np_table_free(&table);
	return rc;
}
