/*
 * main.c - NPreport: reads result files and reports their findings.
 *
 * Only this file prints errors and ends the process.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "option/option.h"
#include "output/terminal.h"
#include "report/curves/compare.h"
#include "report/pictures/pictures.h"
#include "report/program/export.h"
#include "report/reading/reading.h"
#include "report/text/text.h"

/* Exit status if --compare finds a slowdown: netpong(7), EXIT STATUS. */
enum { EXIT_SLOWER = 3 };

static const char program[] = "NPreport";

#define NAME(name) #name,
static const char *const formats[] = { "auto", NP_FORMATS(NAME) NULL };
#undef NAME

static const char *const exports[] = { "none",	     "csv",	"json", "netpipe",
				       "prometheus", "clauses", NULL };

static const char *const failings[] = { "nothing", "foreign", NULL };

#define AT(member) offsetof(struct np_settings, member)

// clang-format off
static const struct np_option options[] = {
	{ 0, "import", "FORMAT", NP_OPTION_CHOICE, NP_SCOPE_LOCAL, AT(import), 0, 0, formats, "auto",
	  "format of the files" },
	{ 0, "fail-on", "WHAT", NP_OPTION_CHOICE, NP_SCOPE_LOCAL, AT(fail_on), 0, 0, failings, "nothing",
	  "end with status 1 if a file is not understood to the last line: foreign" },
	{ 0, "plot", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(plot), 0, 0, NULL, NULL,
	  "draw the curves into FILE: .png, .svg or .pdf", .brief = true },
	{ 0, "signature", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(picture.signature), 0, 0, NULL, NULL,
	  "draw bandwidth over time instead: the signature graph" },
	{ 0, "upper-bound", "MBPS", NP_OPTION_NUMBER, NP_SCOPE_LOCAL, AT(picture.upper_bound), 0, 1000000000, NULL, NULL,
	  "draw a line at so many Mbit/s, such as the rate of the link" },
	{ 0, "title", "TEXT", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(picture.title), 0, 0, NULL, NULL,
	  "title of the picture and of the page" },
	{ 0, "html", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(html), 0, 0, NULL, NULL,
	  "write summary, pictures and tables as one page", .brief = true },
	{ 0, "compare", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(compare), 0, 0, NULL, NULL,
	  "compare files, or groups with vs between, in turn", .brief = true },
	{ 0, "threshold", "PERCENT", NP_OPTION_NUMBER, NP_SCOPE_LOCAL, AT(threshold), 0, 10000, NULL, "5",
	  "slowdown that with --compare ends with exit status 3 if it is significant, and that --export clauses allows" },
	{ 0, "expect", "CLAUSES", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(expect), 0, 0, NULL, NULL,
	  "check clauses: 'latency(8) <= 2us'", .brief = true },
	{ 0, "export", "FORMAT", NP_OPTION_CHOICE, NP_SCOPE_LOCAL, AT(export), 0, 0, exports, "none",
	  "write the figures instead of the findings", .brief = true },
	{ 'o', "output", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(output), 0, 0, NULL, NULL,
	  "write the export to FILE beside the findings", .brief = true },
	{ 0, "force", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(force), 0, 0, NULL, NULL,
	  "overwrite files that exist", .brief = true },
	{ 0 }
};
// clang-format on

static const char *import_format(const struct np_settings *settings)
{
	return settings->import != 0 ? formats[settings->import] : NULL;
}

static bool judges(const struct np_settings *settings)
{
	return settings->expect != NULL;
}

static bool is_stdout(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

static bool prints(const struct np_settings *settings)
{
	return !settings->compare && !judges(settings) && !is_stdout(settings->html) &&
	       !is_stdout(settings->output) &&
	       (settings->export == NP_EXPORT_NONE || settings->output != NULL);
}

static int check_settings(const struct np_settings *settings, size_t files,
			  struct np_error *error)
{
	if (files == 0 && settings->html != NULL && access(settings->html, R_OK) == 0)
		return np_refuse(
			error,
			"--html takes the page to write, and no file to report on is "
			"given: --html page.html %.200s",
			settings->html);
	if (files == 0)
		return np_refuse(error, "no file to report on, and standard input is a "
					"terminal");
	if (settings->plot != NULL && np_picture_check(settings->plot, error) != 0)
		return -EINVAL;
	if (settings->output != NULL && settings->export == NP_EXPORT_NONE)
		return np_refuse(error, "-o needs --export");
	if (settings->picture.signature && settings->plot == NULL && settings->html == NULL)
		return np_refuse(error, "--signature needs --plot or --html");
	if (settings->picture.upper_bound > 0 && settings->plot == NULL &&
	    settings->html == NULL)
		return np_refuse(error, "--upper-bound needs --plot or --html");
	if (!settings->compare && settings->export != NP_EXPORT_CLAUSES &&
	    !isnan(settings->threshold))
		return np_refuse(error, "--threshold needs --compare or --export clauses");
	if (settings->compare && (settings->export != NP_EXPORT_NONE))
		return np_refuse(error, "--compare and --export exclude each other");
	if (settings->compare && files < 2)
		return np_refuse(error, "--compare needs two files");
	if (judges(settings) && settings->compare)
		return np_refuse(error, "--expect and --compare exclude each other");
	const int documents = is_stdout(settings->html) + settings->compare +
			      judges(settings) +
			      (settings->export != NP_EXPORT_NONE &&
			       (settings->output == NULL || is_stdout(settings->output)));

	if (documents > 1)
		return np_refuse(error, "two of --html, --export, --compare and --expect "
					"write to standard output: give one a file");
	return 0;
}

/* State of a report. */
struct report {
	struct np_settings settings;
	char **paths;
	size_t count;
	size_t *sides;	   /* --compare: index of the first file of each side */
	size_t side_count; /* without --compare: 1 */
	bool slower;	   /* --compare: significantly slower by more than the threshold */
	struct np_run *runs;
	struct np_analysis **analyses;
};

static void print_help(const struct np_option_set *set, bool all)
{
	const struct np_option_set asides = { .table = np_option_asides };

	printf("%s %s: findings, pictures and comparison from result files\n\n"
	       "  %s [OPTION...] [FILE...]                  print the findings\n"
	       "  %s --compare [OPTION...] BEFORE AFTER     print slowdowns and speedups\n"
	       "  %s --compare [OPTION...] BEFORE... vs AFTER...\n\n",
	       program, PACKAGE_VERSION, program, program, program);
	np_options_help(stdout, set, 1, !all);
	if (!all) {
		printf("\n[default]; %s --help-all: %zu options; man %s\n", program,
		       np_options_count(set, 1), program);
		return;
	}
	np_options_help(stdout, &asides, 1, false);
	printf("\nExit status: 0 done, 1 a file could not be read to its end, 2 usage,\n"
	       "3 --compare found a slowdown or a clause of --expect fails, 6 all sizes "
	       "of\n"
	       "--compare are unclear, or no clause fails and one is undecided. See\n"
	       "%s(1).\n",
	       program);
}

static void complain(const struct np_error *error)
{
	fprintf(stderr, "%s: ", program);
	np_text_safe(stderr, error->text);
	fputc('\n', stderr);
}

/* Prints warnings of a file (not read, void) and notes (left out, repeated), unless the
 * findings print them.  With --fail-on foreign a warning is an error, kept in *error
 * without its text. */
static void warn_of(const struct np_run *run, const struct np_settings *settings,
		    struct np_error *error)
{
	const bool printed = prints(settings) && !np_run_is_empty(run);
	static const char *const names[] = { "left out", "repetitions" };
	struct np_error what = { .code = 0 };

	fflush(stdout);
	for (size_t i = 0; i < run->warnings.count; i++) {
		what.code = 0;
		np_malformed(&what, "%.160s: %.220s", run->path,
			     run->warnings.list[i].text);
		if (!printed || settings->fail_on != 0)
			complain(&what);
	}
	if (what.code != 0 && settings->fail_on != 0)
		np_fail(error, what.kind, what.code, "%s", "");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text = np_facts_find(&run->notes, names[i]);

		what.code = 0;
		if (text != NULL && !printed) {
			np_malformed(&what, "%.160s: %.220s", run->path, text);
			complain(&what);
		}
	}
}

/* Reads and analyses all files.  A malformed file is used up to the error, which is printed
 * and whose kind is kept in *error. */
static int read_all(struct report *report, struct np_error *error)
{
	report->runs = calloc(report->count + 1, sizeof(*report->runs));
	report->analyses = calloc(report->count + 1, sizeof(struct np_analysis *));
	if (report->runs == NULL || report->analyses == NULL)
		return np_fail_errno(error, ENOMEM, "cannot read files");
	for (size_t i = 0; i < report->count; i++) {
		struct np_error failure = { .code = 0 };

		if (np_read_file(report->paths[i], import_format(&report->settings),
				 &report->runs[i], &failure) != 0) {
			fflush(stdout);
			complain(&failure);
			np_fail(error, failure.kind, failure.code, "%s", "");
		}
		warn_of(&report->runs[i], &report->settings, error);
		/* Clauses are judged by visits in every host state; curves have only those
		 * in the usual one, so keep the visits. */
		if (!judges(&report->settings) &&
		    report->settings.export != NP_EXPORT_CLAUSES)
			np_run_forget_visits(&report->runs[i]);
		report->analyses[i] = np_analyse_run(&report->runs[i], error);
		if (report->analyses[i] == NULL)
			return error->code;
	}
	return 0;
}

static void free_report(struct report *report)
{
	for (size_t i = 0; report->analyses != NULL && i < report->count; i++)
		np_analyses_free(report->analyses[i], report->runs[i].series_count);
	for (size_t i = 0; report->runs != NULL && i < report->count; i++)
		np_run_free(&report->runs[i]);
	free(report->analyses);
	free(report->runs);
	free(report->paths);
	free(report->sides);
}

static int print_findings(const struct report *report, struct np_error *error)
{
	struct np_fold fold;
	FILE *text = np_fold_begin(&fold, stdout);
	const bool joins = np_reuse_record(report->runs, report->count) != NULL;

	if (joins && np_text_reuse(text, report->runs, report->count) != 0)
		np_fail_errno(error, ENOMEM, "cannot join the record");
	for (size_t i = 0; i < report->count && !joins; i++) {
		if (np_run_is_empty(&report->runs[i]))
			continue;
		fputs(i != 0 ? "\n" : "", text);
		np_text_run(text, &report->runs[i], report->analyses[i]);
	}
	np_text_loggp(text, report->runs, report->analyses, report->count);
	return np_fold_end(&fold, error);
}

/* Prints an error and keeps the first one for the exit status; the report goes on. */
static void record(const struct np_error *failure, struct np_error *first)
{
	if (failure->code == 0)
		return;
	fflush(stdout);
	complain(failure);
	if (first->code == 0)
		np_fail(first, failure->kind, failure->code, "%s", "");
}

/* Writes the files of --plot and --html.  sides: of a comparison, or NULL. */
static void draw(const struct report *report, const struct np_compared_sides *sides,
		 struct np_error *first)
{
	const struct np_settings *settings = &report->settings;
	struct np_error drawing = { .code = 0 }, page = { .code = 0 };
	struct np_picture picture;
	const int rc = np_picture_make(&picture, &settings->picture, report->runs,
				       report->analyses, report->count, sides, &drawing);

	if (rc == 0 && settings->plot != NULL)
		np_picture_write(&picture, settings->plot, settings->force, &drawing);
	if (rc == 0 && settings->html != NULL)
		np_page_write(settings->html, settings->force, &picture, report->runs,
			      report->analyses, report->count, sides, &page);
	np_picture_free(&picture);
	record(&drawing, first);
	record(&page, first);
}

static bool wants_picture(const struct np_settings *settings)
{
	return settings->plot != NULL || settings->html != NULL;
}

static int check_comparable(const struct report *report, struct np_error *error)
{
	for (size_t i = 0; i < report->count; i++) {
		if (report->runs[i].series_count == 0)
			return np_fail(
				error, NP_ERROR_FAILED, ENODATA,
				report->runs[i].pairs != NULL ?
					"not compared: '%.200s' is of all pairs" :
				report->runs[i].capacity.point_count != 0 ?
					"not compared: '%.200s' is a capacity sweep" :
					"not compared: nothing could be read from "
					"'%.200s'",
				report->paths[i]);
	}
	return 0;
}

/* Compares each side with the one before: steps[i] has sides i and i + 1. */
static int compare_sides(struct report *report, struct np_compared_sides *steps,
			 struct np_compare_result *results, struct np_error *error)
{
	int rc = 0;

	for (size_t i = 0; i + 1 < report->side_count && rc == 0; i++) {
		const size_t *at = &report->sides[i];

		steps[i] = (struct np_compared_sides){ .runs = report->runs + at[0],
						       .first_count = at[1] - at[0],
						       .count = at[2] - at[0],
						       .result = &results[i],
						       .share = report->settings.threshold /
								100 };
		rc = np_compare(steps[i].runs, steps[i].first_count, steps[i].count,
				steps[i].share, &results[i], error);
		if (rc == 0)
			report->slower |= np_compare_beyond(&results[i]) != 0;
	}
	return rc;
}

/* Prints the comparison, and draws that of two sides; of more the curves are drawn.  first:
 * keeps the first error of pictures, which do not end it. */
static int show_comparison(const struct report *report,
			   const struct np_compared_sides *steps, struct np_error *first,
			   struct np_error *error)
{
	const size_t count = report->side_count - 1;
	struct np_fold fold;
	int rc = 0;

	if (wants_picture(&report->settings))
		draw(report, count == 1 ? steps : NULL, first);
	FILE *text = np_fold_begin(&fold, stdout);
	if (count == 1)
		np_text_comparison(text, steps->runs, steps->first_count, steps->count,
				   steps->result, steps->share);
	else
		rc = np_text_steps(text, steps, count);
	np_fold_end(&fold, error);
	if (rc != 0)
		np_fail_errno(error, rc, "cannot print the comparison");
	/* Undecided if no step has a size with a verdict. */
	for (size_t i = 0; i < count && error->code == 0; i++) {
		struct np_error unclear = { .code = 0 };

		if (np_compare_undecided(steps[i].result, &unclear) == 0)
			return 0;
		if (i + 1 == count)
			*error = unclear;
	}
	return error->code;
}

static int compare(struct report *report, struct np_error *first, struct np_error *error)
{
	struct np_compared_sides *steps = calloc(report->side_count, sizeof(*steps));
	struct np_compare_result *results = calloc(report->side_count, sizeof(*results));
	int rc = check_comparable(report, error);

	if (steps == NULL || results == NULL)
		rc = np_fail_errno(error, ENOMEM, "cannot compare");
	if (rc == 0)
		rc = compare_sides(report, steps, results, error);
	if (rc == 0)
		rc = show_comparison(report, steps, first, error);
	for (size_t i = 0; results != NULL && i < report->side_count; i++)
		np_compare_free(&results[i]);
	free(results);
	free(steps);
	return rc;
}

static int make_report(struct report *report, struct np_error *error)
{
	const struct np_settings *settings = &report->settings;
	struct np_error failure = { .code = 0 };

	if (read_all(report, error) != 0)
		return error->code;
	if (settings->export != NP_EXPORT_NONE)
		np_export(settings, report->runs, report->count, &failure);
	record(&failure, error);
	if (wants_picture(settings) && !settings->compare)
		draw(report, NULL, error);
	failure.code = 0;
	if (settings->compare)
		compare(report, error, &failure);
	else if (judges(settings))
		np_report_expect(settings, report->runs, report->count, error->code != 0,
				 &failure);
	else if (prints(settings))
		print_findings(report, &failure);
	record(&failure, error);
	return error->code;
}

static bool same_file(const char *one, const char *other)
{
	struct stat a, b;

	if (strcmp(one, "-") == 0 || strcmp(other, "-") == 0)
		return strcmp(one, other) == 0;
	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Refuses a file that is given twice on a side; without --compare there is one side. */
static int check_sides(const struct report *report, struct np_error *error)
{
	for (size_t side = 0; side < report->side_count; side++) {
		for (size_t i = report->sides[side]; i < report->sides[side + 1]; i++) {
			for (size_t k = report->sides[side]; k < i; k++) {
				if (same_file(report->paths[k], report->paths[i]))
					return np_refuse(error,
							 "'%.200s' is twice on a side",
							 report->paths[i]);
			}
		}
	}
	return 0;
}

/* --compare: splits the operands at each "vs"; without one, a file is a side. */
static int split_sides(struct report *report, struct np_error *error)
{
	size_t count = 0, words = 0;

	for (size_t i = 0; i < report->count; i++)
		words += strcmp(report->paths[i], "vs") == 0;
	report->side_count = 1;
	for (size_t i = 0; i < report->count; i++) {
		const bool word = strcmp(report->paths[i], "vs") == 0;

		if (word || (words == 0 && i != 0))
			report->sides[report->side_count++] = count;
		if (!word)
			report->paths[count++] = report->paths[i];
	}
	report->count = report->sides[report->side_count] = count;
	if (report->side_count > 2 && report->settings.html != NULL)
		return np_refuse(error, "--html has comparisons of two sides only");
	for (size_t i = 0; i < report->side_count; i++) {
		if (report->sides[i] == report->sides[i + 1])
			return np_refuse(error, "--compare needs a file on each side of "
						"vs; a file of that name is ./vs");
	}
	return check_sides(report, error);
}

static int parse(struct report *report, int argc, char **argv, bool *answered,
		 struct np_error *error)
{
	const struct np_option_set set = { .table = options, .values = &report->settings };
	static char input[] = "-";
	struct np_command_line line = { .operand_count = 0 };
	int rc = np_options_default(&set, 1, error);
	const double threshold = report->settings.threshold;

	/* check_settings() needs to detect options that were given: NAN marks those that
	 * were not.  Their defaults follow after it. */
	report->settings.threshold = (double)NAN;
	report->paths = calloc((size_t)argc + 1, sizeof(*report->paths));
	report->sides = calloc((size_t)argc + 2, sizeof(*report->sides));
	if (report->paths == NULL || report->sides == NULL)
		return np_fail_errno(error, ENOMEM, "cannot read the command line");
	line.operands = report->paths;
	if (rc == 0)
		rc = np_options_parse(&set, 1, argc, argv, &line, error);
	report->count = line.operand_count;
	report->side_count = 1;
	report->sides[1] = report->count;
	if (rc != 0)
		return rc;
	*answered = true;
	if (line.help || line.help_all) {
		print_help(&set, line.help_all);
		return 0;
	}
	if (line.version) {
		printf("%s (NetPong) %s\nprograms   %s\nlibraries  %s\n", program,
		       PACKAGE_VERSION, NP_SHIPPED_PROGRAMS, NP_LIBRARY_VERSIONS);
		return 0;
	}
	*answered = false;
	/* Filter: read standard input, unless it is a terminal or --html has taken the
	 * file. */
	const char *html = report->settings.html;
	if (report->count == 0 && !isatty(STDIN_FILENO) &&
	    (html == NULL || access(html, R_OK) != 0 || fnmatch("*.html", html, 0) == 0))
		report->paths[report->count++] = input;
	rc = check_settings(&report->settings, report->count, error);
	if (isnan(report->settings.threshold))
		report->settings.threshold = report->settings.export == NP_EXPORT_CLAUSES ?
						     NP_CLAUSES_SLACK :
						     threshold;
	if (rc == 0 && judges(&report->settings))
		rc = np_report_expect_check(&report->settings, error);
	if (rc == 0 && judges(&report->settings))
		rc = check_sides(report, error);
	return rc == 0 && report->settings.compare ? split_sides(report, error) : rc;
}

int main(int argc, char **argv)
{
	struct np_error error = { .code = 0 };
	struct report report = { .count = 0 };
	bool answered = false;

	/* Writes to a closed pipe, or to a file at its size limit, then return an error. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	int rc = parse(&report, argc, argv, &answered, &error);
	if (rc == 0 && !answered)
		rc = make_report(&report, &error);
	rc = np_stdout_check(rc, &error);
	/* record() and read_all() print an error at once, and keep it without its text. */
	if (rc != 0 && error.text[0] != '\0')
		complain(&error);
	if (rc != 0 && error.kind == NP_ERROR_USAGE)
		fprintf(stderr, "Try '%s --help'.\n", program);
	free_report(&report);
	if (rc != 0)
		return (int)error.kind;
	return report.slower ? EXIT_SLOWER : EXIT_SUCCESS;
}
