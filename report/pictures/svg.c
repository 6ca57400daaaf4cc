/*
 * svg.c - draws figures of panels and bars below each other as SVG, and has the primitives
 * that svg_pairs.c draws with, too.
 */
#include "report/pictures/pictures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize_text.h"

/* Escapes one line; invalid UTF-8 becomes "?", as parsers of XML refuse a file with it. */
static void escape_line(FILE *file, const char *text, size_t length)
{
	char *line = strndup(text, length);

	if (line == NULL)
		return;
	np_sanitize_text(line, '?');
	for (const char *at = line; *at != '\0'; at++) {
		if (strchr("&<>\"'", *at) != NULL)
			fprintf(file, "&#%d;", *at);
		else
			fputc(*at, file);
	}
	free(line);
}

void np_svg_escape(FILE *file, const char *text)
{
	for (;;) {
		const size_t length = strcspn(text, "\n");

		escape_line(file, text, length);
		if (text[length] == '\0')
			return;
		fputc('\n', file);
		text += length + 1;
	}
}

void np_svg_text(FILE *file, double x, double y, const char *anchor, const char *text)
{
	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	np_svg_escape(file, text);
	fputs("</text>\n", file);
}

void np_svg_upright(FILE *file, double x, double y, const char *anchor, const char *text)
{
	fprintf(file,
		"<text transform=\"translate(%.1f %.1f) rotate(-90)\" "
		"text-anchor=\"%s\">",
		x, y, anchor);
	np_svg_escape(file, text);
	fputs("</text>\n", file);
}

void np_svg_reach(FILE *file, const char *text)
{
	fputs("<g class=\"mark\" tabindex=\"0\" role=\"img\"><title>", file);
	np_svg_escape(file, text);
	fputs("</title>", file);
}

double np_svg_width(const char *text)
{
	double width = 0;

	/* Continuation bytes of UTF-8 have no width. */
	for (; *text != '\0'; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80 ? 7 : 0;
	return width;
}

/* Begins a group in the colour of a style; the caller writes </g>.  Colours of M. Okabe and
 * K. Ito, "Color Universal Design", 2008, the darkest first and without yellow, which is
 * invisible on white; the last one is that of text. */
static void begin_style(FILE *file, size_t style)
{
	static const char *const colours[NP_STYLES + 1] = { "#0072b2", "#d55e00", "#009e73",
							    "#cc79a7", "#000000", "#e69f00",
							    "#56b4e9", "#222222" };
	const size_t at = style == NP_STYLES ? style : style % NP_STYLES;

	fprintf(file, "<g class=\"s%zu\" color=\"%s\">", at, colours[at]);
}

static void draw_grid(FILE *file, double x, double y, bool upright, double length)
{
	fprintf(file, "<path class=\"grid\" d=\"M%.1f %.1f%c%.1f\" stroke=\"#dddddd\"/>\n",
		x, y, upright ? 'v' : 'h', length);
}

/* ---- Marks of steps, dropouts and capacities: names above the first panel ----------- */

/* Width of a panel. */
enum { SPACE = NP_SVG_WIDTH - NP_SVG_LEFT - NP_SVG_RIGHT };

/* Position of a value on the common axis of panels. */
static double x_of(const struct np_figure *figure, double value)
{
	return NP_SVG_LEFT + SPACE * np_axis_share(&figure->x, value);
}

/* Most rows of names above a panel, and the height of one in user units; a mark that finds
 * no free row is drawn without its name. */
enum { NAME_ROWS = 10, NAME_ROW = 15 };

static const char *const classes[] = {
	[NP_MARK_STEP] = "step",
	[NP_MARK_DROPOUT] = "dropout",
	[NP_MARK_KNEE] = "knee",
	[NP_MARK_EXPECTED] = "size",
};

/* Draws a bracket from end to end, or a tick at one place, and its name beside it. */
static void draw_name(FILE *file, const struct np_figure *figure,
		      const struct np_mark *mark, double *row_ends, double top)
{
	const double low = x_of(figure, mark->low), high = x_of(figure, mark->high);
	const double width = np_svg_width(mark->label);
	const bool left = high + 8 + width > NP_SVG_WIDTH && low - 8 - width > 0;
	size_t row = 0;

	while (row < NAME_ROWS && row_ends[row] > low - (left ? 8 + width : 0) - 6)
		row++;
	if (row == NAME_ROWS)
		return;
	row_ends[row] = left ? high : high + 8 + width;
	const double y = top + NAME_ROW * (double)row + 8;
	begin_style(file, mark->style);
	fprintf(file,
		"<path d=\"M%.1f %.1fv8m0 -4H%.1fm0 -4v8\" fill=\"none\" "
		"stroke=\"currentColor\" stroke-width=\"1.5\"/>",
		low, y - 4, high);
	np_svg_text(file, left ? low - 6 : high + 6, y + 4, left ? "end" : "start",
		    mark->label);
	fputs("</g>\n", file);
}

static double draw_mark_names(FILE *file, const struct np_figure *figure, double top)
{
	double row_ends[NAME_ROWS] = { 0 };
	size_t used = 0;

	for (size_t i = 0; i < figure->mark_count; i++)
		draw_name(file, figure, &figure->marks[i], row_ends, top);
	while (used < NAME_ROWS && row_ends[used] > 0)
		used++;
	return top + NAME_ROW * (double)used + (used != 0 ? 2 : 0);
}

static void draw_mark_places(FILE *file, const struct np_figure *figure, double top,
			     double height)
{
	for (size_t i = 0; i < figure->mark_count; i++) {
		const struct np_mark *mark = &figure->marks[i];
		const double low = x_of(figure, mark->low);
		const double high = x_of(figure, mark->high);
		const double middle = (low + high) / 2;

		begin_style(file, mark->style);
		fprintf(file, "<g class=\"%s\"><title>", classes[mark->kind]);
		np_svg_escape(file, mark->label);
		fputs("</title>", file);
		if (mark->kind == NP_MARK_DROPOUT || mark->kind == NP_MARK_KNEE)
			fprintf(file,
				"<path d=\"M%.1f %.1fH%.1fv%.1fH%.1fz\" "
				"fill=\"currentColor\" fill-opacity=\"0.10\" "
				"stroke=\"currentColor\" stroke-opacity=\"0.5\"/>",
				low, top, high, height, low);
		else
			fprintf(file,
				"<path d=\"M%.1f %.1fv%.1f\" stroke=\"currentColor\" "
				"stroke-opacity=\"0.6\" stroke-dasharray=\"%s\"/>",
				middle, top, height,
				mark->kind == NP_MARK_STEP ? "5 4" : "1 4");
		fputs("</g></g>\n", file);
	}
}

/* ---- Panels: axes, rules, intervals, legends ---------------------------------------- */

/* Height of a row of the legend, and space below a panel for its axis. */
enum { LEGEND_ROW = 18, PANEL_BELOW = 46 };

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
	/* Colours repeat after NP_STYLES styles: combine them with other shapes. */
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

/* A panel, and the y coordinate of its upper edge. */
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
		const double x = x_of(at->figure, ticks[i].at);

		draw_grid(file, x, at->top, true, at->panel->height);
		np_svg_text(file, x, bottom + 16, "middle", ticks[i].text);
	}
	np_svg_text(file, NP_SVG_LEFT + SPACE / 2.0, bottom + 34, "middle",
		    at->figure->x.title);
	fputs("</g>\n<g class=\"y axis\">\n", file);
	count = np_axis_ticks(&at->panel->y, ticks);
	for (size_t i = 0; i < count; i++) {
		const double y = y_of(at, ticks[i].at);

		draw_grid(file, NP_SVG_LEFT, y, false, SPACE);
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

/* Draws a point and its interval; a transparent circle makes it easy to point at. */
static void draw_dot(FILE *file, const struct placed *at, const struct np_line *line,
		     const struct np_dot *dot)
{
	const double x = x_of(at->figure, dot->x), y = y_of(at, dot->y);
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

	begin_style(file, line->style);
	fprintf(file,
		"<path class=\"curve\" fill=\"none\" stroke=\"currentColor\" "
		"stroke-width=\"1.6\" stroke-dasharray=\"%s\" d=\"",
		dash_of(line->style));
	for (size_t i = 0; i < line->count; i++) {
		const struct np_dot *dot = &line->dots[i];

		if (dot->aside)
			continue;
		fprintf(file, "%c%.1f %.1f", first || dot->detached ? 'M' : 'L',
			x_of(at->figure, dot->x), y_of(at, dot->y));
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

/* True if a panel needs a legend of its own, as its labels differ from those of the panel
 * above. */
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
		*top += LEGEND_ROW;
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
		begin_style(file, style);
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
	return top + LEGEND_ROW + 4;
}

static double draw_panels(FILE *file, const struct np_figure *figure, double top)
{
	for (size_t i = 0; i < figure->panel_count; i++) {
		struct placed at = { .figure = figure, .panel = &figure->panels[i] };

		if (i == 0 || needs_legend(at.panel, at.panel - 1))
			top = draw_legend(file, at.panel, top);
		if (i == 0)
			top = draw_mark_names(file, figure, top);
		at.top = top + 4;
		draw_mark_places(file, figure, at.top, at.panel->height);
		draw_axes(file, &at);
		draw_rules(file, &at);
		for (size_t k = 0; k < at.panel->count; k++)
			draw_line(file, &at, &at.panel->lines[k]);
		top = at.top + at.panel->height + PANEL_BELOW;
	}
	return top;
}

/* ---- Bars from 0, each with its interval and its number ----------------------------- */

enum { BAR_LEFT = 250, BAR_RIGHT = 190, BAR = 16, BAR_STEP = 25, BARS_BELOW = 44 };

static double bar_end(const struct np_chart_axis *axis, double value)
{
	return BAR_LEFT +
	       (NP_SVG_WIDTH - BAR_LEFT - BAR_RIGHT) * np_axis_share(axis, value);
}

static void draw_bar_axis(FILE *file, const struct np_chart_axis *axis, double top,
			  double height)
{
	struct np_tick ticks[NP_TICKS_MOST];
	const size_t count = np_axis_ticks(axis, ticks);

	fputs("<g class=\"x axis\">\n", file);
	for (size_t i = 0; i < count; i++) {
		draw_grid(file, bar_end(axis, ticks[i].at), top, true, height);
		np_svg_text(file, bar_end(axis, ticks[i].at), top + height + 15, "middle",
			    ticks[i].text);
	}
	np_svg_text(file, bar_end(axis, (axis->low + axis->high) / 2), top + height + 32,
		    "middle", axis->title);
	fprintf(file, "</g>\n<path d=\"M%.1f %.1fv%.1f\" stroke=\"currentColor\"/>\n",
		bar_end(axis, 0), top, height);
}

static void draw_bar(FILE *file, const struct np_chart_axis *axis, const struct np_bar *bar,
		     double y)
{
	const double zero = bar_end(axis, 0), end = bar_end(axis, bar->at);
	const double middle = y + BAR / 2.0;

	begin_style(file, bar->at < 0);
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
			bar_end(axis, bar->low), middle - 3, bar_end(axis, bar->high));
	fputs("</g></g>\n", file);
	np_svg_text(file, NP_SVG_WIDTH - BAR_RIGHT + 14, middle + 4, "start", bar->value);
}

static double draw_bars(FILE *file, const struct np_figure *figure, double top)
{
	struct np_chart_axis axis = { .scale = NP_SCALE_LINEAR,
				      .title = "us of a message" };
	const double height = BAR_STEP * (double)figure->bar_count + 6;

	for (size_t i = 0; i < figure->bar_count; i++) {
		np_axis_include(&axis, figure->bars[i].at);
		np_axis_include(&axis, figure->bars[i].low);
		np_axis_include(&axis, figure->bars[i].high);
	}
	np_axis_margin(&axis, 0.02, 0.02);
	draw_bar_axis(file, &axis, top, height);
	for (size_t i = 0; i < figure->bar_count; i++) {
		const struct np_bar *bar = &figure->bars[i];
		const double y = top + 6 + BAR_STEP * (double)i, middle = y + BAR / 2.0;
		const size_t indent = strspn(bar->label, " ");

		np_svg_text(file, bar->heading ? 14 : 28 + 7 * (double)indent, middle + 4,
			    "start", bar->label + indent);
		if (!bar->heading)
			draw_bar(file, &axis, bar, y);
	}
	return top + height + BARS_BELOW;
}

/* ---- Figures ------------------------------------------------------------------------ */

static double draw_figure(FILE *file, const struct np_figure *figure, double top)
{
	char more[40];

	fprintf(file, "<g font-size=\"16\" font-weight=\"bold\">");
	np_svg_text(file, 14, top + 22, "start", figure->title);
	fputs("</g>", file);
	top += 34;
	if (figure->subtitle[0] != '\0')
		np_svg_text(file, 14, top + 9, "start", figure->subtitle);
	top += figure->subtitle[0] != '\0' ? 24 : 6;
	if (figure->panel_count != 0)
		top = draw_panels(file, figure, top);
	if (figure->bar_count != 0)
		top = draw_bars(file, figure, top);
	if (figure->pairs != NULL)
		top = np_svg_pairs(file, figure, top);
	for (size_t i = 0; i < figure->note_count && i < NP_NOTES; i++, top += 17)
		np_svg_text(file, 14, top + 12, "start", figure->notes[i]);
	if (figure->note_count > NP_NOTES) {
		snprintf(more, sizeof(more), "and %zu more", figure->note_count - NP_NOTES);
		np_svg_text(file, 14, top + 12, "start", more);
		top += 17;
	}
	return top + 10;
}

int np_svg_write(FILE *file, const struct np_figure *figures, size_t count)
{
	char *text = NULL;
	size_t size = 0;
	double height = 0;
	FILE *body = open_memstream(&text, &size);

	if (body == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		height = draw_figure(body, &figures[i], height);
	const bool complete = fclose(body) == 0;
	if (complete) {
		fprintf(file,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
			"width=\"%d\" height=\"%.0f\" role=\"group\" "
			"font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"12\" "
			"fill=\"currentColor\" color=\"#222222\">\n<title>",
			NP_SVG_WIDTH, height, NP_SVG_WIDTH, height);
		np_svg_escape(file, figures[0].title);
		fprintf(file,
			"</title>\n<rect class=\"paper\" width=\"%d\" height=\"%.0f\" "
			"fill=\"#ffffff\"/>\n%s</svg>\n",
			NP_SVG_WIDTH, height, text);
	}
	free(text);
	return !complete ? -ENOMEM : ferror(file) ? -errno : 0;
}
