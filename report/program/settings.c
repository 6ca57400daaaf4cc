/*
 * settings.c - the table of NPreport's options.
 */
#include "report/program/settings.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "report/pictures/pictures.h"
#include "report/reading/reading.h"

#define NAME(name) #name,
static const char *const formats[] = { "auto", NP_FORMATS(NAME) NULL };
#undef NAME

static const char *const exports[] = { "none",	     "csv",	"json", "netpipe",
				       "prometheus", "clauses", NULL };

static const char *const failings[] = { "nothing", "foreign", NULL };

#define AT(member) offsetof(struct np_settings, member)

// clang-format off
const struct np_option np_report_options[] = {
	{ 0, "import", "FORMAT", NP_OPTION_CHOICE, NP_SCOPE_LOCAL, AT(import), 0, 0, formats, "auto",
	  "what wrote the files" },
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
	  "say whether clauses pass: 'latency(8) <= 2us'", .brief = true },
	{ 0, "export", "FORMAT", NP_OPTION_CHOICE, NP_SCOPE_LOCAL, AT(export), 0, 0, exports, "none",
	  "write the figures instead of the findings", .brief = true },
	{ 'o', "output", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(output), 0, 0, NULL, NULL,
	  "write the export to FILE beside the findings", .brief = true },
	{ 0, "force", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(force), 0, 0, NULL, NULL,
	  "overwrite files that exist", .brief = true },
	{ 0 }
};
// clang-format on

const char *np_settings_format(const struct np_settings *settings)
{
	return settings->import != 0 ? formats[settings->import] : NULL;
}

bool np_settings_judge(const struct np_settings *settings)
{
	return settings->expect != NULL;
}

static bool is_stdout(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

bool np_settings_print(const struct np_settings *settings)
{
	return !settings->compare && !np_settings_judge(settings) &&
	       !is_stdout(settings->html) && !is_stdout(settings->output) &&
	       (settings->export == NP_EXPORT_NONE || settings->output != NULL);
}

int np_settings_check(const struct np_settings *settings, size_t files,
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
	const bool judges = np_settings_judge(settings);

	if (judges && settings->compare)
		return np_refuse(error, "--expect and --compare exclude each other");
	const int documents = is_stdout(settings->html) + settings->compare + judges +
			      (settings->export != NP_EXPORT_NONE &&
			       (settings->output == NULL || is_stdout(settings->output)));

	if (documents > 1)
		return np_refuse(error, "two of --html, --export, --compare and --expect "
					"write to standard output: give one a file");
	return 0;
}
