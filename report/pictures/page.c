/*
 * page.c - writes the page of --html: answers, figures, findings, tables, headers.
 */
#include "report/pictures/pictures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "report/text/text.h"

/* ---- Style and script: light and dark, wide and narrow; a tooltip, and the keyboard - */

/* Writes a text, escaped, between markup. */
static void write_between(FILE *file, const char *before, const char *text,
			  const char *behind)
{
	fputs(before, file);
	np_svg_escape(file, text);
	fputs(behind, file);
}

/* Style sheet of the page: in a dark scheme it outranks the colours of the pictures, which
 * are attributes. */
static const char page_style[] =
	"<style>\n"
	":root { color-scheme: light dark; --ink: #222; --paper: #fff; --soft: #f4f4f4;"
	" --line: #ddd; }\n"
	"@media (prefers-color-scheme: dark) {\n"
	":root { --ink: #ddd; --paper: #16181c; --soft: #22252b; --line: #3a3d44; }\n"
	"svg .paper { fill: var(--paper); } svg .grid { stroke: var(--line); }\n"
	"svg .POOR { fill: #ffb38a; } svg .fair { fill: #e6c35c; } svg .good { fill: "
	"#7fcf86; }\n"
	"svg .s1 { color: #ff9a52; } svg .s2 { color: #3ecf9f; }\n"
	"svg .s0 { color: #4ba3e0; } svg .s4 { color: #fff; } svg .s7 { color: var(--ink); "
	"}\n"
	"}\n"
	"body { font: 16px/1.45 sans-serif; color: var(--ink); background: var(--paper);"
	" max-width: 58em; margin: 1em auto; padding: 0 .8em; }\n"
	"h1 { font-size: 1.35em; } h2 { font-size: 1.1em; margin-bottom: .3em; }\n"
	"dl { display: grid; grid-template-columns: max-content 1fr; gap: .2em 1em; }\n"
	"dt { font-weight: bold; } dd { margin: 0; }\n"
	".banner { padding: 0 .4em; color: #000; background: #9c9; }\n"
	".fair { background: #e69f00; } .POOR { background: #f4916a; }\n"
	/* A narrow window shows a part of a picture or a table, and scrolls that alone. */
	"figure, .wide { margin: 1em 0; overflow-x: auto; }\n"
	"svg { width: 100%; height: auto; min-width: 600px; color: var(--ink); }\n"
	".narrow { display: none; } .narrow svg { min-width: 0; }\n"
	"svg .mark:hover, svg .mark:focus { stroke-width: 3; outline: none; }\n"
	"svg .mark:focus circle { stroke: currentColor; }\n"
	"pre { background: var(--soft); padding: .8em; font-size: 13px;"
	" white-space: pre-wrap; overflow-wrap: anywhere; }\n"
	"table { border-collapse: collapse; font-size: 14px; }\n"
	"th, td { padding: .15em .6em; text-align: right; white-space: nowrap;"
	" border-bottom: 1px solid var(--line); }\n"
	"td.word, th.word { text-align: left; }\n"
	"summary { cursor: pointer; padding: .3em 0; }\n"
	"#values { position: fixed; display: none; background: var(--soft);"
	" pointer-events: none; border: 1px solid #888; padding: .3em .6em;"
	" font-size: 14px; white-space: pre; max-width: 90vw; }\n"
	"@media (max-width: 40em) { dl { display: block; } dd { margin: 0 0 .5em; }"
	" .broad { display: none; } .narrow { display: block; } }\n"
	"</style>\n";

/* Script of tooltips and of the keyboard.  Where scripts are off, the browser shows the
 * titles and each point is a tab stop; else a curve is one tab stop, and arrow keys move
 * along it. */
static const char page_script[] =
	"<div id=\"values\" aria-hidden=\"true\"></div>\n<script>\n"
	"const box = document.getElementById('values');\n"
	"// Behind the place, or where the window ends there, before it.\n"
	"const place = (side, at, length, room) => {\n"
	"  const behind = at + 14 + length < room ? at + 14 : at - 14 - length;\n"
	"  box.style[side] = Math.max(0, Math.min(behind, room - length)) + 'px';\n"
	"};\n"
	"const show = (mark, x, y) => {\n"
	"  box.textContent = mark.querySelector('title').textContent;\n"
	"  box.style.display = 'block';\n"
	"  place('left', x, box.offsetWidth, innerWidth);\n"
	"  place('top', y, box.offsetHeight, innerHeight);\n"
	"};\n"
	"const hide = () => { box.style.display = 'none'; };\n"
	"const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 };\n"
	"for (const mark of document.querySelectorAll('.mark')) {\n"
	"  const near = [...mark.parentNode.children].filter((it) => "
	"it.matches('.mark'));\n"
	"  mark.setAttribute('tabindex', mark === near[0] ? 0 : -1);\n"
	"  mark.addEventListener('mousemove',\n"
	"    (event) => show(mark, event.clientX, event.clientY));\n"
	"  mark.addEventListener('mouseleave', hide);\n"
	"  mark.addEventListener('blur', hide);\n"
	"  mark.addEventListener('focus', () => {\n"
	"    const at = (mark.querySelector('circle') || mark).getBoundingClientRect();\n"
	"    show(mark, at.x + at.width / 2, at.y + at.height / 2);\n"
	"  });\n"
	"  mark.addEventListener('keydown', (event) => {\n"
	"    const next = near[near.indexOf(mark) + steps[event.key]];\n"
	"    if (!next) return;\n"
	"    event.preventDefault();\n"
	"    next.focus();\n"
	"  });\n"
	"}\n"
	"</script>\n";

/* ---- Figures of runs as tables, folded ---------------------------------------------- */

/* Writes a cell; empty for NAN and infinity. */
static void write_number(FILE *file, double value)
{
	if (isfinite(value))
		fprintf(file, "<td>%.5g</td>", value);
	else
		fputs("<td></td>", file);
}

/* Begins a table; "|" separates heads, and "-" begins the head of a column of words. */
static void begin_table(FILE *file, const char *name, const char *label, const char *heads)
{
	char head[40];

	write_between(file, "<details><summary>", name, *label != '\0' ? ", " : "");
	write_between(file, "", label, "</summary>\n<div class=\"wide\"><table>\n<tr>");
	while (*heads != '\0') {
		size_t length = 0;

		for (; *heads != '|' && *heads != '\0'; heads++)
			head[length++] = *heads;
		head[length] = '\0';
		heads += *heads == '|';
		fprintf(file, "<th%s>%s</th>", head[0] == '-' ? " class=\"word\"" : "",
			head + (head[0] == '-'));
	}
	fputs("</tr>\n", file);
}

static void end_table(FILE *file)
{
	fputs("</table></div></details>\n", file);
}

static void write_size(FILE *file, size_t length)
{
	char bytes[40];

	np_text_length((double)length, bytes, sizeof(bytes));
	fprintf(file, "<tr><td>%zu</td><td>%s</td>", length, bytes);
}

static void write_series(FILE *file, const struct np_run *run,
			 const struct np_series *series, const char *name)
{
	char label[3 * NP_LABEL], flags[96];

	np_series_label(run, series, label, sizeof(label));
	begin_table(file, name, label, "bytes|size|us|low|high|least|Mbit/s|-remarks");
	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *point = &series->points[i];
		const double figures[] = { point->median_s * 1e6, point->ci_low_s * 1e6,
					   point->ci_high_s * 1e6, point->min_s * 1e6,
					   point->mbps };

		write_size(file, point->length);
		for (size_t k = 0; k < sizeof(figures) / sizeof(figures[0]); k++)
			write_number(file, figures[k]);
		np_row_flags_text(point->flags, flags, sizeof(flags));
		write_between(file, "<td class=\"word\">", point->code_path,
			      point->code_path[0] != '\0' && flags[0] != '\0' ? "; " : "");
		write_between(file, "", flags, "</td></tr>\n");
	}
	end_table(file);
}

static void write_percentiles(FILE *file, const struct np_run *run,
			      const struct np_series *series, const char *name)
{
	char curve[3 * NP_LABEL], label[4 * NP_LABEL];
	size_t first = 0;

	np_series_label(run, series, curve, sizeof(curve));
	snprintf(label, sizeof(label), "%s, percentiles", curve);
	while (first < series->count && !(series->points[first].p50_s > 0))
		first++;
	if (first == series->count)
		return;
	begin_table(file, name, label, "bytes|size|p50, us|p90|p99|p99.9|max");
	for (size_t i = first; i < series->count; i++) {
		const struct np_row *row = &series->points[i];

		write_size(file, row->length);
		write_number(file, row->p50_s * 1e6);
		write_number(file, row->p90_s * 1e6);
		write_number(file, row->p99_s * 1e6);
		write_number(file, row->p999_s * 1e6);
		write_number(file, row->tail_s != NULL ? row->tail_s[NP_TAIL - 1] * 1e6 :
							 (double)NAN);
		fputs("</tr>\n", file);
	}
	end_table(file);
}

static void write_sweep(FILE *file, const struct np_run *run, const char *name)
{
	const struct np_capacity *capacity = &run->capacity;

	begin_table(
		file, name, "capacity",
		"bytes|size|-axis|buffers|pages|registrations|us|low|high|ratio|low|high");
	for (size_t i = 0; i < capacity->point_count; i++) {
		const struct np_capacity_point *point = &capacity->points[i];
		const double figures[] = { point->seconds * 1e6, point->low_s * 1e6,
					   point->high_s * 1e6,	 point->ratio,
					   point->ratio_low,	 point->ratio_high };

		write_size(file, point->touched.bytes);
		fprintf(file,
			"<td class=\"word\">%s</td><td>%llu</td><td>%llu</td>"
			"<td>%llu</td>",
			np_axis_name(point->axis), (unsigned long long)point->buffers,
			(unsigned long long)point->touched.pages,
			(unsigned long long)point->touched.registrations);
		for (size_t k = 0; k < sizeof(figures) / sizeof(figures[0]); k++)
			write_number(file, figures[k]);
		fputs("</tr>\n", file);
	}
	end_table(file);
}

static void write_pair(FILE *file, const struct np_pair_matrix *pairs, size_t k, size_t one,
		       size_t other)
{
	const double seconds = np_fleet_run_seconds(&pairs->run, k, one, other);
	const size_t bytes = pairs->run.bytes[k];

	if (isnan(seconds))
		return;
	write_size(file, bytes);
	write_between(file, "<td class=\"word\">", pairs->hosts.hosts[one].name, "</td>");
	write_between(file, "<td class=\"word\">", pairs->hosts.hosts[other].name, "</td>");
	write_number(file, seconds * 1e6);
	write_number(file, pairs->run.directions * 8e-6 * (double)bytes / seconds);
	write_number(file, np_heat_times(pairs, k, seconds));
	fprintf(file, "<td class=\"word\">%s</td></tr>\n",
		np_fleet_run_is_slow(&pairs->run, k, one, other) ? "slow" : "");
}

static void write_pairs(FILE *file, const struct np_run *run, const char *name)
{
	begin_table(file, name, "pairs",
		    "bytes|size|-from|-to|us|Mbit/s|times the usual|-verdict");
	for (size_t k = 0; k < run->pairs->run.size_count; k++) {
		for (size_t one = 0; one < run->pairs->hosts.count; one++) {
			for (size_t other = one + 1; other < run->pairs->hosts.count;
			     other++)
				write_pair(file, run->pairs, k, one, other);
		}
	}
	end_table(file);
}

static void write_tables(FILE *file, const struct np_run *run, const char *name)
{
	for (size_t i = 0; i < run->series_count; i++) {
		if (np_series_is_control(&run->series[i]))
			continue;
		write_series(file, run, &run->series[i], name);
		write_percentiles(file, run, &run->series[i], name);
	}
	if (run->capacity.point_count != 0)
		write_sweep(file, run, name);
	if (run->pairs != NULL)
		write_pairs(file, run, name);
}

/* ---- The page ----------------------------------------------------------------------- */

/* The content security policy forbids all requests. */
static const char page_head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

/* The run to print or, if run is NULL, the comparison. */
struct printed {
	const struct np_run *run;
	const struct np_run *runs; /* with a record: all of them, which it joins */
	size_t count;
	char name[256];
	bool named; /* one of several runs: print its name */
	const struct np_analysis *analyses;
	const struct np_compared_sides *sides;
};

static void print_summary(FILE *stream, const struct printed *what)
{
	const struct np_compared_sides *sides = what->sides;

	if (what->run != NULL && what->run->uses != NULL)
		np_text_reuse(stream, what->runs, what->count);
	else if (what->run != NULL)
		np_text_answer(stream, what->run, what->analyses);
	else
		np_text_compare_answer(stream, sides->runs, sides->first_count,
				       sides->count, sides->result, sides->share);
}

static void print_findings(FILE *stream, const struct printed *what)
{
	const struct np_compared_sides *sides = what->sides;

	if (what->run != NULL && what->run->uses != NULL)
		return;
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

/* Writes a line of a run's answer as title and text, split at column NP_TEXT_TITLE; the
 * quality as a banner in the colour of its grade. */
static void write_titled(FILE *file, char *line)
{
	static const char *const grades[] = { "good", "fair", "POOR" };
	char markup[48] = "<dd>";
	const size_t length = strlen(line);
	const char *text = line + (length < NP_TEXT_TITLE ? length : NP_TEXT_TITLE);

	if (length >= NP_TEXT_TITLE)
		line[NP_TEXT_TITLE - 1] = '\0';
	for (size_t i = 0; i < 3; i++) {
		if (strncmp(line, "quality ", 8) == 0 && strncmp(text, grades[i], 4) == 0)
			snprintf(markup, sizeof(markup), "<dd class=\"banner %s\">",
				 grades[i]);
	}
	write_between(file, "<dt>", line, "</dt>");
	write_between(file, markup, text, "</dd>\n");
}

static int write_summary(FILE *file, const struct printed *what)
{
	char *text = text_of(print_summary, what), *rest = text;

	if (text == NULL)
		return -ENOMEM;
	if (what->named)
		write_between(file, "<h2>", what->name, "</h2>\n");
	fputs(what->run != NULL ? "<dl class=\"answer\">\n" : "<div class=\"answer\">\n",
	      file);
	for (char *line = strsep(&rest, "\n"); line != NULL && *line != '\0';
	     line = strsep(&rest, "\n")) {
		if (what->run != NULL)
			write_titled(file, line);
		else
			write_between(file, "<p>", line, "</p>\n");
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
	write_between(file, "<details><summary>", what->name, "</summary>\n");
	write_between(file, "<pre>", text, "</pre></details>\n");
	free(text);
	return 0;
}

static void write_header(FILE *file, const struct np_run *run, const char *name)
{
	char *text = run->header != NULL ? json_dumps(run->header, JSON_INDENT(2)) : NULL;

	if (text == NULL)
		return;
	write_between(file, "<details><summary>", name, "</summary>\n");
	write_between(file, "<pre>", text, "</pre></details>\n");
	free(text);
}

/* Each figure is an SVG of its own, in a wide layout and a narrow one; a map of pairs has
 * only a wide one, which a narrow window scrolls. */
static int write_figures(FILE *file, const struct np_picture *picture)
{
	int rc = 0;

	for (size_t i = 0; i < picture->count && rc == 0; i++) {
		const struct np_figure *figure = &picture->figures[i];
		const bool map = figure->pairs != NULL || figure->uses != NULL;

		fputs(map ? "<figure>\n" : "<figure class=\"broad\">\n", file);
		rc = np_svg_write(file, figure, 1, NP_SVG_WIDTH);
		fputs("</figure>\n", file);
		if (map || rc != 0)
			continue;
		fputs("<figure class=\"narrow\">\n", file);
		rc = np_svg_write(file, figure, 1, NP_SVG_NARROW);
		fputs("</figure>\n", file);
	}
	return rc;
}

/* Writes the name of a run, with its side in a comparison. */
static void name_run(const struct np_run *runs, size_t count,
		     const struct np_compared_sides *sides, size_t at, char *name,
		     size_t size)
{
	char label[240];

	np_picture_label(runs, count, at, "", label, sizeof(label));
	snprintf(name, size, "%s%s",
		 sides == NULL		 ? "" :
		 at < sides->first_count ? "before: " :
					   "after: ",
		 label);
}

static int write_runs(FILE *file, int (*write)(FILE *file, const struct printed *what),
		      const struct np_run *runs, struct np_analysis *const *analyses,
		      size_t count, const struct np_compared_sides *sides)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		struct printed what = { .run = &runs[i],
					.runs = runs,
					.count = count,
					.named = count > 1,
					.analyses = analyses[i] };

		if (np_run_is_empty(&runs[i]))
			continue;
		name_run(runs, count, sides, i, what.name, sizeof(what.name));
		rc = write(file, &what);
	}
	return rc;
}

static int write_body(FILE *file, const struct np_picture *picture,
		      const struct np_run *runs, struct np_analysis *const *analyses,
		      size_t count, const struct np_compared_sides *sides)
{
	const struct printed comparison = { .sides = sides, .name = "the comparison" };
	char name[256];
	int rc = sides != NULL ?
			 write_summary(file, &comparison) :
			 write_runs(file, write_summary, runs, analyses, count, sides);

	if (rc == 0)
		rc = write_figures(file, picture);
	fputs("<h2>Findings</h2>\n", file);
	if (rc == 0 && sides != NULL)
		rc = write_findings(file, &comparison);
	if (rc == 0)
		rc = write_runs(file, write_findings, runs, analyses, count, sides);
	fputs("<h2>Figures</h2>\n", file);
	for (size_t i = 0; i < count; i++) {
		name_run(runs, count, sides, i, name, sizeof(name));
		write_tables(file, &runs[i], name);
	}
	fputs("<h2>Headers of the files</h2>\n", file);
	for (size_t i = 0; i < count; i++) {
		name_run(runs, count, sides, i, name, sizeof(name));
		write_header(file, &runs[i], name);
	}
	return rc;
}

int np_page_write(const char *path, bool force, const struct np_picture *picture,
		  const struct np_run *runs, struct np_analysis *const *analyses,
		  size_t count, const struct np_compared_sides *sides,
		  struct np_error *error)
{
	const bool to_file = strcmp(path, "-") != 0;
	struct np_new_file made = { .file = stdout };
	int rc = to_file ? np_new_file_open(&made, path, force, error) : 0;

	if (rc != 0)
		return rc;
	fputs(page_head, made.file);
	write_between(made.file, "<title>", picture->title, "</title>\n");
	fprintf(made.file, "%s</head>\n<body>\n", page_style);
	write_between(made.file, "<h1>", picture->title, "</h1>\n");
	rc = write_body(made.file, picture, runs, analyses, count, sides);
	fprintf(made.file, "%s</body>\n</html>\n", page_script);
	if (rc != 0)
		np_fail_errno(error, rc, "cannot write the page");
	return to_file ? np_new_file_close(&made, rc, error) : rc;
}
