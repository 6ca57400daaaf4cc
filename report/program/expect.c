/*
 * expect.c - --expect of NPreport: prints the outcome, and sets the exit status; and
 * --export clauses: writes clauses that runs as good as these pass.
 */
#include "report/program/expect.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "output/terminal.h"
#include "output/output.h"
#include "report/curves/judge.h"

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
	const struct np_run *cut_off = np_judge_cut_off(runs, count);
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

	/* Zero-byte messages have no bandwidth: record latency only. */
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

	if (np_judge_cut_off(run, 1) != NULL)
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

int np_export_clauses(FILE *file, double slack, const struct np_run *runs, size_t count,
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
