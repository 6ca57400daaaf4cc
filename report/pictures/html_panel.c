/*
 * html_panel.c - axes in SVG.
 */
#include "report/pictures/html_panel.h"

#include <math.h>

#include "report/pictures/pictures.h"
#include "report/pictures/picture.h"

/* Limit of ticks, against values out of range. */
enum { TICKS_MOST = 64 };

void np_panel_svg(FILE *file, double height, const char *title)
{
	fprintf(file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
		"role=\"img\">\n",
		NP_PANEL_WIDTH, height);
	np_html_between(file, "<title>", title, "</title>\n");
}

double np_panel_x(const struct np_panel *panel, double x)
{
	return NP_PANEL_LEFT + log(x / panel->x_low) / log(panel->x_high / panel->x_low) *
				       (NP_PANEL_WIDTH - NP_PANEL_LEFT - NP_PANEL_RIGHT);
}

double np_panel_y(const struct np_panel *panel, double y)
{
	const double share =
		panel->y_log ? log(y / panel->y_low) / log(panel->y_high / panel->y_low) :
			       (y - panel->y_low) / (panel->y_high - panel->y_low);

	return panel->top + panel->height * (1 - share);
}

void np_panel_text(FILE *file, double x, double y, const char *anchor, const char *text)
{
	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor);
	np_html_between(file, ">", text, "</text>\n");
}

static void draw_grid(FILE *file, double x1, double y1, double x2, double y2)
{
	fprintf(file,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
		x1, y1, x2, y2);
}

/* A tick of the x axis. */
static void draw_tick(FILE *file, const struct np_panel *panel, double at, const char *text)
{
	const double bottom = panel->top + panel->height;

	draw_grid(file, np_panel_x(panel, at), panel->top, np_panel_x(panel, at), bottom);
	np_panel_text(file, np_panel_x(panel, at), bottom + 18, "middle", text);
}

void np_panel_sizes(FILE *file, const struct np_panel *panel)
{
	char text[40];

	if (panel->x_low < 0.5)
		draw_tick(file, panel, 0.5, "0");
	for (unsigned power = 0; exp2(power) <= panel->x_high && power < 60; power += 2) {
		if (exp2(power) < panel->x_low)
			continue;
		np_name_power(power, text, sizeof(text));
		draw_tick(file, panel, exp2(power), text);
	}
}

void np_panel_decades(FILE *file, const struct np_panel *panel)
{
	size_t count = 0;
	char text[40];

	for (long power = lround(ceil(log10(panel->x_low)));
	     pow(10, (double)power) <= panel->x_high && count < TICKS_MOST;
	     power++, count++) {
		snprintf(text, sizeof(text), "%g", pow(10, (double)power));
		draw_tick(file, panel, pow(10, (double)power), text);
	}
}

/* Distance of about five ticks: 1, 2 or 5 times a power of ten. */
static double step_of(double range)
{
	const double rough = range / 5, ten = pow(10, floor(log10(rough)));

	return rough / ten < 2 ? 2 * ten : rough / ten < 5 ? 5 * ten : 10 * ten;
}

static void draw_value(FILE *file, const struct np_panel *panel, double at)
{
	char text[40];

	if (at < panel->y_low || at > panel->y_high)
		return;
	snprintf(text, sizeof(text), "%g", at);
	draw_grid(file, NP_PANEL_LEFT, np_panel_y(panel, at),
		  NP_PANEL_WIDTH - NP_PANEL_RIGHT, np_panel_y(panel, at));
	np_panel_text(file, NP_PANEL_LEFT - 8, np_panel_y(panel, at) + 4, "end", text);
}

/* Ticks at decades, and at 2 and 5 times them if there are few. */
static void draw_decades(FILE *file, const struct np_panel *panel)
{
	const long first = lround(floor(log10(panel->y_low)));
	const long last = lround(ceil(log10(panel->y_high)));

	for (long i = first; i <= last; i++) {
		draw_value(file, panel, pow(10, (double)i));
		if (last - first > 3)
			continue;
		draw_value(file, panel, 2 * pow(10, (double)i));
		draw_value(file, panel, 5 * pow(10, (double)i));
	}
}

void np_panel_values(FILE *file, const struct np_panel *panel)
{
	const double step = step_of(panel->y_high - panel->y_low);

	if (panel->y_log) {
		draw_decades(file, panel);
		return;
	}
	for (long i = 0; (double)i * step <= panel->y_high; i++)
		draw_value(file, panel, (double)i * step);
}

void np_panel_frame(FILE *file, const struct np_panel *panel)
{
	const double bottom = panel->top + panel->height;

	fprintf(file, "<path d=\"M%d %.1fV%.1fH%d\" fill=\"none\" stroke=\"#222\"/>\n",
		NP_PANEL_LEFT, panel->top, bottom, NP_PANEL_WIDTH - NP_PANEL_RIGHT);
	np_panel_text(file, (NP_PANEL_WIDTH + NP_PANEL_LEFT - NP_PANEL_RIGHT) / 2.0,
		      bottom + 38, "middle", panel->x_title);
	fprintf(file,
		"<text transform=\"translate(18 %.1f) rotate(-90)\" "
		"text-anchor=\"middle\"",
		panel->top + panel->height / 2);
	np_html_between(file, ">", panel->y_title, "</text>\n");
}
