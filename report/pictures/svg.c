/*
 * svg.c - draws figures of panels and bars below each other as SVG, and has the primitives
 * that svg_maps.c draws with, too.
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

/* Writes text in lines no longer than `width`, the first at y; each "\n" begins another.
 * Returns the y coordinate of the next line. */
static double svg_wrapped(FILE *file, double x, double y, double width, const char *text)
{
	enum { LINE = 15 };
	char line[1024];

	while (*text != '\0') {
		const size_t end = strcspn(text, "\n");
		size_t length = 0;

		/* Take words as long as they fit; one that is too long stands by itself. */
		for (size_t next = 0; next < end && next < sizeof(line) - 1;) {
			next += strspn(text + next, " ");
			next += strcspn(text + next, " \n");
			next = next < end ? next : end;
			snprintf(line, sizeof(line), "%.*s", (int)next, text);
			if (length != 0 && np_svg_width(line) > width)
				break;
			length = next;
		}
		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		np_svg_text(file, x, y, "start", line);
		text += length;
		text += *text == '\n' || *text == ' ';
		y += LINE;
	}
	return y;
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
static double space_of(const struct np_figure *figure)
{
	return figure->width - NP_SVG_LEFT - NP_SVG_RIGHT;
}

/* Position of a value on the common axis of panels. */
static double x_of(const struct np_figure *figure, double value)
{
	return NP_SVG_LEFT + space_of(figure) * np_axis_share(&figure->x, value);
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
	const bool left = high + 8 + width > figure->width && low - 8 - width > 0;
	size_t row = 0;

	if (!left && high + 8 + width > figure->width)
		return;

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
	double end = 0;

	fputs("<g class=\"x axis\">\n", file);
	for (size_t i = 0; i < count; i++) {
		const double x = x_of(at->figure, ticks[i].at);

		draw_grid(file, x, at->top, true, at->panel->height);
		if (x - np_svg_width(ticks[i].text) / 2 < end)
			continue;
		np_svg_text(file, x, bottom + 16, "middle", ticks[i].text);
		end = x + np_svg_width(ticks[i].text) / 2 + 7;
	}
	np_svg_text(file, NP_SVG_LEFT + space_of(at->figure) / 2, bottom + 34, "middle",
		    at->figure->x.title);
	fputs("</g>\n<g class=\"y axis\">\n", file);
	count = np_axis_ticks(&at->panel->y, ticks);
	for (size_t i = 0; i < count; i++) {
		const double y = y_of(at, ticks[i].at);

		draw_grid(file, NP_SVG_LEFT, y, false, space_of(at->figure));
		np_svg_text(file, NP_SVG_LEFT - 7, y + 4, "end", ticks[i].text);
	}
	np_svg_upright(file, 18, at->top + at->panel->height / 2, "middle",
		       at->panel->y.title);
	fprintf(file,
		"</g>\n<path d=\"M%d %.1fV%.1fh%.1f\" fill=\"none\" "
		"stroke=\"currentColor\"/>\n",
		NP_SVG_LEFT, at->top, bottom, space_of(at->figure));
}

static void draw_rules(FILE *file, const struct placed *at)
{
	for (size_t i = 0; i < at->panel->rule_count; i++) {
		const struct np_rule *rule = &at->panel->rules[i];
		const double y = y_of(at, rule->at);

		fprintf(file,
			"<path class=\"rule\" d=\"M%d %.1fh%.1f\" stroke=\"#808080\" "
			"stroke-dasharray=\"%s\"/>\n",
			NP_SVG_LEFT, y, space_of(at->figure),
			rule->label[0] != '\0' ? "2 3" : "none");
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

/* Place of the next entry of a legend. */
struct legend {
	FILE *file;
	double x, top, width; /* width of the figure */
};

/* Moves to the next row if an entry of this width does not fit into this one. */
static void make_room(struct legend *legend, double width)
{
	if (legend->x > NP_SVG_LEFT && legend->x + width > legend->width) {
		legend->x = NP_SVG_LEFT;
		legend->top += LEGEND_ROW;
	}
}

/* Draws an entry: a piece of a line with its shape, or of a rule, and the label. */
static void draw_entry(struct legend *legend, const struct np_line *line, const char *label)
{
	const size_t style = line != NULL ? line->style : NP_STYLES;

	make_room(legend, 50 + np_svg_width(label));
	begin_style(legend->file, style);
	fprintf(legend->file,
		"<path d=\"M%.1f %.1fh34\" stroke=\"currentColor\" "
		"stroke-width=\"%s\" stroke-dasharray=\"%s\"/>",
		legend->x, legend->top + 8, line != NULL ? "1.6" : "1",
		line != NULL ? dash_of(style) : "2 3");
	if (line != NULL)
		draw_shape(legend->file, legend->x + 17, legend->top + 8, style, false);
	fputs("</g>\n", legend->file);
	np_svg_text(legend->file, legend->x + 40, legend->top + 12, "start", label);
	legend->x += 58 + np_svg_width(label);
}

/* True if another panel names the line: a panel above by the same label, or any panel by
 * the same style if this panel has one line, which its axis names. */
static bool is_named(const struct np_figure *figure, size_t panel, size_t line)
{
	const struct np_line *own = &figure->panels[panel].lines[line];
	const bool single = figure->panels[panel].count == 1;

	for (size_t i = 0; i < figure->panel_count; i++) {
		const struct np_panel *other = &figure->panels[i];

		for (size_t k = 0; k < other->count && i != panel; k++) {
			const struct np_line *like = &other->lines[k];

			if (i < panel && strcmp(like->label, own->label) == 0)
				return true;
			if (single && like->style == own->style &&
			    (i < panel || other->count > 1))
				return true;
		}
	}
	return false;
}

/* Draws the legend of all panels, each entry once: lines, rules, open shapes, intervals. */
static double draw_legend(FILE *file, const struct np_figure *figure, double top)
{
	struct legend legend = {
		.file = file, .x = NP_SVG_LEFT, .top = top, .width = figure->width
	};
	const char *open = "";

	for (size_t i = 0; i < figure->panel_count; i++) {
		const struct np_panel *panel = &figure->panels[i];

		for (size_t k = 0; k < panel->count; k++) {
			if (!is_named(figure, i, k))
				draw_entry(&legend, &panel->lines[k],
					   panel->lines[k].label);
		}
		for (size_t k = 0; k < panel->rule_count; k++) {
			if (panel->rules[k].label[0] != '\0')
				draw_entry(&legend, NULL, panel->rules[k].label);
		}
		if (!has_open(panel) || strcmp(open, panel->open_means) == 0)
			continue;
		open = panel->open_means;
		make_room(&legend, 14 + np_svg_width(open));
		begin_style(file, NP_STYLES);
		draw_shape(file, legend.x + 4, legend.top + 8, 0, true);
		fputs("</g>\n", file);
		np_svg_text(file, legend.x + 14, legend.top + 12, "start", open);
		legend.x += 32 + np_svg_width(open);
	}
	legend.top += LEGEND_ROW;
	if (figure->bars_mean[0] != '\0')
		legend.top = svg_wrapped(file, NP_SVG_LEFT, legend.top + 12,
					 figure->width - NP_SVG_LEFT, figure->bars_mean) -
			     12;
	return legend.top + 4;
}

static double draw_panels(FILE *file, const struct np_figure *figure, double top)
{
	for (size_t i = 0; i < figure->panel_count; i++) {
		struct placed at = { .figure = figure, .panel = &figure->panels[i] };

		if (i == 0)
			top = draw_mark_names(file, figure, draw_legend(file, figure, top));
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

enum { BAR = 16, BARS_BELOW = 44 };

/* Layout of bars; in a narrow figure label and number are above the bar. */
struct bars {
	const struct np_figure *figure;
	struct np_chart_axis axis;
	double left, right, step; /* margins; distance of bars */
};

static struct bars lay_bars(const struct np_figure *figure)
{
	const bool narrow = figure->width < NP_SVG_WIDTH;

	return (struct bars){ .figure = figure,
			      .axis = { .scale = NP_SCALE_LINEAR,
					.title = "us of a message" },
			      .left = narrow ? 28 : 250,
			      .right = narrow ? 28 : 190,
			      .step = narrow ? 42 : 25 };
}

static double bar_end(const struct bars *bars, double value)
{
	return bars->left + (bars->figure->width - bars->left - bars->right) *
				    np_axis_share(&bars->axis, value);
}

static void draw_bar_axis(FILE *file, const struct bars *bars, double top, double height)
{
	const struct np_chart_axis *axis = &bars->axis;
	struct np_tick ticks[NP_TICKS_MOST];
	const size_t count = np_axis_ticks(axis, ticks);

	fputs("<g class=\"x axis\">\n", file);
	for (size_t i = 0; i < count; i++) {
		draw_grid(file, bar_end(bars, ticks[i].at), top, true, height);
		np_svg_text(file, bar_end(bars, ticks[i].at), top + height + 15, "middle",
			    ticks[i].text);
	}
	np_svg_text(file, bar_end(bars, (axis->low + axis->high) / 2), top + height + 32,
		    "middle", axis->title);
	fprintf(file, "</g>\n<path d=\"M%.1f %.1fv%.1f\" stroke=\"currentColor\"/>\n",
		bar_end(bars, 0), top, height);
}

static void draw_bar(FILE *file, const struct bars *bars, const struct np_bar *bar,
		     double y)
{
	const double zero = bar_end(bars, 0), end = bar_end(bars, bar->at);
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
			bar_end(bars, bar->low), middle - 3, bar_end(bars, bar->high));
	fputs("</g></g>\n", file);
	if (bars->right > 100)
		np_svg_text(file, bars->figure->width - bars->right + 14, middle + 4,
			    "start", bar->value);
	else
		np_svg_text(file, bars->figure->width - bars->right, y - 4, "end",
			    bar->value);
}

static double draw_bars(FILE *file, const struct np_figure *figure, double top)
{
	struct bars bars = lay_bars(figure);
	const double above = bars.step - 25;
	const double height = bars.step * (double)figure->bar_count + 6;

	for (size_t i = 0; i < figure->bar_count; i++) {
		np_axis_include(&bars.axis, figure->bars[i].at);
		np_axis_include(&bars.axis, figure->bars[i].low);
		np_axis_include(&bars.axis, figure->bars[i].high);
	}
	np_axis_margin(&bars.axis, 0.02, 0.02);
	draw_bar_axis(file, &bars, top, height);
	for (size_t i = 0; i < figure->bar_count; i++) {
		const struct np_bar *bar = &figure->bars[i];
		const double y = top + 6 + above + bars.step * (double)i;
		const double text = above > 0 ? y - 4 : y + BAR / 2.0 + 4;
		const size_t indent = strspn(bar->label, " ");

		np_svg_text(file, bar->heading ? 14 : 28 + 7 * (double)indent, text,
			    "start", bar->label + indent);
		if (!bar->heading)
			draw_bar(file, &bars, bar, y);
	}
	top += height + BARS_BELOW;
	return figure->bars_mean[0] == '\0' ?
		       top :
		       svg_wrapped(file, 14, top + 8, figure->width - 28,
				   figure->bars_mean) -
			       8;
}

/* ---- Figures ------------------------------------------------------------------------ */

/* Draws the quality of each run in the colour of its grade; a page in the dark has others,
 * by the class.  Returns as svg_wrapped(). */
static double draw_quality(FILE *file, const char *quality, double width, double top)
{
	static const char *const grades[][2] = { { "POOR", "#c43c00" },
						 { "fair", "#8a6100" },
						 { "good", "#2e7d32" } };
	char line[512], word[16];
	size_t length;

	for (; *quality != '\0'; quality += length + (quality[length] == '\n')) {
		size_t at = 0;

		length = strcspn(quality, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)length, quality);
		do {
			snprintf(word, sizeof(word), "quality %s", grades[at][0]);
		} while (strstr(line, word) == NULL && ++at < 2);
		fprintf(file, "<g class=\"%s\" font-weight=\"bold\" fill=\"%s\">\n",
			grades[at][0], grades[at][1]);
		top = svg_wrapped(file, 14, top, width, line);
		fputs("</g>\n", file);
	}
	return top;
}

static double draw_figure(FILE *file, const struct np_figure *figure, double top)
{
	const double width = figure->width - 28;
	char more[40];

	fprintf(file, "<g font-size=\"16\" font-weight=\"bold\">");
	/* Characters of this size are wider by 3/8. */
	top = svg_wrapped(file, 14, top + 22, width * 8 / 11, figure->title);
	fputs("</g>", file);
	if (figure->subtitle[0] != '\0')
		top = svg_wrapped(file, 14, top + 4, width, figure->subtitle) - 4;
	if (figure->quality[0] != '\0')
		top = draw_quality(file, figure->quality, width * 0.9, top + 4) - 4;
	top += 2;
	if (figure->panel_count != 0)
		top = draw_panels(file, figure, top);
	if (figure->bar_count != 0)
		top = draw_bars(file, figure, top);
	if (figure->pairs != NULL)
		top = np_svg_pairs(file, figure, top);
	if (figure->uses != NULL)
		top = np_svg_reuse(file, figure, top);
	for (size_t i = 0; i < figure->note_count && i < NP_NOTES; i++)
		top = svg_wrapped(file, 14, top + 12, width, figure->notes[i]) - 12;
	if (figure->note_count > NP_NOTES) {
		snprintf(more, sizeof(more), "and %zu more", figure->note_count - NP_NOTES);
		np_svg_text(file, 14, top + 12, "start", more);
		top += 17;
	}
	if (figure->made[0] != '\0')
		top = svg_wrapped(file, 14, top + 12, width, figure->made) - 12;
	return top + 10;
}

int np_svg_write(FILE *file, const struct np_figure *figures, size_t count, double width)
{
	char *text = NULL;
	size_t size = 0;
	double height = 0;
	FILE *body = open_memstream(&text, &size);

	if (body == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct np_figure figure = figures[i];

		figure.width = width;
		height = draw_figure(body, &figure, height);
	}
	const bool complete = fclose(body) == 0;
	if (complete) {
		fprintf(file,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f "
			"%.0f\" "
			"width=\"%.0f\" height=\"%.0f\" role=\"group\" "
			"font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"12\" "
			"fill=\"currentColor\" color=\"#222222\">\n<title>",
			width, height, width, height);
		np_svg_escape(file, figures[0].title);
		fprintf(file,
			"</title>\n<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\" "
			"fill=\"#ffffff\"/>\n%s</svg>\n",
			width, height, text);
	}
	free(text);
	return !complete ? -ENOMEM : ferror(file) ? -errno : 0;
}
