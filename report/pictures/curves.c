/*
 * curves.c - makes the figure of curves: panels of bandwidth, of time, and of ratios with
 * their intervals, and marks of steps and dropouts.
 */
#include "report/pictures/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/text/text.h"

/* ---- Names of curves, and marks of their steps and dropouts ------------------------- */

/* A curve that is drawn: not the control, and with a time at some size. */
struct named_curve {
	char label[256];
	size_t style, run; /* run: index in the array of runs */
	const struct np_series *series;
	const struct np_analysis *analysis;
};

/* Most marks of a figure; those of the largest effect are kept. */
enum { MARKS_MOST = 8 };

/* True if a curve can be drawn: even one whose sizes are all in another host state, and so
 * are not analysed. */
static bool has_times(const struct np_series *series)
{
	for (size_t i = 0; i < series->count; i++) {
		if (series->points[i].median_s > 0)
			return true;
	}
	return false;
}

/* Returns the curves of all runs, to be freed; NULL without memory.  A run of --why at one
 * size has bars, and no curve. */
static struct named_curve *name_curves(const struct np_run *runs,
				       struct np_analysis *const *analyses, size_t count,
				       size_t *curve_count)
{
	size_t most = 0;
	char inner[3 * NP_LABEL];

	for (size_t i = 0; i < count; i++)
		most += runs[i].series_count;
	struct named_curve *curves = calloc(most + 1, sizeof(*curves));

	for (size_t i = 0; curves != NULL && i < count; i++) {
		for (size_t k = 0; k < runs[i].series_count; k++) {
			const struct np_series *series = &runs[i].series[k];
			struct named_curve *curve = &curves[*curve_count];

			if (!has_times(series) || np_series_is_control(series) ||
			    (series->count == 1 && np_run_explains(&runs[i])))
				continue;
			*curve = (struct named_curve){ .style = *curve_count,
						       .run = i,
						       .series = series,
						       .analysis = &analyses[i][k] };
			np_series_label(&runs[i], series, inner, sizeof(inner));
			np_picture_label(runs, count, i, inner, curve->label,
					 sizeof(curve->label));
			++*curve_count;
		}
	}
	return curves;
}

/* Adds a mark over bytes[0] to bytes[1]; effect: ratio of times.  Marks of several curves
 * at one place become one, of the largest effect, in the colour of text. */
static void add_mark(struct np_figure *figure, enum np_mark_kind kind, size_t style,
		     const size_t bytes[2], double effect, bool once)
{
	const bool step = kind == NP_MARK_STEP;
	/* Widen dropouts, so that one size can be seen. */
	const double widen = step ? 1 : 1.06;
	const double low = np_picture_size(bytes[0]) / widen,
		     high = np_picture_size(bytes[1]) * widen;
	const double middle = sqrt(low * high);
	char from[40], to[40];

	for (size_t i = 0; i < figure->mark_count; i++) {
		struct np_mark *mark = &figure->marks[i];

		if (mark->kind != kind ||
		    fabs(log(sqrt(mark->low * mark->high) / middle)) > 1e-6)
			continue;
		mark->style = mark->style == style ? style : NP_STYLES;
		if (fabs(log(effect)) <= mark->weight)
			return;
		figure->marks[i] = figure->marks[--figure->mark_count];
		style = NP_STYLES;
		break;
	}
	struct np_mark *mark = np_figure_mark(figure);
	if (mark == NULL)
		return;
	mark->kind = kind;
	mark->low = step ? middle : low;
	mark->high = step ? middle : high;
	mark->style = style;
	mark->weight = fabs(log(effect));
	np_text_length((double)bytes[0], from, sizeof(from));
	np_text_length((double)bytes[1], to, sizeof(to));
	snprintf(mark->label, sizeof(mark->label), "%s %s%s%s: %.2fx%s",
		 step ? "step" : "dropout", from, bytes[0] == bytes[1] ? "" : " to ",
		 bytes[0] == bytes[1] ? "" : to, effect, once ? ", single run" : "");
}

/* True if --refine has found a significant step within this break. */
static bool is_pinned(const struct np_run *run, const struct np_break *at)
{
	for (size_t i = 0; i < run->refined_count; i++) {
		const struct np_confirmed *found = &run->refined[i];

		if (found->sure && found->kind == NP_CONFIRMED_STEP &&
		    found->high > at->bytes_low && found->high <= at->bytes_high)
			return true;
	}
	return false;
}

static void mark_breaks(struct np_figure *figure, const struct np_run *run,
			const struct named_curve *curve)
{
	const struct np_shape *shape = &curve->analysis->shape;

	for (size_t i = 0; i < shape->break_count; i++) {
		const struct np_break *at = &shape->breaks[i];
		const size_t bytes[2] = { at->bytes_low, at->bytes_high };

		if (!at->sure)
			continue;
		if (at->kind == NP_BREAK_STEP && !is_pinned(run, at))
			add_mark(figure, NP_MARK_STEP, curve->style, bytes, at->effect,
				 curve->analysis->once);
		else if (at->kind == NP_BREAK_DROPOUT && at->effect > 1)
			add_mark(figure, NP_MARK_DROPOUT, curve->style, bytes, at->effect,
				 curve->analysis->once);
	}
}

/* Marks steps and dropouts of --refine, to the byte. */
static void mark_pinned(struct np_figure *figure, const struct np_run *run,
			const struct named_curve *curve)
{
	for (size_t i = 0; i < run->refined_count; i++) {
		const struct np_confirmed *found = &run->refined[i];
		const size_t bytes[2] = { found->low, found->high };

		if (!found->sure ||
		    strcmp(np_mode_name(found->mode), curve->series->mode) != 0)
			continue;
		if (found->kind == NP_CONFIRMED_STEP)
			add_mark(figure, NP_MARK_STEP, curve->style, bytes, found->effect,
				 false);
		else if (found->effect > 1)
			add_mark(figure, NP_MARK_DROPOUT, curve->style, bytes,
				 found->effect, false);
	}
}

static int by_weight(const void *one, const void *other)
{
	const struct np_mark *a = one, *b = other;

	return (a->weight < b->weight) - (a->weight > b->weight);
}

static int by_place(const void *one, const void *other)
{
	const struct np_mark *a = one, *b = other;

	return (a->low > b->low) - (a->low < b->low);
}

void np_marks_sort(struct np_figure *figure)
{
	if (figure->mark_count > MARKS_MOST) {
		const size_t more = figure->mark_count - MARKS_MOST;

		qsort(figure->marks, figure->mark_count, sizeof(*figure->marks), by_weight);
		np_figure_note(figure, "%zu smaller step%s or dropout%s not marked here",
			       more, np_plural(more), np_plural(more));
		figure->mark_count = MARKS_MOST;
	}
	if (figure->mark_count != 0)
		qsort(figure->marks, figure->mark_count, sizeof(*figure->marks), by_place);
}

static void add_marks(struct np_figure *figure, const struct np_run *runs,
		      const struct named_curve *curves, size_t curve_count)
{
	for (size_t i = 0; i < curve_count; i++) {
		const struct np_run *run = &runs[curves[i].run];

		mark_breaks(figure, run, &curves[i]);
		mark_pinned(figure, run, &curves[i]);
	}
	np_marks_sort(figure);
}

/* ---- Ratios by size; filled shapes are significant ---------------------------------- */

enum { LOW = 180 };

/* True if a significant step lies between the sizes low and high, bytes. */
static bool has_step(const struct np_analysis *analysis, size_t low, size_t high)
{
	for (size_t i = 0; i < analysis->shape.break_count; i++) {
		const struct np_break *at = &analysis->shape.breaks[i];

		if (at->kind == NP_BREAK_STEP && at->sure && low < at->bytes_high &&
		    high >= at->bytes_high)
			return true;
	}
	return false;
}

void np_ratio_dot(struct np_figure *figure, struct np_panel *panel, struct np_line *line,
		  const struct np_pair *ratio, bool detached)
{
	const bool judged = ratio->verdict != NP_VERDICTS;
	char bytes[40], interval[64] = "";

	np_text_length((double)ratio->length, bytes, sizeof(bytes));
	if (!isnan(ratio->low))
		snprintf(interval, sizeof(interval), " [%.3f, %.3f]", ratio->low,
			 ratio->high);
	np_line_dot(
		figure, panel, line,
		(struct np_dot){ .x = np_picture_size(ratio->length),
				 .y = ratio->ratio,
				 .low = ratio->low,
				 .high = ratio->high,
				 .detached = detached,
				 .open = judged && !np_verdict_is_sure(ratio->verdict),
				 .text = np_text_of(
					 "%s\n%s\n%.3f%s%s%s", line->label, bytes,
					 ratio->ratio, interval, judged ? "\n" : "",
					 judged ? np_verdict_word(ratio->verdict) : "") });
}

void np_ratio_axis(struct np_panel *panel)
{
	if (panel->rule_count == 0)
		np_panel_rule(panel, 1, "");
	panel->open_means = "open ratio: not significant";
	np_axis_margin(&panel->y, 0.08, 0.08);
}

/* Returns the style of the first curve of a run.  A list of ratios has the style of its
 * numerator: rotate/reuse that of rotate, which follows reuse. */
static size_t first_style(const struct named_curve *curves, size_t curve_count, size_t run)
{
	for (size_t i = 0; i < curve_count; i++) {
		if (curves[i].run == run)
			return curves[i].style;
	}
	return 0;
}

/* Returns the width of the range that holds 1 and all ratios of a run. */
static double range_of(const struct np_run *run)
{
	double low = 1, high = 1;

	for (size_t i = 0; i < run->ratios_count; i++) {
		for (size_t k = 0; k < run->ratios[i].count; k++) {
			low = fmin(low, run->ratios[i].ratios[k].ratio);
			high = fmax(high, run->ratios[i].ratios[k].ratio);
		}
	}
	return high - low;
}

/* True if the ranges of ratios of two runs differ by a factor of 10 or more: on a common
 * axis one would look flat. */
static bool are_far_apart(const struct np_run *runs, size_t count)
{
	double least = (double)INFINITY, most = 0;

	for (size_t i = 0; i < count; i++) {
		if (runs[i].ratios_count == 0)
			continue;
		least = fmin(least, fmax(range_of(&runs[i]), 0.01));
		most = fmax(most, range_of(&runs[i]));
	}
	return most >= 10 * least;
}

static bool any_steps(const struct named_curve *curves, size_t curve_count, size_t run,
		      size_t low, size_t high)
{
	for (size_t i = 0; i < curve_count; i++) {
		if (curves[i].run == run && has_step(curves[i].analysis, low, high))
			return true;
	}
	return false;
}

static void add_list(struct np_figure *figure, struct np_panel *panel, struct np_line *line,
		     const struct np_ratio_list *list, size_t run,
		     const struct named_curve *curves, size_t curve_count)
{
	for (size_t i = 0; line != NULL && i < list->count; i++) {
		const struct np_pair *ratio = &list->ratios[i];

		np_ratio_dot(figure, panel, line, ratio,
			     i != 0 && any_steps(curves, curve_count, run, ratio[-1].length,
						 ratio->length));
	}
}

/* Adds a panel; its title names the ratio if all runs have the same. */
static struct np_panel *add_panel(struct np_figure *figure, const struct np_run *runs,
				  size_t count)
{
	char title[3 * NP_LABEL + 32] = "time ratio", of[3 * NP_LABEL] = "",
				  other[3 * NP_LABEL];
	bool same = true;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < runs[i].ratios_count; k++) {
			np_ratio_label(&runs[i].ratios[k], other, sizeof(other));
			same = same && (*of == '\0' || strcmp(of, other) == 0);
			memcpy(of, other, sizeof(of));
		}
	}
	if (same && *of != '\0')
		snprintf(title, sizeof(title), "time ratio %s", of);
	return np_figure_panel(figure, LOW, NP_SCALE_RATIO, title);
}

/* Adds panels of ratios: one, or one for each run if they differ much. */
static void add_ratios(struct np_figure *figure, const struct np_run *runs,
		       const struct named_curve *curves, size_t curve_count, size_t count)
{
	const bool separate = are_far_apart(runs, count);
	struct np_panel *panel = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct np_run *run = &runs[i];
		const size_t style = first_style(curves, curve_count, i);

		if (run->ratios_count == 0)
			continue;
		if (panel != NULL && separate)
			np_ratio_axis(panel);
		if (panel == NULL || separate)
			panel = add_panel(figure, runs, count);
		for (size_t k = 0; panel != NULL && k < run->ratios_count; k++) {
			const struct np_ratio_list *list = &run->ratios[k];
			char inner[3 * NP_LABEL], label[256];

			np_ratio_label(list, inner, sizeof(inner));
			np_picture_label(runs, count, i, inner, label, sizeof(label));
			add_list(figure, panel,
				 np_panel_line(figure, panel, style + 1 + k, label), list,
				 i, curves, curve_count);
		}
	}
	if (panel != NULL)
		np_ratio_axis(panel);
}

/* ---- Bandwidth and time ------------------------------------------------------------- */

/* Ratio of peak bandwidths above which the axis is logarithmic. */
static const double far_apart = 10;

enum { TALL = 250, SIGNATURE = 420 };

double np_picture_size(size_t length)
{
	return length != 0 ? (double)length : 0.5;
}

/* Writes the name of a run, with its file if another run has the same name. */
static void name_of(const struct np_run *runs, size_t count, size_t at, char *name,
		    size_t size)
{
	const char *slash = strrchr(runs[at].path, '/');
	bool same = false;

	for (size_t i = 0; i < count; i++)
		same = same || (i != at && strcmp(runs[i].name, runs[at].name) == 0);
	snprintf(name, size, "%s%s%s", runs[at].name, same ? ": " : "",
		 !same	       ? "" :
		 slash != NULL ? slash + 1 :
				 runs[at].path);
}

void np_picture_label(const struct np_run *runs, size_t count, size_t at, const char *inner,
		      char *label, size_t size)
{
	char name[400];

	name_of(runs, count, at, name, sizeof(name));
	if (count == 1 && *inner != '\0')
		snprintf(label, size, "%s", inner);
	else if (*inner != '\0')
		snprintf(label, size, "%.190s, %.60s", name, inner);
	else
		snprintf(label, size, "%.250s", name);
}

/* Bandwidth, Mbit/s, of a message of `length` bytes in `seconds`; NAN for 0 bytes and for
 * collectives. */
static double rate_of(const struct np_series *series, size_t length, double seconds)
{
	if (length == 0 || np_op_is_collective(series->op))
		return (double)NAN;
	return np_op_directions(series->op) * 8 * (double)length / seconds / 1e6;
}

/* A point to draw: one of the analysis or, if `aside`, a row in another host state, which
 * is not analysed. */
struct drawn {
	struct np_point point;
	bool aside;
};

static char *describe(const char *label, const struct np_series *series,
		      const struct drawn *drawn)
{
	const struct np_point *point = &drawn->point;
	char bytes[40], time[40], low[40], high[40], rate[40], interval[96] = "";
	const double mbps = rate_of(series, point->bytes, point->seconds);

	np_text_length((double)point->bytes, bytes, sizeof(bytes));
	np_text_seconds(point->seconds, time, sizeof(time));
	np_text_mbps(mbps, rate, sizeof(rate));
	if (np_point_has_interval(point)) {
		np_text_seconds(point->low, low, sizeof(low));
		np_text_seconds(point->high, high, sizeof(high));
		snprintf(interval, sizeof(interval), " [%s, %s]", low, high);
	}
	return np_text_of("%s\n%s (%zu bytes)\n%s%s%s%s%s", label, bytes, point->bytes,
			  time, interval, isnan(mbps) ? "" : "\n", isnan(mbps) ? "" : rate,
			  drawn->aside ? "\ntoo little in the usual host state" : "");
}

/* Finds the next point to draw, and advances the index of rows, *at, and of analysed
 * points, *next.  Returns false at the end of the curve. */
static bool take_next(const struct named_curve *curve, size_t *at, size_t *next,
		      struct drawn *drawn)
{
	const struct np_analysis *analysis = curve->analysis;

	while (*at < curve->series->count) {
		const struct np_row *row = &curve->series->points[(*at)++];

		if (*next < analysis->count &&
		    analysis->points[*next].bytes == row->length) {
			*drawn = (struct drawn){ .point = analysis->points[(*next)++] };
			return true;
		}
		if ((row->flags & NP_ROW_OTHER_STATE) != 0 && row->median_s > 0) {
			*drawn = (struct drawn){ .point = { .bytes = row->length,
							    .seconds = row->median_s,
							    .low = row->ci_low_s,
							    .high = row->ci_high_s },
						 .aside = true };
			return true;
		}
	}
	return false;
}

enum figure { FIGURE_RATE, FIGURE_TIME, FIGURE_SIGNATURE };

/* Returns a point without its tooltip.  unit: Mbit/s of a unit of the axis of bandwidth; y
 * is NAN without a bandwidth. */
static struct np_dot dot_of(const struct named_curve *curve, const struct drawn *drawn,
			    enum figure kind, double unit)
{
	const struct np_point *point = &drawn->point;
	const bool known = np_point_has_interval(point) && point->low > 0;
	struct np_dot dot = { .x = kind == FIGURE_SIGNATURE ? point->seconds * 1e6 :
							      np_picture_size(point->bytes),
			      .y = point->seconds * 1e6,
			      .low = known ? point->low * 1e6 : (double)NAN,
			      .high = known ? point->high * 1e6 : (double)NAN,
			      .open = drawn->aside,
			      .aside = drawn->aside };

	if (kind != FIGURE_TIME) {
		const double low = dot.low;

		dot.y = rate_of(curve->series, point->bytes, point->seconds) / unit;
		dot.low = rate_of(curve->series, point->bytes, dot.high / 1e6) / unit;
		dot.high = rate_of(curve->series, point->bytes, low / 1e6) / unit;
	}
	return dot;
}

static void add_curve(struct np_figure *figure, struct np_panel *panel,
		      const struct named_curve *curve, enum figure kind, double unit)
{
	struct np_line *line = np_panel_line(figure, panel, curve->style, curve->label);
	struct drawn drawn;
	size_t at = 0, next = 0, before = 0;

	panel->open_means = "open: too few measurements in the usual host state";
	while (line != NULL && take_next(curve, &at, &next, &drawn)) {
		struct np_dot dot = dot_of(curve, &drawn, kind, unit);

		if (isnan(dot.y))
			continue;
		dot.detached =
			before != 0 && has_step(curve->analysis, before, drawn.point.bytes);
		if (!drawn.aside)
			before = drawn.point.bytes;
		dot.text = describe(curve->label, curve->series, &drawn);
		np_line_dot(figure, panel, line, dot);
	}
}

/* Returns the highest rate of a curve, Mbit/s. */
static double peak_of(const struct named_curve *curve)
{
	struct drawn drawn;
	double peak = 0;
	size_t at = 0, next = 0;

	while (take_next(curve, &at, &next, &drawn))
		peak = fmax(peak,
			    rate_of(curve->series, drawn.point.bytes, drawn.point.seconds));
	return peak;
}

/* Adds the panel of bandwidth, if a curve has one; linear from 0 unless peaks are far
 * apart. */
static void add_rates(struct np_figure *figure, const struct np_picture_options *options,
		      const struct named_curve *curves, size_t count)
{
	double most = 0, least = (double)INFINITY;
	char label[64];

	for (size_t i = 0; i < count; i++) {
		const double peak = peak_of(&curves[i]);

		most = fmax(most, peak);
		least = peak > 0 ? fmin(least, peak) : least;
	}
	if (!(most > 0))
		return;
	const bool giga = fmax(most, options->upper_bound) >= 2000;
	const double unit = giga ? 1000 : 1;
	struct np_panel *panel =
		np_figure_panel(figure, options->signature ? SIGNATURE : TALL,
				most > far_apart * least ? NP_SCALE_LOG : NP_SCALE_LINEAR,
				giga ? "bandwidth, Gbit/s" : "bandwidth, Mbit/s");
	if (panel == NULL)
		return;
	for (size_t i = 0; i < count; i++)
		add_curve(figure, panel, &curves[i],
			  options->signature ? FIGURE_SIGNATURE : FIGURE_RATE, unit);
	if (options->upper_bound > 0) {
		snprintf(label, sizeof(label), "upper bound, %g %s",
			 options->upper_bound / unit, giga ? "Gbit/s" : "Mbit/s");
		np_panel_rule(panel, options->upper_bound / unit, label);
	}
	np_axis_include(&panel->y, 0);
	np_axis_margin(&panel->y, panel->y.scale == NP_SCALE_LOG ? 0.05 : 0, 0.06);
}

static void add_times(struct np_figure *figure, const struct named_curve *curves,
		      size_t count)
{
	struct np_panel *panel =
		np_figure_panel(figure, TALL, NP_SCALE_LOG, "time of a message, us");

	for (size_t i = 0; panel != NULL && i < count; i++)
		add_curve(figure, panel, &curves[i], FIGURE_TIME, 1);
	if (panel != NULL)
		np_axis_margin(&panel->y, 0.05, 0.06);
}

void np_curves_figure(struct np_figure *figure, const struct np_picture_options *options,
		      const struct np_run *runs, struct np_analysis *const *analyses,
		      size_t count)
{
	size_t curve_count = 0;
	struct named_curve *curves = name_curves(runs, analyses, count, &curve_count);

	figure->failed |= curves == NULL;
	figure->x = (struct np_chart_axis){ .scale = options->signature ? NP_SCALE_LOG :
									  NP_SCALE_POWERS,
					    .low = 1 };
	snprintf(figure->x.title, sizeof(figure->x.title), "%s",
		 options->signature ? "time of a message, us" : "message size, bytes");
	if (curves != NULL && curve_count != 0) {
		add_rates(figure, options, curves, curve_count);
		if (!options->signature) {
			add_times(figure, curves, curve_count);
			add_ratios(figure, runs, curves, curve_count, count);
			add_marks(figure, runs, curves, curve_count);
		}
		np_axis_margin(&figure->x, 0.02, 0.02);
	}
	free(curves);
}
