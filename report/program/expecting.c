/*
 * expecting.c - --expect of NPreport: prints the outcome, and sets the exit status.
 */
#include "report/program/expecting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "output/fold.h"
#include "output/output.h"
#include "report/curves/judge.h"

/* Reads the clauses of a program from --expect-file; program NULL: only checks the file. */
static int read_clauses(const struct np_settings *settings, const char *program,
			struct np_clauses *clauses, struct np_error *error)
{
	char *text = NULL;
	int rc = np_file_text(settings->expect_file, NP_CLAUSES_FILE_MAX, &text, error);

	if (rc == 0)
		rc = np_expectation_clauses(settings->expect_file, text, program, clauses,
					    error);
	free(text);
	return rc;
}

/* Finds the program that wrote all files; lines of --expect-file begin with its name. */
static int find_program(const struct np_run *runs, size_t count, const char **program,
			struct np_error *error)
{
	*program = np_run_text(&runs[0], "program");
	for (size_t i = 0; i < count; i++) {
		const char *name = np_run_text(&runs[i], "program");

		if (name == NULL)
			return np_refuse(
				error,
				"--expect-file: '%.200s' names no program; --expect "
				"takes clauses",
				runs[i].path != NULL ? runs[i].path : "a file");
		if (strcmp(name, *program) != 0)
			return np_refuse(
				error,
				"--expect-file: files of %.40s and of %.40s: judge "
				"them apart",
				*program, name);
	}
	return 0;
}

static int begin(const struct np_settings *settings, const struct np_run *runs,
		 size_t count, struct np_expectation *expectation, struct np_error *error)
{
	const char *program = NULL;
	int rc;

	if (settings->expect_file == NULL)
		return np_expectation_init(expectation, settings->expect,
					   settings->expect_error, settings->indifference,
					   error);
	*expectation =
		(struct np_expectation){ .error_rate = settings->expect_error / 100,
					 .indifference = settings->indifference / 100 };
	rc = count != 0 ? find_program(runs, count, &program, error) : 0;
	return rc == 0 ? read_clauses(settings, program, &expectation->clauses, error) : rc;
}

int np_report_expect_check(const struct np_settings *settings, struct np_error *error)
{
	struct np_expectation expectation;

	if (settings->expect_error <= 0)
		return np_refuse(error, "--expect-error has to be above 0: nothing that is "
					"measured is certain");
	return begin(settings, NULL, 0, &expectation, error);
}

int np_report_expect(const struct np_settings *settings, const struct np_run *runs,
		     size_t count, bool broken, struct np_error *error)
{
	struct np_expectation expectation;
	struct np_fold fold;
	int rc = begin(settings, runs, count, &expectation, error);

	if (rc == 0)
		rc = np_judge_runs(&expectation, runs, count, error);
	if (rc != 0)
		return rc;
	const struct np_run *cut_off = np_judge_cut_off(runs, count);
	const bool incomplete = broken || cut_off != NULL;

	np_text_expectation(np_fold_begin(&fold, stdout), &expectation,
			    incomplete ? "a file is not that of a complete run" : NULL);
	np_fold_end(&fold);
	rc = np_expectation_fail(&expectation, "more passes or more runs may decide",
				 error);
	if (rc == 0 && cut_off != NULL)
		rc = np_fail(error, NP_ERROR_UNDECIDED, EDOM,
			     "--expect: nothing passes: '%.200s' is not of a complete run",
			     cut_off->path);
	return rc;
}
