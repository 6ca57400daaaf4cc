/*
 * svg_marks.c - draws marks of steps, dropouts and capacities: names above the first panel,
 * in rows that do not overlap, and places in every panel.
 */
#include "report/pictures/pictures.h"

/* Most rows of names, and their height; marks without a free row have no name. */
enum { ROWS = 10, ROW = 15 };

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
	const double low = np_svg_x(figure, mark->low), high = np_svg_x(figure, mark->high);
	const double width = np_svg_width(mark->label);
	const bool left = high + 8 + width > NP_SVG_WIDTH && low - 8 - width > 0;
	size_t row = 0;

	while (row < ROWS && row_ends[row] > low - (left ? 8 + width : 0) - 6)
		row++;
	if (row == ROWS)
		return;
	row_ends[row] = left ? high : high + 8 + width;
	const double y = top + ROW * (double)row + 8;
	np_svg_style(file, mark->style);
	fprintf(file,
		"<path d=\"M%.1f %.1fv8m0 -4H%.1fm0 -4v8\" fill=\"none\" "
		"stroke=\"currentColor\" stroke-width=\"1.5\"/>",
		low, y - 4, high);
	np_svg_text(file, left ? low - 6 : high + 6, y + 4, left ? "end" : "start",
		    mark->label);
	fputs("</g>\n", file);
}

double np_svg_mark_names(FILE *file, const struct np_figure *figure, double top)
{
	double row_ends[ROWS] = { 0 };
	size_t used = 0;

	for (size_t i = 0; i < figure->mark_count; i++)
		draw_name(file, figure, &figure->marks[i], row_ends, top);
	while (used < ROWS && row_ends[used] > 0)
		used++;
	return top + ROW * (double)used + (used != 0 ? 2 : 0);
}

void np_svg_mark_places(FILE *file, const struct np_figure *figure, double top,
			double height)
{
	for (size_t i = 0; i < figure->mark_count; i++) {
		const struct np_mark *mark = &figure->marks[i];
		const double low = np_svg_x(figure, mark->low);
		const double high = np_svg_x(figure, mark->high);
		const double middle = (low + high) / 2;

		np_svg_style(file, mark->style);
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
