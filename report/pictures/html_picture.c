/*
 * html_picture.c - curves over sizes as SVG, with a title on each point.
 */
#include <math.h>
#include <string.h>

#include "report/pictures/pictures.h"
#include "report/pictures/html_panel.h"
#include "report/text/text.h"

/* Heights of the panels, and the space for an axis between them. */
enum { TALL = 330, LOW = 200, GAP = 62 };

/* Markers differ in black and white: shapes, filled and open. */
static void draw_mark(FILE *file, double x, double y, size_t style)
{
	static const char *const shapes[NP_STYLES] = { "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
						       "m-3 -3h6v6h-6z",
						       "m0 -4l4 7h-8z",
						       "m0 -4l4 4l-4 4l-4 -4z",
						       "m-3 -3h6v6h-6z",
						       "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
						       "m0 -4l4 7h-8z" };
	static const bool open[NP_STYLES] = { false, true, false, true, false, true, true };
	const char *colour = np_style_colour(style);

	fprintf(file, "<path d=\"M%.1f %.1f%s\" fill=\"%s\" stroke=\"%s\"/>", x, y,
		shapes[np_style_marker(style)],
		open[np_style_marker(style)] ? "#fff" : colour, colour);
}

static const char *dash_of(size_t style)
{
	static const char *const dashes[NP_STYLES] = { "none", "9 3",  "2 2", "9 3 2 3",
						       "5 3",  "14 4", "1 4" };

	return dashes[np_style_dash(style)];
}

void np_html_line(FILE *file, size_t style)
{
	fprintf(file,
		"<path class=\"curve\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" "
		"stroke-dasharray=\"%s\" d=\"",
		np_style_colour(style), dash_of(style));
}

/* A point with its interval, and an area for the pointer. */
void np_html_point(FILE *file, const struct np_panel *panel, double x, double y, double low,
		   double high, size_t style)
{
	const double at = np_panel_x(panel, x);

	fprintf(file,
		"<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/><circle cx=\"%.1f\" "
		"cy=\"%.1f\" r=\"7\" fill=\"transparent\" stroke=\"none\"/>",
		at, np_panel_y(panel, low), np_panel_y(panel, high), np_style_colour(style),
		at, np_panel_y(panel, y));
	draw_mark(file, at, np_panel_y(panel, y), style);
	fputs("</g>\n", file);
}

static void title_point(FILE *file, const struct np_curve *curve,
			const struct np_point *point)
{
	char bytes[40], time[40], low[40], high[40], rate[40];

	np_text_length((double)point->bytes, bytes, sizeof(bytes));
	np_text_seconds(point->seconds, time, sizeof(time));
	np_text_mbps(np_series_rate(curve->series, point->bytes, point->seconds), rate,
		     sizeof(rate));
	np_html_between(file, "<g class=\"mark\"><title>", curve->label, "");
	fprintf(file, "\n%s (%zu bytes)\n%s", bytes, point->bytes, time);
	if (np_point_has_interval(point)) {
		np_text_seconds(point->low, low, sizeof(low));
		np_text_seconds(point->high, high, sizeof(high));
		fprintf(file, " [%s, %s]", low, high);
	}
	if (point->bytes != 0 && !np_op_is_collective(curve->series->op))
		fprintf(file, "\n%s", rate);
	fputs("</title>", file);
}

enum figure { FIGURE_RATE, FIGURE_TIME, FIGURE_SIGNATURE };

/* Coordinates of a point: x, y, low, high.  False if it has no rate. */
static bool figure_of(const struct np_picture *picture, const struct np_curve *curve,
		      const struct np_point *point, enum figure figure, double *values)
{
	double low, high;

	np_point_range(point, &low, &high);
	values[0] = figure == FIGURE_SIGNATURE ? point->seconds * 1e6 :
						 np_picture_size(point->bytes);
	if (figure == FIGURE_TIME) {
		values[1] = point->seconds * 1e6;
		values[2] = low * 1e6;
		values[3] = high * 1e6;
		return true;
	}
	values[1] = np_series_rate(curve->series, point->bytes, point->seconds) /
		    picture->rate_unit;
	values[2] = np_series_rate(curve->series, point->bytes, high) / picture->rate_unit;
	values[3] = np_series_rate(curve->series, point->bytes, low) / picture->rate_unit;
	return point->bytes != 0 && !np_op_is_collective(curve->series->op);
}

static void draw_ring(FILE *file, const struct np_panel *panel, double x, double y,
		      const char *radius, size_t style)
{
	fprintf(file,
		"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"none\" stroke=\"%s\"/>",
		np_panel_x(panel, x), np_panel_y(panel, y), radius, np_style_colour(style));
}

static void draw_curve(FILE *file, const struct np_panel *panel,
		       const struct np_picture *picture, size_t style, enum figure figure)
{
	const struct np_curve *curve = &picture->curves[style];
	double at[4];
	bool open = false;

	np_html_line(file, style);
	for (size_t i = 0; i < curve->analysis->count; i++) {
		const struct np_point *point = &curve->analysis->points[i];

		if (!figure_of(picture, curve, point, figure, at))
			continue;
		open = open && !np_curve_ends(curve->analysis, i);
		fprintf(file, "%s%.1f %.1f", open ? "L" : "M", np_panel_x(panel, at[0]),
			np_panel_y(panel, at[1]));
		open = true;
	}
	fputs("\"/>\n", file);
	for (size_t i = 0; i < curve->analysis->count; i++) {
		const struct np_point *point = &curve->analysis->points[i];

		if (!figure_of(picture, curve, point, figure, at))
			continue;
		title_point(file, curve, point);
		if (picture->overlay && np_curve_drops(curve->analysis, i))
			draw_ring(file, panel, at[0], at[1], "7", style);
		np_html_point(file, panel, at[0], at[1], at[2], at[3], style);
	}
}

void np_html_legend(FILE *file, double left, double top, const char *label, size_t style)
{
	fprintf(file,
		"<path d=\"M%.1f %.1fh36\" stroke=\"%s\" stroke-width=\"1.6\" "
		"stroke-dasharray=\"%s\"/>",
		left, top, np_style_colour(style), dash_of(style));
	draw_mark(file, left + 18, top, style);
	fputc('\n', file);
	np_panel_text(file, left + 44, top + 4, "start", label);
}

static void draw_shades(FILE *file, const struct np_panel *panel,
			const struct np_picture *picture)
{
	for (size_t i = 0; i < picture->dropout_count; i++) {
		const double left = np_panel_x(panel, picture->dropouts[i].low);

		fprintf(file,
			"<rect class=\"dropout\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			"height=\"%.1f\" "
			"fill=\"#d9d9d9\"><title>dropout%s</title></rect>\n",
			left, panel->top,
			np_panel_x(panel, picture->dropouts[i].high) - left, panel->height,
			picture->once ? ", measured once" : "");
	}
	for (size_t i = 0; i < picture->step_count; i++)
		fprintf(file,
			"<path class=\"step\" d=\"M%.1f %.1fv%.1f\" stroke=\"#808080\" "
			"stroke-dasharray=\"4 4\"><title>step%s</title></path>\n",
			np_panel_x(panel, picture->steps[i].low), panel->top, panel->height,
			picture->once ? ", measured once" : "");
}

static void draw_bound(FILE *file, const struct np_panel *panel,
		       const struct np_picture *picture)
{
	if (picture->upper_bound <= 0)
		return;
	const double y = np_panel_y(panel, picture->upper_bound / picture->rate_unit);

	fprintf(file,
		"<path d=\"M%d %.1fH%d\" stroke=\"#000\" stroke-dasharray=\"1 3\"/>\n",
		NP_PANEL_LEFT, y, NP_PANEL_WIDTH - NP_PANEL_RIGHT);
	np_panel_text(file, NP_PANEL_LEFT + 6, y - 5, "start", "upper bound");
}

static void draw_panel(FILE *file, const struct np_panel *panel,
		       const struct np_picture *picture, enum figure figure)
{
	if (figure == FIGURE_SIGNATURE) {
		np_panel_decades(file, panel);
	} else {
		draw_shades(file, panel, picture);
		np_panel_sizes(file, panel);
	}
	np_panel_values(file, panel);
	np_panel_frame(file, panel);
	for (size_t i = 0; i < picture->count; i++)
		draw_curve(file, panel, picture, i, figure);
	if (figure != FIGURE_TIME)
		draw_bound(file, panel, picture);
}

/* A curve of ratios. */
static void draw_ratio(FILE *file, const struct np_panel *panel,
		       const struct np_ratio_curve *curve, size_t style)
{
	const struct np_ratio_list *list = curve->list;
	char bytes[40];

	np_html_line(file, style);
	for (size_t i = 0; i < list->count; i++)
		fprintf(file, "%s%.1f %.1f", i != 0 ? "L" : "M",
			np_panel_x(panel, np_picture_size(list->ratios[i].length)),
			np_panel_y(panel, list->ratios[i].ratio));
	fputs("\"/>\n", file);
	for (size_t i = 0; i < list->count; i++) {
		const struct np_pair *ratio = &list->ratios[i];
		const bool known = !isnan(ratio->low);

		np_text_length((double)ratio->length, bytes, sizeof(bytes));
		np_html_between(file, "<g class=\"mark\"><title>", curve->label, "");
		fprintf(file, "\n%s\n%.3f", bytes, ratio->ratio);
		if (known)
			fprintf(file, " [%.3f, %.3f]", ratio->low, ratio->high);
		if (ratio->verdict != NP_VERDICTS)
			fprintf(file, "\n%s", np_verdict_word(ratio->verdict));
		fputs("</title>", file);
		if (np_verdict_is_sure(ratio->verdict))
			draw_ring(file, panel, np_picture_size(ratio->length), ratio->ratio,
				  "5.5", style);
		np_html_point(file, panel, np_picture_size(ratio->length), ratio->ratio,
			      known ? ratio->low : ratio->ratio,
			      known ? ratio->high : ratio->ratio, style);
	}
}

static void draw_ratios(FILE *file, const struct np_panel *panel,
			const struct np_picture *picture)
{
	draw_shades(file, panel, picture);
	np_panel_sizes(file, panel);
	np_panel_values(file, panel);
	np_panel_frame(file, panel);
	fprintf(file, "<path d=\"M%d %.1fH%d\" stroke=\"#808080\"/>\n", NP_PANEL_LEFT,
		np_panel_y(panel, 1), NP_PANEL_WIDTH - NP_PANEL_RIGHT);
	for (size_t i = 0; i < picture->ratio_count; i++)
		draw_ratio(file, panel, &picture->ratios[i], picture->ratios[i].style);
	/* Legend inside the panel, three entries a row. */
	for (size_t i = 0; i < picture->ratio_count; i++) {
		const size_t row = i / 3, column = i % 3;

		np_html_legend(file, NP_PANEL_LEFT + 10 + 240 * (double)column,
			       panel->top + 12 + 18 * (double)row, picture->ratios[i].label,
			       picture->ratios[i].style);
	}
}

/* Entry of the legend that is not a curve. */
struct sign {
	bool shown, once; /* once: append ", measured once" */
	const char *svg, *name;
};

enum { SIGNS = 4 };

static void list_signs(const struct np_picture *picture, struct sign *signs)
{
	const struct sign all[SIGNS] = {
		{ picture->dropout_count != 0 && !picture->signature, true,
		  "<rect y=\"-5\" width=\"36\" height=\"10\" fill=\"#d9d9d9\"/>",
		  "dropout" },
		{ picture->circled, true,
		  "<circle cx=\"18\" r=\"7\" fill=\"none\" stroke=\"#606060\"/>",
		  "dropout" },
		{ picture->step_count != 0 && !picture->signature, true,
		  "<path d=\"M0 0h36\" stroke=\"#808080\" stroke-dasharray=\"4 4\"/>",
		  "step" },
		{ picture->sure && !picture->signature, false,
		  "<circle cx=\"18\" r=\"5.5\" fill=\"none\" stroke=\"#606060\"/>",
		  "significantly not 1" },
	};

	memcpy(signs, all, sizeof(all));
}

/* Number of rows of the legend. */
static size_t count_names(const struct np_picture *picture)
{
	struct sign signs[SIGNS];
	size_t count = picture->count;

	list_signs(picture, signs);
	for (size_t i = 0; i < SIGNS; i++)
		count += signs[i].shown;
	return count;
}

/* The legend. */
static void draw_legends(FILE *file, const struct np_picture *picture)
{
	struct sign signs[SIGNS];
	double y = 14;
	char text[64];

	for (size_t i = 0; i < picture->count; i++, y += 18)
		np_html_legend(file, NP_PANEL_LEFT, y, picture->curves[i].label, i);
	list_signs(picture, signs);
	for (size_t i = 0; i < SIGNS; i++) {
		if (!signs[i].shown)
			continue;
		snprintf(text, sizeof(text), "%s%s", signs[i].name,
			 picture->once && signs[i].once ? ", measured once" : "");
		fprintf(file, "<g transform=\"translate(%d %.1f)\">%s</g>\n", NP_PANEL_LEFT,
			y, signs[i].svg);
		np_panel_text(file, NP_PANEL_LEFT + 44, y + 4, "start", text);
		y += 18;
	}
}

static struct np_panel rate_panel(const struct np_picture *picture)
{
	return (struct np_panel){ .height = TALL,
				  .x_low = picture->size_low / 1.2,
				  .x_high = picture->size_high * 1.2,
				  .y_low = picture->rate_low / picture->rate_unit / 1.3,
				  .y_high = picture->rate_high / picture->rate_unit * 1.5,
				  .y_log = true,
				  .x_title = "message size, bytes",
				  .y_title = picture->rate_unit > 1 ? "bandwidth, Gbit/s" :
								      "bandwidth, Mbit/s" };
}

void np_html_picture(FILE *file, const struct np_picture *picture)
{
	struct np_panel panel = rate_panel(picture);
	const double ratios =
		picture->ratio_count != 0 && !picture->signature ? LOW + GAP : 0;
	const double legend = 18 * (double)count_names(picture) + 16;
	const double height = legend + (picture->rates ? TALL + GAP : 0) +
			      (picture->signature ? 0 : TALL + GAP) + ratios;

	np_panel_svg(file, height, picture->title);
	draw_legends(file, picture);
	panel.top = legend;
	if (picture->signature) {
		panel.x_low = picture->time_low / 1.3;
		panel.x_high = picture->time_high * 1.3;
		panel.x_title = "time of a message, us";
	}
	if (picture->rates)
		draw_panel(file, &panel, picture,
			   picture->signature ? FIGURE_SIGNATURE : FIGURE_RATE);
	if (!picture->signature) {
		panel.top += picture->rates ? TALL + GAP : 0;
		panel.y_low = picture->time_low / 1.3;
		panel.y_high = picture->time_high * 1.3;
		panel.y_title = "time of a message, us";
		draw_panel(file, &panel, picture, FIGURE_TIME);
	}
	if (ratios > 0) {
		panel.top += TALL + GAP;
		panel.height = LOW;
		panel.y_low = picture->ratio_low;
		panel.y_high = picture->ratio_high;
		panel.y_log = picture->ratio_log;
		panel.y_title = picture->ratio_title;
		draw_ratios(file, &panel, picture);
	}
	fputs("</svg>\n", file);
}
