/*
 * curves.c - panels of bandwidth and of time; those of ratios are in curve_ratios.c.
 */
#include "report/pictures/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/text.h"

/* Ratio of peaks above which curves do not share a linear axis. */
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

/* Mbit/s of seconds for a message of this series; NAN without a rate. */
static double rate_of(const struct np_series *series, size_t length, double seconds)
{
	if (length == 0 || np_op_is_collective(series->op))
		return (double)NAN;
	return np_op_directions(series->op) * 8 * (double)length / seconds / 1e6;
}

/* A time that is drawn: of the analysis, or of a row in another host state. */
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

bool np_curve_steps(const struct np_analysis *analysis, size_t low, size_t high)
{
	for (size_t i = 0; i < analysis->shape.break_count; i++) {
		const struct np_break *at = &analysis->shape.breaks[i];

		if (at->kind == NP_BREAK_STEP && at->sure && low < at->bytes_high &&
		    high >= at->bytes_high)
			return true;
	}
	return false;
}

/* Takes the next point to draw, from row *at and analysed point *next on; false: none. */
static bool take_next(const struct np_named_curve *curve, size_t *at, size_t *next,
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

/* Returns a point without its text; y is NAN if it has no rate to be drawn. */
static struct np_dot dot_of(const struct np_named_curve *curve, const struct drawn *drawn,
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
		      const struct np_named_curve *curve, enum figure kind, double unit)
{
	struct np_line *line = np_panel_line(figure, panel, curve->style, curve->label);
	struct drawn drawn;
	size_t at = 0, next = 0, before = 0;

	panel->open_means = "open: too little in the usual host state";
	while (line != NULL && take_next(curve, &at, &next, &drawn)) {
		struct np_dot dot = dot_of(curve, &drawn, kind, unit);

		if (isnan(dot.y))
			continue;
		dot.apart = before != 0 &&
			    np_curve_steps(curve->analysis, before, drawn.point.bytes);
		if (!drawn.aside)
			before = drawn.point.bytes;
		dot.text = describe(curve->label, curve->series, &drawn);
		np_line_dot(figure, panel, line, dot);
	}
}

/* Returns the highest rate of a curve, Mbit/s. */
static double peak_of(const struct np_named_curve *curve)
{
	struct drawn drawn;
	double peak = 0;
	size_t at = 0, next = 0;

	while (take_next(curve, &at, &next, &drawn))
		peak = fmax(peak,
			    rate_of(curve->series, drawn.point.bytes, drawn.point.seconds));
	return peak;
}

/* Adds the panel of rates, linear from 0 unless peaks are far apart, if there are rates. */
static void add_rates(struct np_figure *figure, const struct np_picture_options *options,
		      const struct np_named_curve *curves, size_t count)
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

static void add_times(struct np_figure *figure, const struct np_named_curve *curves,
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
	struct np_named_curve *curves = np_curves_name(runs, analyses, count, &curve_count);

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
			np_curve_ratios(figure, runs, curves, curve_count, count);
			np_curve_marks(figure, runs, curves, curve_count);
		}
		np_axis_margin(&figure->x, 0.02, 0.02);
	}
	free(curves);
}
