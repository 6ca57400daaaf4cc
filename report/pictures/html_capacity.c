/*
 * html_capacity.c - a capacity sweep as SVG, with a title on each point, and as a table.
 */
#include <math.h>

#include "report/pictures/pictures.h"
#include "report/pictures/html_panel.h"
#include "report/text/text.h"

enum { TALL = 430, LOW = 260, GAP = 62 };

enum figure { FIGURE_TIME, FIGURE_RATIO };

/* A point's value and interval. */
static double value_of(const struct np_capacity_point *point, enum figure figure,
		       double *low, double *high)
{
	if (figure == FIGURE_TIME) {
		np_sweep_time_range(point, low, high);
		return point->seconds * 1e6;
	}
	np_sweep_ratio_range(point, low, high);
	return point->ratio;
}

static void title_point(FILE *file, const struct np_sweep_curve *curve,
			const struct np_capacity_point *point)
{
	char bytes[40], time[40];

	np_text_length((double)point->touched.bytes, bytes, sizeof(bytes));
	np_text_seconds(point->seconds, time, sizeof(time));
	np_html_between(file, "<g class=\"mark\"><title>", curve->label, "");
	fprintf(file, "\n%llu buffers\n%s, %llu pages per process\n%s\n%.3fx",
		(unsigned long long)point->buffers, bytes,
		(unsigned long long)point->touched.pages, time, point->ratio);
	if (point->ratio_low > 0)
		fprintf(file, " [%.3f, %.3f]", point->ratio_low, point->ratio_high);
	fputs("</title>", file);
}

static void draw_curve(FILE *file, const struct np_panel *panel,
		       const struct np_sweep_curve *curve, size_t style, enum figure figure)
{
	double low, high;

	np_html_line(file, style);
	for (size_t i = 0; i < curve->count; i++)
		fprintf(file, "%s%.1f %.1f", i != 0 ? "L" : "M",
			np_panel_x(panel, (double)curve->points[i].buffers),
			np_panel_y(panel,
				   value_of(&curve->points[i], figure, &low, &high)));
	fputs("\"/>\n", file);
	for (size_t i = 0; i < curve->count; i++) {
		const struct np_capacity_point *point = &curve->points[i];
		const double value = value_of(point, figure, &low, &high);

		title_point(file, curve, point);
		np_html_point(file, panel, (double)point->buffers, value, low, high, style);
	}
}

static void draw_upright(FILE *file, double x, double y, const char *anchor,
			 const char *colour, const char *text)
{
	fprintf(file,
		"<text transform=\"translate(%.1f %.1f) rotate(-90)\" "
		"text-anchor=\"%s\" style=\"fill: %s; font-size: 11px\"",
		x, y, anchor, colour);
	np_html_between(file, ">", text, "</text>\n");
}

static void draw_marks(FILE *file, const struct np_panel *panel,
		       const struct np_sweep_picture *sweep, bool names)
{
	for (size_t i = 0; i < sweep->knee_count; i++) {
		const struct np_sweep_knee *knee = &sweep->knees[i];
		const double left = np_panel_x(panel, knee->low);
		const double right = np_panel_x(panel, knee->high);

		fprintf(file,
			"<rect class=\"knee\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			"height=\"%.1f\" fill=\"#dedede\"><title>",
			left, panel->top, right - left, panel->height);
		np_html_text(file, knee->label);
		fprintf(file, "\n%.0f buffers fit, %.0f do not</title></rect>\n", knee->low,
			knee->high);
		if (names)
			draw_upright(file, (left + right) / 2 + 5, panel->top + 8, "end",
				     "#222", knee->label);
	}
	for (size_t i = 0; i < sweep->size_count; i++) {
		const double x = np_panel_x(panel, sweep->sizes[i].buffers);

		fprintf(file,
			"<path class=\"size\" d=\"M%.1f %.1fv%.1f\" stroke=\"#a0a0a0\" "
			"stroke-dasharray=\"2 4\"/>\n",
			x, panel->top, panel->height);
		if (names)
			draw_upright(file, x - 4, panel->top + panel->height - 8, "start",
				     "#707070", sweep->sizes[i].label);
	}
}

static void draw_panel(FILE *file, const struct np_panel *panel,
		       const struct np_sweep_picture *sweep, enum figure figure)
{
	draw_marks(file, panel, sweep, figure == FIGURE_TIME);
	np_panel_sizes(file, panel);
	np_panel_values(file, panel);
	np_panel_frame(file, panel);
	for (size_t i = 0; i < sweep->count; i++)
		draw_curve(file, panel, &sweep->curves[i], i, figure);
}

void np_html_capacity(FILE *file, const struct np_picture *picture)
{
	const struct np_sweep_picture *sweep = &picture->sweep;
	const double legend = 18 * (double)sweep->count + 16;
	struct np_panel panel = { .top = legend,
				  .height = TALL,
				  .x_low = sweep->buffers_low / 1.2,
				  .x_high = sweep->buffers_high * 1.2,
				  .y_low = sweep->time_from,
				  .y_high = sweep->time_to,
				  .y_log = true,
				  .x_title = sweep->x_title,
				  .y_title = "time of a message, us" };

	np_panel_svg(file, legend + TALL + LOW + 2 * GAP, picture->title);
	for (size_t i = 0; i < sweep->count; i++)
		np_html_legend(file, NP_PANEL_LEFT, 14 + 18 * (double)i,
			       sweep->curves[i].label, i);
	draw_panel(file, &panel, sweep, FIGURE_TIME);
	panel.top += TALL + GAP;
	panel.height = LOW;
	panel.y_low = sweep->ratio_from;
	panel.y_high = sweep->ratio_to;
	panel.y_title = "time ratio rotate/reuse";
	draw_panel(file, &panel, sweep, FIGURE_RATIO);
	fputs("</svg>\n", file);
}

static void write_row(FILE *file, const struct np_capacity_point *point)
{
	char bytes[40];

	np_text_length((double)point->touched.bytes, bytes, sizeof(bytes));
	fprintf(file, "<tr><td>%llu</td><td>%s</td><td>%llu</td><td>%llu</td>",
		(unsigned long long)point->buffers, bytes,
		(unsigned long long)point->touched.pages,
		(unsigned long long)point->touched.registrations);
	np_html_cell(file, point->seconds * 1e6);
	np_html_cell(file, point->low_s * 1e6);
	np_html_cell(file, point->high_s * 1e6);
	np_html_cell(file, point->ratio);
	np_html_cell(file, point->ratio_low);
	np_html_cell(file, point->ratio_high);
	fputs("</tr>\n", file);
}

void np_html_capacity_table(FILE *file, const struct np_sweep_curve *curve)
{
	np_html_between(
		file, "<details open><summary>", curve->label,
		"</summary>\n<table>\n<tr><th>buffers</th><th>per "
		"process</th><th>pages</th>"
		"<th>registrations</th><th>us</th><th>low</th><th>high</th><th>ratio</th>"
		"<th>low</th><th>high</th></tr>\n");
	for (size_t i = 0; i < curve->count; i++)
		write_row(file, &curve->points[i]);
	fputs("</table>\n</details>\n", file);
}
