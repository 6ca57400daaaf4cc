/*
 * derive_again.c - the lines that a run writes at its end, from the rest of its file: read
 * as NPreport reads it, and written by the code of the run.
 *
 *     derive_again FILE
 */
#include <stdio.h>
#include <stdlib.h>

#include "output/output.h"
#include "report/reading/reading.h"

static int write_lines(const struct np_run *run, struct np_error *error)
{
	struct np_table table;
	int rc = np_table_derive(run->results, &table);

	rc = rc != 0 ? np_fail_errno(error, rc, "no memory for the table") :
		       np_json_capacity(stdout, run->results, &run->capacity, error);
	if (rc == 0) {
		const struct np_findings findings =
			np_findings_derive(run->results, &table);

		rc = np_json_table(stdout, run->results, &table, &findings, NULL, error);
	}
	np_table_free(&table);
	return rc;
}

int main(int argc, char **argv)
{
	struct np_error error = { .code = 0 };
	struct np_run run;
	int rc;

	if (argc != 2) {
		fputs("usage: derive_again FILE\n", stderr);
		return EXIT_FAILURE;
	}
	rc = np_read_file(argv[1], "netpong", &run, &error);
	if (rc == 0)
		rc = write_lines(&run, &error);
	if (rc != 0)
		fprintf(stderr, "derive_again: %s\n", error.text);
	np_run_free(&run);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
