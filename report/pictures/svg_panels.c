/*
 * svg_panels.c - draws panels of curves: axes, rules, intervals, and a legend where the
 * curves change.
 */
#include <math.h>
#include <string.h>

#include "report/pictures/pictures.h"

enum { SPACE = NP_SVG_WIDTH - NP_SVG_LEFT - NP_SVG_RIGHT, ROW = 18, BELOW = 46 };

/* Draws the shape of a style, filled or open; shapes differ in black and white, too. */
static void draw_shape(FILE *file, double x, double y, size_t style, bool open)
{
	static const char *const shapes[NP_STYLES] = {
		"m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z",
		"m-3 -3h6v6h-6z",
		"m0 -4l4 7h-8z",
		"m0 -4.4l4 4.4l-4 4.4l-4 -4.4z",
		"m0 4l4 -7h-8z",
		"m-1.3 -4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z",
		"m-4 -2l8 0l-6.5 5l2.5 -8l2.5 8z"
	};
	/* Combine shapes with other colours beyond the last style. */
	const size_t at = (style + 2 * (style / NP_STYLES)) % NP_STYLES;

	fprintf(file,
		"<path class=\"%s\" d=\"M%.1f %.1f%s\" fill=\"%s\" "
		"stroke=\"currentColor\"/>",
		open ? "paper" : "full", x, y, shapes[at],
		open ? "#ffffff" : "currentColor");
}

static const char *dash_of(size_t style)
{
	static const char *const dashes[NP_STYLES] = { "none", "9 3",  "2 2", "9 3 2 3",
						       "5 3",  "14 4", "1 4" };

	return dashes[(style + style / NP_STYLES) % NP_STYLES];
}

double np_svg_x(const struct np_figure *figure, double value)
{
	return NP_SVG_LEFT + SPACE * np_axis_share(&figure->x, value);
}

/* A panel and where it lies. */
struct placed {
	const struct np_figure *figure;
	const struct np_panel *panel;
	double top;
};

static double y_of(const struct placed *at, double value)
{
	return at->top + at->panel->height * (1 - np_axis_share(&at->panel->y, value));
}

static void draw_axes(FILE *file, const struct placed *at)
{
	const double bottom = at->top + at->panel->height;
	struct np_tick ticks[NP_TICKS_MOST];
	size_t count = np_axis_ticks(&at->figure->x, ticks);

	fputs("<g class=\"x axis\">\n", file);
	for (size_t i = 0; i < count; i++) {
		const double x = np_svg_x(at->figure, ticks[i].at);

		np_svg_grid(file, x, at->top, true, at->panel->height);
		np_svg_text(file, x, bottom + 16, "middle", ticks[i].text);
	}
	np_svg_text(file, NP_SVG_LEFT + SPACE / 2.0, bottom + 34, "middle",
		    at->figure->x.title);
	fputs("</g>\n<g class=\"y axis\">\n", file);
	count = np_axis_ticks(&at->panel->y, ticks);
	for (size_t i = 0; i < count; i++) {
		const double y = y_of(at, ticks[i].at);

		np_svg_grid(file, NP_SVG_LEFT, y, false, SPACE);
		np_svg_text(file, NP_SVG_LEFT - 7, y + 4, "end", ticks[i].text);
	}
	np_svg_upright(file, 18, at->top + at->panel->height / 2, "middle",
		       at->panel->y.title);
	fprintf(file,
		"</g>\n<path d=\"M%d %.1fV%.1fh%d\" fill=\"none\" "
		"stroke=\"currentColor\"/>\n",
		NP_SVG_LEFT, at->top, bottom, SPACE);
}

static void draw_rules(FILE *file, const struct placed *at)
{
	for (size_t i = 0; i < at->panel->rule_count; i++) {
		const struct np_rule *rule = &at->panel->rules[i];
		const double y = y_of(at, rule->at);

		fprintf(file,
			"<path class=\"rule\" d=\"M%d %.1fh%d\" stroke=\"#808080\" "
			"stroke-dasharray=\"%s\"/>\n",
			NP_SVG_LEFT, y, SPACE, rule->label[0] != '\0' ? "2 3" : "none");
	}
}

/* Draws a point with an area for the pointer, and its interval on top. */
static void draw_dot(FILE *file, const struct placed *at, const struct np_line *line,
		     const struct np_dot *dot)
{
	const double x = np_svg_x(at->figure, dot->x), y = y_of(at, dot->y);
	const double low = y_of(at, dot->low), high = y_of(at, dot->high);

	np_svg_reach(file, dot->text);
	fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" fill=\"transparent\"/>", x,
		y);
	draw_shape(file, x, y, line->style, dot->open);
	if (low - high > 0.5)
		fprintf(file,
			"<path class=\"interval\" d=\"M%.1f %.1fh5m-2.5 0V%.1fm-2.5 0h5\" "
			"fill=\"none\" stroke=\"currentColor\"/>",
			x - 2.5, low, high);
	fputs("</g>\n", file);
}

static void draw_line(FILE *file, const struct placed *at, const struct np_line *line)
{
	bool first = true;

	np_svg_style(file, line->style);
	fprintf(file,
		"<path class=\"curve\" fill=\"none\" stroke=\"currentColor\" "
		"stroke-width=\"1.6\" stroke-dasharray=\"%s\" d=\"",
		dash_of(line->style));
	for (size_t i = 0; i < line->count; i++) {
		const struct np_dot *dot = &line->dots[i];

		if (dot->aside)
			continue;
		fprintf(file, "%c%.1f %.1f", first || dot->apart ? 'M' : 'L',
			np_svg_x(at->figure, dot->x), y_of(at, dot->y));
		first = false;
	}
	fputs("\"/>\n", file);
	for (size_t i = 0; i < line->count; i++)
		draw_dot(file, at, line, &line->dots[i]);
	fputs("</g>\n", file);
}

/* True if a shape of the panel is not filled. */
static bool has_open(const struct np_panel *panel)
{
	for (size_t i = 0; i < panel->count; i++) {
		const struct np_line *line = &panel->lines[i];

		for (size_t k = 0; k < line->count; k++) {
			if (line->dots[k].open)
				return true;
		}
	}
	return false;
}

/* True if the legend of the panel above is not valid for this one. */
static bool needs_legend(const struct np_panel *panel, const struct np_panel *above)
{
	bool same = panel->count == above->count && !has_open(panel);

	for (size_t i = 0; i < panel->count && same; i++)
		same = strcmp(panel->lines[i].label, above->lines[i].label) == 0;
	for (size_t i = 0; i < panel->rule_count && same; i++)
		same = panel->rules[i].label[0] == '\0';
	return !same;
}

/* Moves to the next row if an entry does not fit into this one. */
static void make_room(double *x, double *top, const char *label)
{
	if (*x > NP_SVG_LEFT && *x + 50 + np_svg_width(label) > NP_SVG_WIDTH) {
		*x = NP_SVG_LEFT;
		*top += ROW;
	}
}

static double draw_legend(FILE *file, const struct np_panel *panel, double top)
{
	double x = NP_SVG_LEFT;

	for (size_t i = 0; i < panel->count + panel->rule_count; i++) {
		const bool is_line = i < panel->count;
		const char *label = is_line ? panel->lines[i].label :
					      panel->rules[i - panel->count].label;
		const size_t style = is_line ? panel->lines[i].style : NP_STYLES;

		if (*label == '\0')
			continue;
		make_room(&x, &top, label);
		np_svg_style(file, style);
		fprintf(file,
			"<path d=\"M%.1f %.1fh34\" stroke=\"currentColor\" "
			"stroke-width=\"%s\" stroke-dasharray=\"%s\"/>",
			x, top + 8, is_line ? "1.6" : "1",
			is_line ? dash_of(style) : "2 3");
		if (is_line)
			draw_shape(file, x + 17, top + 8, style, false);
		fputs("</g>\n", file);
		np_svg_text(file, x + 40, top + 12, "start", label);
		x += 58 + np_svg_width(label);
	}
	if (has_open(panel)) {
		make_room(&x, &top, panel->open_means);
		np_svg_text(file, x, top + 12, "start", panel->open_means);
	}
	return top + ROW + 4;
}

double np_svg_panels(FILE *file, const struct np_figure *figure, double top)
{
	for (size_t i = 0; i < figure->panel_count; i++) {
		struct placed at = { .figure = figure, .panel = &figure->panels[i] };

		if (i == 0 || needs_legend(at.panel, at.panel - 1))
			top = draw_legend(file, at.panel, top);
		if (i == 0)
			top = np_svg_mark_names(file, figure, top);
		at.top = top + 4;
		np_svg_mark_places(file, figure, at.top, at.panel->height);
		draw_axes(file, &at);
		draw_rules(file, &at);
		for (size_t k = 0; k < at.panel->count; k++)
			draw_line(file, &at, &at.panel->lines[k]);
		top = at.top + at.panel->height + BELOW;
	}
	return top;
}
