/*
 * html.c - the HTML page: pictures, findings, tables, headers.
 */
#include "report/pictures/pictures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/files.h"
#include "report/text/text.h"

void np_html_text(FILE *file, const char *text)
{
	for (; *text != '\0'; text++) {
		const unsigned char byte = (unsigned char)*text;

		switch (byte) {
		case '&':
			fputs("&amp;", file);
			break;
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		case '\'':
			fputs("&#39;", file);
			break;
		default:
			fputc((byte < 0x20 && byte != '\n') || byte == 0x7f ? '?' : byte,
			      file);
		}
	}
}

void np_html_between(FILE *file, const char *before, const char *text, const char *behind)
{
	fputs(before, file);
	np_html_text(file, text);
	fputs(behind, file);
}

/* The content security policy forbids all requests. */
static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n";

static const char style[] =
	"<style>\n"
	"body { font: 15px/1.4 sans-serif; color: #222; background: #fff; max-width: 62em;"
	" margin: 1.5em auto; padding: 0 1em; }\n"
	"h1 { font-size: 1.4em; margin-bottom: 0; } h2 { font-size: 1.15em; }\n"
	"p.sub { color: #555; margin-top: .2em; }\n"
	"pre { background: #f6f6f6; padding: .8em; white-space: pre-wrap; font-size: 13px; "
	"}\n"
	"svg { width: 100%; height: auto; } svg text { font: 13px sans-serif; fill: #222; "
	"}\n"
	"svg .mark:hover { stroke-width: 4; }\n"
	"table { border-collapse: collapse; font-size: 13px; }\n"
	"th, td { padding: .15em .7em; text-align: right; border-bottom: 1px solid #ddd;"
	" white-space: nowrap; }\n"
	"th { position: sticky; top: 0; background: #fff; }\n"
	"td.word, th.word { text-align: left; }\n"
	"#values { position: fixed; left: 0; top: 0; display: none; background: #fff;"
	" pointer-events: none;"
	" border: 1px solid #888; padding: .3em .6em; font-size: 13px; white-space: pre; "
	"}\n"
	"details { margin: .6em 0; }\n"
	"</style>\n";

/* Tooltip of a point; without scripts its title remains. */
static const char script[] =
	"<div id=\"values\"></div>\n<script>\n"
	"const box = document.getElementById('values');\n"
	"// Behind the pointer, or where the window ends there, before it.\n"
	"const place = (side, at, length, room) => {\n"
	"  const behind = at + 14 + length < room ? at + 14 : at - 14 - length;\n"
	"  box.style[side] = Math.max(0, Math.min(behind, room - length)) + 'px';\n"
	"};\n"
	"for (const mark of document.querySelectorAll('.mark')) {\n"
	"  mark.addEventListener('mousemove', (event) => {\n"
	"    box.textContent = mark.querySelector('title').textContent;\n"
	"    box.style.display = 'block';\n"
	"    place('left', event.clientX, box.offsetWidth, innerWidth);\n"
	"    place('top', event.clientY, box.offsetHeight, innerHeight);\n"
	"  });\n"
	"  mark.addEventListener('mouseleave', () => { box.style.display = 'none'; });\n"
	"}\n"
	"</script>\n";

void np_html_cell(FILE *file, double value)
{
	if (isfinite(value))
		fprintf(file, "<td>%.5g</td>", value);
	else
		fputs("<td></td>", file);
}

static void write_row(FILE *file, const struct np_row *point)
{
	char bytes[40], flags[96];

	np_row_flags_text(point->flags, flags, sizeof(flags));
	np_text_length((double)point->length, bytes, sizeof(bytes));
	fprintf(file, "<tr><td>%zu</td><td>%s</td>", point->length, bytes);
	np_html_cell(file, point->median_s * 1e6);
	np_html_cell(file, point->ci_low_s * 1e6);
	np_html_cell(file, point->ci_high_s * 1e6);
	np_html_cell(file, point->min_s * 1e6);
	np_html_cell(file, point->mbps);
	np_html_between(file, "<td class=\"word\">", point->code_path, "");
	fputs(point->code_path[0] != '\0' && flags[0] != '\0' ? "; " : "", file);
	np_html_between(file, "", flags, "</td></tr>\n");
}

static void write_table(FILE *file, const struct np_run *run,
			const struct np_series *series)
{
	char label[3 * NP_LABEL];

	np_series_label(run, series, label, sizeof(label));
	np_html_between(file, "<details open><summary>", run->name,
			label[0] != '\0' ? ", " : "");
	np_html_between(
		file, "", label,
		"</summary>\n<table>\n<tr><th>bytes</th><th></th><th>us</th><th>low</th>"
		"<th>high</th><th>least</th><th>Mbit/s</th><th "
		"class=\"word\"></th></tr>\n");
	for (size_t i = 0; i < series->count; i++)
		write_row(file, &series->points[i]);
	fputs("</table>\n</details>\n", file);
}

/* Findings, as printed on a terminal. */
static int write_findings(FILE *file, const struct np_run *run,
			  const struct np_analysis *analyses)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (stream == NULL)
		return -ENOMEM;
	np_text_run(stream, run, analyses);
	const bool complete = fclose(stream) == 0;
	if (complete)
		np_html_between(file, "<pre>", text, "</pre>\n");
	free(text);
	return complete ? 0 : -ENOMEM;
}

static void write_header(FILE *file, const struct np_run *run)
{
	char *text = run->header != NULL ? json_dumps(run->header, JSON_INDENT(2)) : NULL;

	if (text == NULL)
		return;
	np_html_between(file, "<details><summary>", run->name, "</summary>\n<pre>");
	np_html_between(file, "", text, "</pre></details>\n");
	free(text);
}

int np_html_write(const char *path, bool force, const struct np_picture *picture,
		  const struct np_run *runs, struct np_analysis *const *analyses,
		  size_t count, struct np_error *error)
{
	struct np_new_file made;
	int rc = np_new_file_open(&made, path, force, error);

	if (rc != 0)
		return rc;
	FILE *file = made.file;
	fputs(head, file);
	np_html_between(file, "<title>", picture->title, "</title>\n");
	fprintf(file, "%s</head>\n<body>\n", style);
	np_html_between(file, "<h1>", picture->title, "</h1>\n");
	np_html_between(file, "<p class=\"sub\">", picture->subtitle, "</p>\n");
	if (picture->count != 0)
		np_html_picture(file, picture);
	if (picture->sweep.count != 0)
		np_html_capacity(file, picture);
	for (size_t i = 0; i < picture->heat_count; i++)
		np_html_matrix(file, &picture->heats[i]);
	fputs("<h2>Findings</h2>\n", file);
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = write_findings(file, &runs[i], analyses[i]);
	fputs("<h2>Figures</h2>\n", file);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < runs[i].series_count; k++) {
			if (!np_series_is_control(&runs[i].series[k]))
				write_table(file, &runs[i], &runs[i].series[k]);
		}
	}
	for (size_t i = 0; i < picture->sweep.count; i++)
		np_html_capacity_table(file, &picture->sweep.curves[i]);
	for (size_t i = 0; i < picture->heat_count; i++)
		np_html_matrix_table(file, &picture->heats[i]);
	fputs("<h2>Headers of the files</h2>\n", file);
	for (size_t i = 0; i < count; i++)
		write_header(file, &runs[i]);
	fprintf(file, "%s</body>\n</html>\n", script);
	if (rc != 0)
		np_fail_errno(error, rc, "cannot write the page");
	return np_new_file_close(&made, rc, error);
}
