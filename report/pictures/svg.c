/*
 * svg.c - draws figures below each other, with the primitives of all figures.
 */
#include "report/pictures/pictures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/harmless.h"

/* Escapes one line; a byte that is not UTF-8 would end an SVG. */
static void escape_line(FILE *file, const char *text, size_t length)
{
	char *line = strndup(text, length);

	if (line == NULL)
		return;
	np_make_harmless(line, '?');
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

/* Colours of M. Okabe and K. Ito, "Color Universal Design", 2008, the darkest first and
 * without yellow, which is invisible on white; then that of text. */
void np_svg_style(FILE *file, size_t style)
{
	static const char *const colours[NP_STYLES + 1] = { "#0072b2", "#d55e00", "#009e73",
							    "#cc79a7", "#000000", "#e69f00",
							    "#56b4e9", "#222222" };
	const size_t at = style == NP_STYLES ? style : style % NP_STYLES;

	fprintf(file, "<g class=\"s%zu\" color=\"%s\">", at, colours[at]);
}

void np_svg_grid(FILE *file, double x, double y, bool upright, double length)
{
	fprintf(file, "<path class=\"grid\" d=\"M%.1f %.1f%c%.1f\" stroke=\"#dddddd\"/>\n",
		x, y, upright ? 'v' : 'h', length);
}

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
		top = np_svg_panels(file, figure, top);
	if (figure->bar_count != 0)
		top = np_svg_bars(file, figure, top);
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
