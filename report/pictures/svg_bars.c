/*
 * svg_bars.c - draws bars from 0, each with its interval and its number.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/pictures/pictures.h"

enum { LEFT = 250, RIGHT = 190, BAR = 16, STEP = 25, BELOW = 44 };

static double x_of(const struct np_chart_axis *axis, double value)
{
	return LEFT + (NP_SVG_WIDTH - LEFT - RIGHT) * np_axis_share(axis, value);
}

static void draw_axis(FILE *file, const struct np_chart_axis *axis, double top,
		      double height)
{
	struct np_tick ticks[NP_TICKS_MOST];
	const size_t count = np_axis_ticks(axis, ticks);

	fputs("<g class=\"x axis\">\n", file);
	for (size_t i = 0; i < count; i++) {
		np_svg_grid(file, x_of(axis, ticks[i].at), top, true, height);
		np_svg_text(file, x_of(axis, ticks[i].at), top + height + 15, "middle",
			    ticks[i].text);
	}
	np_svg_text(file, x_of(axis, (axis->low + axis->high) / 2), top + height + 32,
		    "middle", axis->title);
	fprintf(file, "</g>\n<path d=\"M%.1f %.1fv%.1f\" stroke=\"currentColor\"/>\n",
		x_of(axis, 0), top, height);
}

static void draw_bar(FILE *file, const struct np_chart_axis *axis, const struct np_bar *bar,
		     double y)
{
	const double zero = x_of(axis, 0), end = x_of(axis, bar->at);
	const double middle = y + BAR / 2.0;

	np_svg_style(file, bar->at < 0);
	char *text = np_text_of("%s\n%s", bar->label, bar->value);
	np_svg_reach(file, text != NULL ? text : "");
	free(text);
	fprintf(file,
		"<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
		"fill=\"currentColor\" fill-opacity=\"%s\" stroke=\"currentColor\"/>",
		fmin(zero, end), y, fabs(end - zero), BAR, bar->open ? "0.1" : "0.55");
	if (!isnan(bar->low))
		fprintf(file,
			"<path class=\"interval\" d=\"M%.1f %.1fv6m0 -3H%.1fm0 -3v6\" "
			"fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/>",
			x_of(axis, bar->low), middle - 3, x_of(axis, bar->high));
	fputs("</g></g>\n", file);
	np_svg_text(file, NP_SVG_WIDTH - RIGHT + 14, middle + 4, "start", bar->value);
}

double np_svg_bars(FILE *file, const struct np_figure *figure, double top)
{
	struct np_chart_axis axis = { .scale = NP_SCALE_LINEAR,
				      .title = "us of a message" };
	const double height = STEP * (double)figure->bar_count + 6;

	for (size_t i = 0; i < figure->bar_count; i++) {
		np_axis_include(&axis, figure->bars[i].at);
		np_axis_include(&axis, figure->bars[i].low);
		np_axis_include(&axis, figure->bars[i].high);
	}
	np_axis_margin(&axis, 0.02, 0.02);
	draw_axis(file, &axis, top, height);
	for (size_t i = 0; i < figure->bar_count; i++) {
		const struct np_bar *bar = &figure->bars[i];
		const double y = top + 6 + STEP * (double)i, middle = y + BAR / 2.0;
		const size_t indent = strspn(bar->label, " ");

		np_svg_text(file, bar->heading ? 14 : 28 + 7 * (double)indent, middle + 4,
			    "start", bar->label + indent);
		if (!bar->heading)
			draw_bar(file, &axis, bar, y);
	}
	return top + height + BELOW;
}
