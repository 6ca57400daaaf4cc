/*
 * svg_reuse.c - makes and draws the heat map of a record: reuse distance over message size,
 * coloured by the share of the communication time, with the capacity found by --capacity.
 */
#include "report/pictures/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/text/text.h"

enum { LEFT = 96, BELOW = 46, COLUMN = 64, ROW_HIGH = 22, ROW_LOW = 9, TALL = 420 };

/* Half octaves: 0 of no bytes, 1 of one byte. */
enum { CLASSES = 128 };

static double class_of(double bytes)
{
	return bytes < 1 ? 0 : fmin(1 + 2 * log2(bytes), CLASSES - 2);
}

static double bytes_of(size_t class)
{
	return class == 0 ? 0 : exp2(((double)class - 1) / 2);
}

/* Shares of the time by row and column.  The row CLASSES - 1, at the top, is "never used
 * before"; row 0, at the bottom, is of distance 0. */
struct grid {
	double share[CLASSES][CLASSES]; /* [row][column] */
	size_t first_column, last_column, first_row, last_row;
	bool never, zero;
	double top, width, height;
};

static struct grid *grid_of(const struct np_uses *uses)
{
	struct grid *grid = calloc(1, sizeof(*grid));

	if (grid == NULL)
		return NULL;
	grid->first_column = grid->first_row = CLASSES;
	for (size_t i = 0; i < uses->cell_count; i++) {
		const struct np_reuse_cell *cell = &uses->cells[i];
		const size_t column = (size_t)lround(class_of(cell->size[0]));
		const size_t row = cell->never ?
					   CLASSES - 1 :
					   (size_t)lround(class_of(cell->distance[0]));

		grid->share[row][column] += uses->ns > 0 ? cell->ns / uses->ns : 0;
		if (column < grid->first_column)
			grid->first_column = column;
		if (column > grid->last_column)
			grid->last_column = column;
		grid->never |= cell->never;
		grid->zero |= row == 0;
		if (cell->never || row == 0)
			continue;
		if (row < grid->first_row)
			grid->first_row = row;
		if (row > grid->last_row)
			grid->last_row = row;
	}
	return grid;
}

/* Includes the row of the capacity, and returns the number of rows. */
static size_t count_rows(struct grid *grid, double capacity)
{
	const size_t row = (size_t)class_of(capacity);

	if (capacity > 0 && row < grid->first_row)
		grid->first_row = row;
	if (capacity > 0 && row + 1 > grid->last_row)
		grid->last_row = row + 1;
	/* No distance between 0 and never. */
	if (grid->first_row == CLASSES)
		grid->first_row = grid->last_row + 1;
	return grid->last_row + 1 - grid->first_row + (grid->never ? 1 : 0) +
	       (grid->zero ? 1 : 0);
}

/* Upper end of a row; the largest distance is at the top, below "never". */
static double row_top(const struct grid *grid, double row)
{
	const double place = row == CLASSES - 1 ? -1 :
			     row == 0 ? (double)(grid->last_row + 1 - grid->first_row) :
					(double)grid->last_row - row;

	return grid->top + grid->height * (place + (grid->never ? 1 : 0));
}

static void draw_use(FILE *file, const struct grid *grid, size_t row, size_t column)
{
	const double share = grid->share[row][column];
	const double x = LEFT + grid->width * (double)(column - grid->first_column);
	const double y = row_top(grid, (double)row);
	/* White is a thousandth of the time. */
	const unsigned colour = np_heat_share(1 + log10(fmax(share, 1e-3)) / 3);
	char size[40], distance[40] = "never used before", percent[40];

	if (!(share > 0))
		return;
	np_text_length(round(bytes_of(column)), size, sizeof(size));
	if (row != CLASSES - 1)
		np_text_length(round(bytes_of(row)), distance, sizeof(distance));
	snprintf(percent, sizeof(percent), "%.2g %%", 100 * share);
	char *text = np_text_of("%s\ndistance %s\n%s of the communication time", size,
				distance, percent);

	np_svg_reach(file, text != NULL ? text : "");
	free(text);
	fprintf(file,
		"<rect class=\"cell\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%.1f\" fill=\"#%06x\" stroke=\"#dddddd\"/>",
		x, y, grid->width, grid->height, colour);
	if (grid->width >= 40 && grid->height >= 12)
		fprintf(file,
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
			"font-size=\"10\" fill=\"#000000\">%s</text>",
			x + grid->width / 2, y + grid->height / 2 + 4, percent);
	fputs("</g>\n", file);
}

static void draw_axes(FILE *file, const struct grid *grid, double bottom)
{
	char text[40];

	for (size_t i = grid->first_column; i <= grid->last_column; i++) {
		if ((i % 2 == 0 || grid->width < 20) && i != grid->first_column)
			continue;
		np_text_length(round(bytes_of(i)), text, sizeof(text));
		np_svg_text(file,
			    LEFT + grid->width * ((double)(i - grid->first_column) + 0.5),
			    bottom + 15, "middle", text);
	}
	for (size_t i = grid->first_row; i <= grid->last_row; i++) {
		if (i % 4 != 1 && (i != grid->last_row || i % 4 == 2))
			continue;
		np_text_length(round(bytes_of(i)), text, sizeof(text));
		np_svg_text(file, LEFT - 6, row_top(grid, (double)i) + grid->height / 2 + 4,
			    "end", text);
	}
	if (grid->never)
		np_svg_text(file, LEFT - 6, grid->top + grid->height / 2 + 4, "end",
			    "never");
	if (grid->zero)
		np_svg_text(file, LEFT - 6, row_top(grid, 0) + grid->height / 2 + 4, "end",
			    "0");
	np_svg_text(file, LEFT, bottom + 33, "start",
		    "size of a message; up: bytes of other buffers since the buffer was "
		    "last used");
}

double np_svg_reuse(FILE *file, const struct np_figure *figure, double top)
{
	struct grid *grid = grid_of(figure->uses);
	char text[80], bytes[40];

	if (grid == NULL)
		return top;
	const size_t rows = count_rows(grid, figure->capacity);
	const double columns = (double)(grid->last_column - grid->first_column + 1);

	grid->top = top + 14;
	grid->width = fmin(COLUMN, (figure->width - LEFT - NP_SVG_RIGHT) / columns);
	grid->height = fmax(ROW_LOW, fmin(ROW_HIGH, TALL / (double)rows));
	fprintf(file,
		"<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"fill=\"none\" stroke=\"#909090\"/>\n",
		LEFT, grid->top, grid->width * columns, grid->height * (double)rows);
	for (size_t row = 0; row < CLASSES; row++) {
		for (size_t column = grid->first_column; column <= grid->last_column;
		     column++)
			draw_use(file, grid, row, column);
	}
	const double bottom = grid->top + grid->height * (double)rows;

	draw_axes(file, grid, bottom);
	if (figure->capacity > 0) {
		const double y = row_top(grid, class_of(figure->capacity)) + grid->height;

		np_text_length(figure->capacity, bytes, sizeof(bytes));
		snprintf(text, sizeof(text), "capacity %s", bytes);
		fprintf(file,
			"<path class=\"capacity\" d=\"M%d %.1fh%.1f\" stroke=\"#000000\" "
			"stroke-width=\"2\" stroke-dasharray=\"6 4\"/>\n",
			LEFT, y, figure->width - LEFT - NP_SVG_RIGHT);
		np_svg_text(file, figure->width - NP_SVG_RIGHT, y - 4, "end", text);
	}
	free(grid);
	return bottom + BELOW;
}

void np_reuse_figure(struct np_figure *figure, const struct np_uses *uses, double capacity)
{
	figure->uses = uses;
	figure->capacity = capacity;
	snprintf(figure->title, sizeof(figure->title), "Buffers of %.120s", uses->command);
	snprintf(figure->subtitle, sizeof(figure->subtitle),
		 "share of the communication time by size and reuse distance%s",
		 capacity > 0 ? "; buffers above the line are cold here" : "");
}
