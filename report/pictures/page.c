/*
 * page.c - writes the page of --html: answers, figures, findings, tables, headers.
 */
#include "report/pictures/pictures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "report/text/text.h"

void np_page_between(FILE *file, const char *before, const char *text, const char *behind)
{
	fputs(before, file);
	np_svg_escape(file, text);
	fputs(behind, file);
}

/* The content security policy forbids all requests. */
static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

/* A run that is printed; run NULL: the comparison. */
struct printed {
	const struct np_run *run;
	char name[256];
	bool named; /* it is one of several */
	const struct np_analysis *analyses;
	const struct np_compared_sides *sides;
};

static void print_summary(FILE *stream, const struct printed *what)
{
	if (what->run != NULL)
		np_text_answer(stream, what->run, what->analyses);
	else
		np_text_compare_answer(stream, what->sides->result, what->sides->share);
}

static void print_findings(FILE *stream, const struct printed *what)
{
	const struct np_compared_sides *sides = what->sides;

	if (what->run != NULL)
		np_text_findings(stream, what->run, what->analyses);
	else
		np_text_comparison(stream, sides->runs, sides->first_count, sides->count,
				   sides->result, sides->share);
}

/* Returns the text that print() writes, to be freed; NULL without memory. */
static char *text_of(void (*print)(FILE *stream, const struct printed *what),
		     const struct printed *what)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (stream == NULL)
		return NULL;
	print(stream, what);
	if (fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}

/* Splits a line of a run behind its title. */
static void write_titled(FILE *file, char *line)
{
	const size_t length = strlen(line);
	const char *text = line + (length < NP_TEXT_TITLE ? length : NP_TEXT_TITLE);

	if (length >= NP_TEXT_TITLE)
		line[NP_TEXT_TITLE - 1] = '\0';
	np_page_between(file, "<dt>", line, "</dt>");
	np_page_between(file, "<dd>", text, "</dd>\n");
}

static int write_summary(FILE *file, const struct printed *what)
{
	char *text = text_of(print_summary, what), *rest = text;

	if (text == NULL)
		return -ENOMEM;
	if (what->named)
		np_page_between(file, "<h2>", what->name, "</h2>\n");
	fputs(what->run != NULL ? "<dl class=\"answer\">\n" : "<div class=\"answer\">\n",
	      file);
	for (char *line = strsep(&rest, "\n"); line != NULL && *line != '\0';
	     line = strsep(&rest, "\n")) {
		if (what->run != NULL)
			write_titled(file, line);
		else
			np_page_between(file, "<p>", line, "</p>\n");
	}
	fputs(what->run != NULL ? "</dl>\n" : "</div>\n", file);
	free(text);
	return 0;
}

static int write_findings(FILE *file, const struct printed *what)
{
	char *text = text_of(print_findings, what);

	if (text == NULL)
		return -ENOMEM;
	np_page_between(file, "<details><summary>", what->name, "</summary>\n");
	np_page_between(file, "<pre>", text, "</pre></details>\n");
	free(text);
	return 0;
}

static void write_header(FILE *file, const struct np_run *run)
{
	char *text = run->header != NULL ? json_dumps(run->header, JSON_INDENT(2)) : NULL;

	if (text == NULL)
		return;
	np_page_between(file, "<details><summary>", run->name, "</summary>\n");
	np_page_between(file, "<pre>", text, "</pre></details>\n");
	free(text);
}

/* Each figure is an SVG of its own. */
static int write_figures(FILE *file, const struct np_picture *picture)
{
	int rc = 0;

	for (size_t i = 0; i < picture->count && rc == 0; i++) {
		fputs("<figure>\n", file);
		rc = np_svg_write(file, &picture->figures[i], 1);
		fputs("</figure>\n", file);
	}
	return rc;
}

static int write_runs(FILE *file, int (*write)(FILE *file, const struct printed *what),
		      const struct np_run *runs, struct np_analysis *const *analyses,
		      size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		struct printed what = { .run = &runs[i],
					.named = count > 1,
					.analyses = analyses[i] };

		if (np_run_is_empty(&runs[i]))
			continue;
		np_picture_label(runs, count, i, "", what.name, sizeof(what.name));
		rc = write(file, &what);
	}
	return rc;
}

static int write_body(FILE *file, const struct np_picture *picture,
		      const struct np_run *runs, struct np_analysis *const *analyses,
		      size_t count, const struct np_compared_sides *sides)
{
	const struct printed comparison = { .sides = sides, .name = "the comparison" };
	int rc = sides != NULL ? write_summary(file, &comparison) :
				 write_runs(file, write_summary, runs, analyses, count);

	if (rc == 0)
		rc = write_figures(file, picture);
	fputs("<h2>Findings</h2>\n", file);
	if (rc == 0 && sides != NULL)
		rc = write_findings(file, &comparison);
	if (rc == 0)
		rc = write_runs(file, write_findings, runs, analyses, count);
	fputs("<h2>Figures</h2>\n", file);
	for (size_t i = 0; i < count; i++)
		np_page_tables(file, &runs[i]);
	fputs("<h2>Headers of the files</h2>\n", file);
	for (size_t i = 0; i < count; i++)
		write_header(file, &runs[i]);
	return rc;
}

int np_page_write(const char *path, bool force, const struct np_picture *picture,
		  const struct np_run *runs, struct np_analysis *const *analyses,
		  size_t count, const struct np_compared_sides *sides,
		  struct np_error *error)
{
	struct np_new_file made;
	int rc = np_new_file_open(&made, path, force, error);

	if (rc != 0)
		return rc;
	fputs(head, made.file);
	np_page_between(made.file, "<title>", picture->title, "</title>\n");
	fprintf(made.file, "%s</head>\n<body>\n", np_page_style);
	np_page_between(made.file, "<h1>", picture->title, "</h1>\n");
	rc = write_body(made.file, picture, runs, analyses, count, sides);
	fprintf(made.file, "%s</body>\n</html>\n", np_page_script);
	if (rc != 0)
		np_fail_errno(error, rc, "cannot write the page");
	return np_new_file_close(&made, rc, error);
}
