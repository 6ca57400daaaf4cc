/*
 * picture.c - makes the figures of runs or of a comparison, those of --per-message and
 * --why by itself, and writes the file of --plot: SVG, or PNG and PDF by rsvg-convert.
 *
 * rsvg-convert reads from and writes to temporary files without a name: the user's file
 * appears when it is complete, and its name is never an argument.
 */
#include "report/pictures/pictures.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"
#include "questions/causes.h"
#include "report/text/text.h"

/* ---- Figure of --per-message --------------------------------------------------------- */

/* Most curves; the first are drawn. */
enum { TAILS_MOST = NP_STYLES };

static void add_tail(struct np_figure *figure, struct np_panel *panel, size_t style,
		     const char *label, const struct np_row *row)
{
	struct np_line *line = np_panel_line(figure, panel, style, label);
	char time[40];

	for (size_t i = 0; line != NULL && i < NP_TAIL; i++) {
		const unsigned beyond = np_tail_beyond[i];

		if (isnan(row->tail_s[i]) || beyond == 0)
			continue;
		np_text_seconds(row->tail_s[i], time, sizeof(time));
		np_line_dot(figure, panel, line,
			    (struct np_dot){
				    .x = row->tail_s[i] * 1e6,
				    .y = (double)beyond / NP_TAIL_WHOLE,
				    .low = (double)NAN,
				    .high = (double)NAN,
				    .text = np_text_of("%s\n%.6g %% take at most %s", label,
						       100 - beyond / 1000.0, time) });
	}
}

/* Makes the figure of --per-message: times of single messages, and the share that takes
 * longer. */
static void tail_figure(struct np_figure *figure, const struct np_run *runs, size_t count)
{
	struct np_panel *panel = NULL;
	size_t style = 0;

	figure->x = (struct np_chart_axis){ .scale = NP_SCALE_LOG,
					    .low = 1,
					    .title = "time of a message, us" };
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < runs[i].series_count; k++) {
			const struct np_series *series = &runs[i].series[k];
			char inner[3 * NP_LABEL], sized[4 * NP_LABEL], bytes[40],
				label[256];

			for (size_t at = 0; at < series->count; at++) {
				if (series->points[at].tail_s == NULL ||
				    np_series_is_control(series) || style++ >= TAILS_MOST)
					continue;
				if (panel == NULL)
					panel = np_figure_panel(
						figure, 300, NP_SCALE_LOG,
						"share of messages that take longer");
				if (panel == NULL)
					return;
				np_series_label(&runs[i], series, inner, sizeof(inner));
				np_text_length((double)series->points[at].length, bytes,
					       sizeof(bytes));
				snprintf(sized, sizeof(sized), "%s, %s", inner, bytes);
				np_picture_label(runs, count, i, sized, label,
						 sizeof(label));
				add_tail(figure, panel, style - 1, label,
					 &series->points[at]);
			}
		}
	}
	if (panel == NULL)
		return;
	if (count == 1)
		snprintf(figure->title, sizeof(figure->title), "%s, single messages",
			 runs[0].name);
	if (style > TAILS_MOST)
		np_figure_note(figure, "%zu more size%s: in the tables", style - TAILS_MOST,
			       np_plural(style - TAILS_MOST));
	snprintf(figure->bars_mean, sizeof(figure->bars_mean),
		 "single messages of all passes; each point has ten messages beyond it");
	np_axis_margin(&figure->x, 0.02, 0.02);
	np_axis_margin(&panel->y, 0.05, 0.05);
}

/* ---- Figure of --why ----------------------------------------------------------------- */

/* Significance level of one effect alone, as in the text of --why. */
static const double significant_at = 0.005;

bool np_run_explains(const struct np_run *run)
{
	struct np_causes causes;

	return run->results != NULL && np_causes_derive(run->results, 0, &causes) == 0;
}

/* Adds the bar of an effect, in microseconds a message; share: print its percentage of the
 * whole cost of rotation. */
static void add_bar(struct np_figure *figure, const struct np_causes *causes,
		    const char *label, const struct np_effect *effect, bool share)
{
	const double us = causes->reuse_s * 1e6;
	struct np_bar *bar = np_figure_bar(figure);
	char part[32] = "";

	if (bar == NULL)
		return;
	snprintf(bar->label, sizeof(bar->label), "%s", label);
	bar->at = effect->share * us;
	bar->low = effect->low * us;
	bar->high = effect->high * us;
	bar->open = !(effect->p <= significant_at);
	if (share && causes->whole.share > 0)
		snprintf(part, sizeof(part), ", %.0f %%",
			 round(100 * effect->share / causes->whole.share) + 0.0);
	snprintf(bar->value, sizeof(bar->value), "%+.3f us%s%s", bar->at, part,
		 bar->open ? ", n.s." : "");
}

static void add_heading(struct np_figure *figure, const char *text)
{
	struct np_bar *bar = np_figure_bar(figure);

	if (bar == NULL)
		return;
	bar->heading = true;
	snprintf(bar->label, sizeof(bar->label), "%s", text);
}

static void add_effects(struct np_figure *figure, const struct np_causes *causes)
{
	struct np_named_effect list[NP_EFFECTS];

	np_causes_effects(causes, list);
	for (size_t i = 0; i < NP_EFFECTS; i++) {
		if (isnan(list[i].effect->share))
			continue;
		if (list[i].effect == &causes->send)
			add_heading(figure, "by side (they need not add up)");
		add_bar(figure, causes, list[i].text, list[i].effect, list[i].part);
	}
}

/* Adds the cost of rotation in each varied condition, such as another page size. */
static void add_factors(struct np_figure *figure, const struct np_run *run,
			const struct np_causes *causes)
{
	bool any = false;

	for (size_t i = 0; i < NP_FACTORS; i++) {
		const struct np_condition *condition = &run->results->conditions[i];

		if (causes->varied[i].units == 0)
			continue;
		if (!any)
			add_heading(figure, "total cost with one thing changed");
		any = true;
		add_bar(figure, causes, condition->other, &causes->varied[i].cost, true);
	}
}

/* Makes the figure of --why in one variant: bars of the cost of rotation and its parts. */
static void cost_figure(struct np_figure *figure, const struct np_run *run, size_t variant)
{
	struct np_causes causes;
	char bytes[40];

	if (run->results == NULL || np_causes_derive(run->results, variant, &causes) != 0)
		return;
	const char *name = np_variant_name(run->results, variant);

	np_text_length((double)causes.length, bytes, sizeof(bytes));
	snprintf(figure->title, sizeof(figure->title),
		 "%s%s%s: %.3g us with one warm buffer, %.3g us with cold buffers (%.2fx)",
		 bytes, name != NULL ? ", " : "", name != NULL ? name : "",
		 causes.reuse_s * 1e6, causes.rotate_s * 1e6,
		 causes.rotate_s / causes.reuse_s);
	snprintf(figure->subtitle, sizeof(figure->subtitle), "cause: %s",
		 np_cause_text(causes.verdict));
	snprintf(
		figure->bars_mean, sizeof(figure->bars_mean),
		"lines on bars: 95 %% interval over passes or runs; n.s.: not significant");
	add_effects(figure, &causes);
	add_factors(figure, run, &causes);
}

/* ---- All figures --------------------------------------------------------------------- */

/* Keeps a figure that is not empty. */
static void keep(struct np_picture *picture, struct np_figure *figure, bool *failed)
{
	*failed |= figure->failed;
	if (figure->panel_count == 0 && figure->bar_count == 0 && figure->pairs == NULL &&
	    figure->uses == NULL) {
		np_figure_free(figure);
		return;
	}
	picture->figures[picture->count++] = *figure;
}

static void name_picture(struct np_picture *picture,
			 const struct np_picture_options *options,
			 const struct np_run *runs, size_t count, bool compares)
{
	const char *op = np_run_text(&runs[0], "op");
	struct np_causes causes;
	const bool explains = runs[0].results != NULL &&
			      np_causes_derive(runs[0].results, 0, &causes) == 0;
	size_t length = 0;

	if (options->title != NULL) {
		snprintf(picture->title, sizeof(picture->title), "%s", options->title);
	} else if (count == 1) {
		const char *what = explains   ? np_cause_text(causes.verdict) :
				   op != NULL ? op :
						"";

		snprintf(picture->title, sizeof(picture->title), "%s%s%s", runs[0].name,
			 *what != '\0' ? ", " : "", what);
	} else if (compares) {
		snprintf(picture->title, sizeof(picture->title), "%s: before and after",
			 runs[0].name);
	} else {
		/* Each name once. */
		for (size_t i = 0; i < count; i++) {
			if (i != 0 && strstr(picture->title, runs[i].name) != NULL)
				continue;
			snprintf(picture->title + length, sizeof(picture->title) - length,
				 "%s%s", i != 0 ? " and " : "", runs[i].name);
			length = strlen(picture->title);
		}
	}
}

/* Writes CPU and kernel, if all files have the same CPU; the date too, if there is one
 * file. */
static void name_machine(const struct np_run *runs, size_t count, char *text, size_t size)
{
	const char *cpu = np_facts_find(&runs[0].hosts[0], "cpu");
	const char *kernel = np_facts_find(&runs[0].hosts[0], "kernel");
	const char *date = np_facts_find(&runs[0].hosts[0], "date");

	for (size_t i = 1; i < count && cpu != NULL; i++) {
		const char *other = np_facts_find(&runs[i].hosts[0], "cpu");

		cpu = other != NULL && strcmp(cpu, other) == 0 ? cpu : NULL;
	}
	if (cpu != NULL && kernel != NULL)
		snprintf(text, size, "%.50s, %.40s%s%.30s", cpu, kernel,
			 count == 1 && date != NULL ? ", " : "",
			 count == 1 && date != NULL ? date : "");
}

/* Appends a line to a text of several; one that does not fit is cut. */
static void add_line(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void add_line(char *text, size_t size, const char *format, ...)
{
	size_t at = strlen(text);
	va_list arguments;

	if (at != 0 && at + 2 < size)
		text[at++] = '\n';
	va_start(arguments, format);
	vsnprintf(text + at, size - at, format, arguments);
	va_end(arguments);
}

/* Returns the run of the worst quality; grades sort as POOR, fair, good. */
static const struct np_run *worst_of(const struct np_run *runs, size_t count)
{
	char text[NP_QUALITY_TEXT], worst[NP_QUALITY_TEXT] = "good";
	const struct np_run *found = runs;

	for (size_t i = 0; i < count; i++) {
		if (np_run_quality(&runs[i], text, sizeof(text)) && text[0] < worst[0]) {
			memcpy(worst, text, sizeof(worst));
			found = &runs[i];
		}
	}
	return found;
}

/* Adds the quality of `judged`, and program, options and hosts of a run; label: prefix of
 * each line, "" for a single run. */
static void describe_run(struct np_figure *figure, const struct np_run *run,
			 const struct np_run *judged, const char *label)
{
	const char *version = np_run_text(run, "version"),
		   *given = np_run_text(run, "given");
	const char *host[2], *core[2];
	char quality[NP_QUALITY_TEXT], cores[2][32] = { "", "" };

	if (np_run_quality(judged, quality, sizeof(quality)))
		add_line(figure->quality, sizeof(figure->quality), "%squality %s", label,
			 quality);
	if (run->header == NULL)
		return;
	for (size_t rank = 0; rank < 2; rank++) {
		host[rank] = np_facts_find(&run->hosts[rank], "host");
		core[rank] = np_facts_find(&run->hosts[rank], "core");
		if (core[rank] != NULL)
			snprintf(cores[rank], sizeof(cores[rank]), " core %.20s",
				 core[rank]);
	}
	add_line(figure->made, sizeof(figure->made), "%s%s%s%s%s%.400s", label,
		 np_run_text(run, "program") != NULL ? np_run_text(run, "program") : "",
		 version != NULL ? " " : "", version != NULL ? version : "",
		 given != NULL && *given != '\0' ? " " : "", given != NULL ? given : "");
	if (host[0] != NULL && host[1] != NULL)
		add_line(figure->made, sizeof(figure->made), "%s%s%s to %s%s", label,
			 host[0], cores[0], host[1], cores[1]);
}

/* Describes the first runs, those of a comparison by side. */
static void describe_runs(struct np_figure *figure, const struct np_run *runs, size_t count,
			  const struct np_compared_sides *sides)
{
	enum { DESCRIBED = 4 };
	const size_t first_count = sides != NULL ? sides->first_count : 0;
	char name[280], label[300] = "";

	for (size_t i = 0, described = 0; i < count; i++) {
		/* First file of each side, with the worst quality of the side. */
		if (described == DESCRIBED || (sides != NULL && i != 0 && i != first_count))
			continue;
		described++;
		np_picture_label(runs, count, i, "", name, sizeof(name));
		const size_t side = sides == NULL ? 1 :
				    i == 0	  ? first_count :
						    count - first_count;

		if (sides != NULL)
			snprintf(label, sizeof(label), i == 0 ? "before: " : "after: ");
		else if (count > 1)
			snprintf(label, sizeof(label), "%s: ", name);
		describe_run(figure, &runs[i], worst_of(&runs[i], side), label);
	}
}

/* True if a point has an interval. */
static bool has_bars(const struct np_figure *figure)
{
	bool any = false;

	for (size_t i = 0; i < figure->panel_count; i++) {
		for (size_t k = 0; k < figure->panels[i].count; k++) {
			const struct np_line *line = &figure->panels[i].lines[k];

			for (size_t d = 0; d < line->count; d++)
				any |= line->dots[d].low < line->dots[d].high;
		}
	}
	return any;
}

/* Writes the meaning of bars, unless the maker of the figure has. */
static void name_bars(struct np_figure *figure, const struct np_run *run)
{
	if (run->header == NULL || figure->bars_mean[0] != '\0' || figure->pairs != NULL)
		return;
	if (!has_bars(figure))
		snprintf(figure->bars_mean, sizeof(figure->bars_mean),
			 "no bars: too few passes or runs for an interval");
	else if (run->runs_are_units)
		snprintf(figure->bars_mean, sizeof(figure->bars_mean),
			 "bars: 95 %% interval of the median over %zu runs", run->runs);
	else
		snprintf(figure->bars_mean, sizeof(figure->bars_mean),
			 "bars: scatter of the passes (95 %% interval of the median); "
			 "another "
			 "run may lie outside");
}

static void make_runs(struct np_picture *picture, const struct np_picture_options *options,
		      const struct np_run *runs, struct np_analysis *const *analyses,
		      size_t count, bool *failed)
{
	struct np_figure figure;

	for (size_t i = 0; i < count; i++) {
		const size_t variants =
			runs[i].results == NULL ? 0 : runs[i].results->variant_count;

		for (size_t k = 0; k < (variants != 0 ? variants : 1); k++) {
			figure = (struct np_figure){ .failed = false };
			cost_figure(&figure, &runs[i], k);
			keep(picture, &figure, failed);
		}
	}
	figure = (struct np_figure){ .failed = false };
	np_curves_figure(&figure, options, runs, analyses, count);
	keep(picture, &figure, failed);
	figure = (struct np_figure){ .failed = false };
	tail_figure(&figure, runs, count);
	keep(picture, &figure, failed);
	figure = (struct np_figure){ .failed = false };
	np_sweep_figure(&figure, runs, count);
	keep(picture, &figure, failed);
	const struct np_run *record = np_reuse_record(runs, count);

	if (record != NULL) {
		figure = (struct np_figure){ .failed = false };
		np_reuse_figure(&figure, record->uses, np_reuse_capacity(runs, count));
		keep(picture, &figure, failed);
	}
	for (size_t i = 0; i < count; i++) {
		if (runs[i].pairs == NULL)
			continue;
		figure = (struct np_figure){ .failed = false };
		np_heat_figure(&figure, runs[i].pairs, runs[i].name);
		keep(picture, &figure, failed);
	}
}

/* Makes the figure of a comparison; its subtitle counts the verdicts. */
static void make_comparison(struct np_picture *picture,
			    const struct np_compared_sides *sides, bool *failed)
{
	struct np_figure figure = { .failed = false };
	FILE *stream = fmemopen(figure.subtitle, sizeof(figure.subtitle), "w");

	if (stream != NULL) {
		np_text_verdicts(stream, sides->result);
		fclose(stream);
	}
	np_comparison_figure(&figure, sides);
	keep(picture, &figure, failed);
}

/* Returns the most figures possible: bars for each variant, pairs, curves, tails, a sweep.
 */
static size_t most_figures(const struct np_run *runs, size_t count)
{
	size_t most = 4;

	for (size_t i = 0; i < count; i++)
		most += 2 + (runs[i].results != NULL ? runs[i].results->variant_count : 0);
	return most;
}

int np_picture_make(struct np_picture *picture, const struct np_picture_options *options,
		    const struct np_run *runs, struct np_analysis *const *analyses,
		    size_t count, const struct np_compared_sides *sides,
		    struct np_error *error)
{
	bool failed = false;

	*picture = (struct np_picture){ .figures = calloc(most_figures(runs, count),
							  sizeof(*picture->figures)) };
	if (picture->figures == NULL)
		return np_fail_errno(error, ENOMEM, "cannot make a picture");
	name_picture(picture, options, runs, count, sides != NULL);
	if (sides != NULL)
		make_comparison(picture, sides, &failed);
	else
		make_runs(picture, options, runs, analyses, count, &failed);
	if (failed)
		return np_fail_errno(error, ENOMEM, "cannot make a picture");
	if (picture->count == 0)
		return np_fail(error, NP_ERROR_FAILED, ENODATA, "there is nothing to %s",
			       options->signature ? "draw over time: no rate" : "draw");
	for (size_t i = 0; i < picture->count; i++) {
		struct np_figure *figure = &picture->figures[i];

		if (figure->title[0] == '\0' || (i == 0 && options->title != NULL))
			snprintf(figure->title, sizeof(figure->title), "%s",
				 picture->title);
		if (figure->subtitle[0] == '\0')
			name_machine(runs, count, figure->subtitle,
				     sizeof(figure->subtitle));
		describe_runs(figure, runs, count, sides);
		name_bars(figure, &runs[0]);
	}
	return 0;
}

void np_picture_free(struct np_picture *picture)
{
	for (size_t i = 0; i < picture->count; i++)
		np_figure_free(&picture->figures[i]);
	free(picture->figures);
	*picture = (struct np_picture){ .count = 0 };
}

/* ---- The file of --plot ------------------------------------------------------------- */

extern char **environ;

enum format { FORMAT_SVG, FORMAT_PNG, FORMAT_PDF, FORMATS };

static enum format format_of(const char *path)
{
	static const char *const endings[FORMATS] = { ".svg", ".png", ".pdf" };
	const size_t length = strlen(path);
	size_t at = 0;

	while (at < FORMATS &&
	       (length <= 4 || strcasecmp(path + length - 4, endings[at]) != 0))
		at++;
	return (enum format)at;
}

int np_picture_check(const char *path, struct np_error *error)
{
	if (format_of(path) != FORMATS)
		return 0;
	return np_refuse(error,
			 "'--plot %.200s': a picture's name ends in .png, .svg or .pdf",
			 path);
}

/* Starts rsvg-convert.  Returns 0 or -errno. */
static int start(FILE *svg, FILE *drawn, enum format format, pid_t *child)
{
	char *const png[] = { (char[]){ "rsvg-convert" }, (char[]){ "--format=png" },
			      (char[]){ "--zoom=2" }, NULL };
	char *const pdf[] = { (char[]){ "rsvg-convert" }, (char[]){ "--format=pdf" },
			      NULL };
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc != 0)
		return -rc;
	rewind(svg);
	/* tmpfile() has no flag for close-on-exec; the duplicates that dup2() makes stay
	 * open. */
	fcntl(fileno(svg), F_SETFD, FD_CLOEXEC);
	fcntl(fileno(drawn), F_SETFD, FD_CLOEXEC);
	rc = posix_spawn_file_actions_adddup2(&actions, fileno(svg), STDIN_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&actions, fileno(drawn),
						      STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawnp(child, "rsvg-convert", &actions, NULL,
				  format == FORMAT_PNG ? png : pdf, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

static int convert(FILE *svg, FILE *drawn, enum format format, struct np_error *error)
{
	pid_t child = -1;
	int status = 0;
	const int rc = start(svg, drawn, format, &child);

	if (rc == -ENOENT)
		return np_fail(
			error, NP_ERROR_FAILED, ENOENT,
			"--plot needs rsvg-convert for a .png or .pdf, and it is not "
			"installed (Debian: librsvg2-bin); a .svg needs nothing");
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot start rsvg-convert");
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return np_fail_errno(error, errno, "cannot wait for rsvg-convert");
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return np_fail(error, NP_ERROR_FAILED, EIO,
			       "rsvg-convert failed: its message is above");
	return 0;
}

/* Draws, converts and writes, in this order: an existing file stays until all is done. */
static int write_converted(const struct np_picture *picture, enum format format, FILE *to,
			   struct np_error *error)
{
	FILE *svg = tmpfile(), *drawn = tmpfile();
	char bytes[1 << 14];
	size_t count;
	int rc = svg == NULL || drawn == NULL ? -errno : 0;

	if (rc == 0)
		rc = np_svg_write(svg, picture->figures, picture->count, NP_SVG_WIDTH);
	if (rc == 0 && fflush(svg) != 0)
		rc = -errno;
	rc = rc != 0 ? np_fail_errno(error, rc, "cannot draw the picture") :
		       convert(svg, drawn, format, error);
	if (rc == 0)
		rewind(drawn);
	while (rc == 0 && (count = fread(bytes, 1, sizeof(bytes), drawn)) != 0) {
		if (fwrite(bytes, 1, count, to) != count)
			rc = np_fail_errno(error, errno, "cannot write the picture");
	}
	if (svg != NULL)
		fclose(svg);
	if (drawn != NULL)
		fclose(drawn);
	return rc;
}

int np_picture_write(const struct np_picture *picture, const char *path, bool force,
		     struct np_error *error)
{
	const enum format format = format_of(path);
	struct np_new_file made;
	int rc = np_new_file_open(&made, path, force, error);

	if (rc != 0)
		return rc;
	if (format != FORMAT_SVG)
		rc = write_converted(picture, format, made.file, error);
	else
		rc = np_svg_write(made.file, picture->figures, picture->count,
				  NP_SVG_WIDTH);
	if (rc != 0 && error->code == 0)
		np_fail_errno(error, rc, "cannot write '%.200s'", path);
	return np_new_file_close(&made, rc, error);
}
