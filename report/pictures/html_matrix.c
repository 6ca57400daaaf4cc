/*
 * html_matrix.c - the heat map of --all-pairs as SVG, with a title on each cell, and as a
 * table.
 */
#include <math.h>
#include <string.h>

#include "report/pictures/pictures.h"
#include "report/pictures/html_panel.h"
#include "report/text/text.h"

enum { LEFT = 150, RIGHT = 90, NAMES = 30, NOTE = 17 };
/* Bounds of the height of a cell, and of the panel. */
enum { CELL_HIGH = 70, CELL_LOW = 11, TALL = 440, NUMBERS_MOST = 16, KEY_CELLS = 64 };

/* Geometry of the cells of a panel. */
struct grid {
	double top, width, height; /* of a cell */
	size_t hosts;
};

static void title_cell(FILE *file, const struct np_heat_picture *picture,
		       const struct np_heat_cell *cell)
{
	const struct np_host_entry *hosts = picture->pairs->hosts.hosts;
	const struct np_host_pair_figure *figure = cell->figure;
	char bytes[40], time[40];

	np_html_between(file, "<title>", hosts[cell->row].name,
			picture->pairs->matrix.one_way ? " to " : " - ");
	np_html_text(file, hosts[cell->column].name);
	if (figure == NULL) {
		np_html_between(file, "\nnot measured: ",
				cell->link->measured ? "this size" :
						       np_heat_reason(cell->link),
				"");
	} else {
		np_text_length((double)figure->bytes, bytes, sizeof(bytes));
		np_text_seconds(figure->median_s, time, sizeof(time));
		fprintf(file, "\n%s\n%s", bytes, time);
		if (!isnan(figure->low_s))
			fprintf(file, " [%.4g us, %.4g us]", figure->low_s * 1e6,
				figure->high_s * 1e6);
		fprintf(file, "\n%.4g Mbit/s", figure->mbps);
		if (!isnan(figure->times))
			fprintf(file, "\n%.3g times the median of all pairs%s",
				figure->times, figure->slow ? ": stands out" : "");
	}
	fputs("</title>", file);
}

static void draw_cell(FILE *file, const struct grid *grid,
		      const struct np_heat_picture *picture,
		      const struct np_heat_cell *cell)
{
	const double x = LEFT + grid->width * (double)cell->column;
	const double y = grid->top + grid->height * (double)cell->row;
	const bool slow = cell->figure != NULL && cell->figure->slow;

	fputs("<g class=\"mark\">", file);
	title_cell(file, picture, cell);
	fprintf(file,
		"<rect class=\"cell%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%.1f\" fill=\"#%06x\" stroke=\"%s\" stroke-width=\"%d\"/>",
		slow		     ? " slow" :
		cell->figure == NULL ? " unmeasured" :
				       "",
		x + slow, y + slow, grid->width - 2 * slow, grid->height - 2 * slow,
		cell->figure != NULL ? cell->colour : 0xd9d9d9u, slow ? "#000" : "#ddd",
		slow ? 2 : 1);
	/* A cell without a figure is crossed out. */
	if (cell->figure == NULL)
		fprintf(file,
			"<path d=\"M%.1f %.1fl%.1f %.1fm0 %.1fl%.1f %.1f\" "
			"stroke=\"#909090\"/>",
			x, y, grid->width, grid->height, -grid->height, -grid->width,
			grid->height);
	else if (grid->hosts <= NUMBERS_MOST)
		fprintf(file,
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
			"style=\"fill: %s\">%s</text>",
			x + grid->width / 2, y + grid->height / 2 + 4,
			cell->dark ? "#fff" : "#000", cell->text);
	fputs("</g>\n", file);
}

static void draw_names(FILE *file, const struct grid *grid,
		       const struct np_heat_picture *picture)
{
	const double bottom = grid->top + grid->height * (double)grid->hosts;
	char name[40];

	for (size_t i = 0; i < grid->hosts; i++) {
		np_heat_host(picture, i, name, sizeof(name));
		np_panel_text(file, LEFT - 8,
			      grid->top + grid->height * ((double)i + 0.5) + 4, "end",
			      name);
		fprintf(file,
			"<text transform=\"translate(%.1f %.1f)%s\" "
			"text-anchor=\"%s\"",
			LEFT + grid->width * ((double)i + 0.5) + (grid->hosts > 8 ? 4 : 0),
			bottom + (grid->hosts > 8 ? 8 : 18),
			grid->hosts > 8 ? " rotate(-90)" : "",
			grid->hosts > 8 ? "end" : "middle");
		np_html_between(file, ">", name, "</text>\n");
	}
}

/* Colour key beside a panel, the slowest on top. */
static void draw_key(FILE *file, const struct grid *grid,
		     const struct np_heat_picture *picture)
{
	const double x = NP_PANEL_WIDTH - RIGHT + 16;
	const double height = grid->height * (double)grid->hosts;
	double ticks[NP_HEAT_TICKS];
	const size_t count = np_heat_ticks(picture, ticks);
	char text[40];

	for (unsigned i = 0; i < KEY_CELLS; i++)
		fprintf(file,
			"<rect class=\"key\" x=\"%.1f\" y=\"%.2f\" width=\"14\" "
			"height=\"%.2f\" fill=\"#%06x\"/>\n",
			x, grid->top + height * i / KEY_CELLS, height / KEY_CELLS + 0.5,
			np_heat_colour(picture,
				       pow(picture->most, 1 - (2 * i + 1.0) / KEY_CELLS)));
	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%.3g", ticks[i]);
		np_panel_text(file, x + 20,
			      grid->top + 4 +
				      height * (1 - log(ticks[i]) / log(picture->most)) / 2,
			      "start", text);
	}
	fprintf(file,
		"<text transform=\"translate(%.1f %.1f) rotate(-90)\" "
		"text-anchor=\"middle\">times the median of all pairs</text>\n",
		x + 66, grid->top + height / 2);
}

/* Height of the names, which are vertical if there are many. */
static double names_height(const struct np_heat_picture *picture)
{
	size_t longest = 0;
	char name[40];

	for (size_t i = 0; i < picture->pairs->hosts.count; i++) {
		np_heat_host(picture, i, name, sizeof(name));
		longest = strlen(name) > longest ? strlen(name) : longest;
	}
	return picture->pairs->hosts.count > 8 ? 24 + 8 * (double)longest : NAMES;
}

void np_html_matrix(FILE *file, const struct np_heat_picture *picture)
{
	const size_t hosts = picture->pairs->hosts.count;
	struct grid grid = {
		.hosts = hosts,
		.width = (double)(NP_PANEL_WIDTH - LEFT - RIGHT) / (double)hosts,
		.height = fmax(CELL_LOW, fmin(CELL_HIGH, TALL / (double)hosts)),
		.top = 24
	};
	const double panel = grid.height * (double)hosts + names_height(picture) + 34;

	np_html_between(file, "<h2>", picture->title, "</h2>\n");
	np_panel_svg(file,
		     panel * (double)picture->panel_count +
			     NOTE * (double)picture->note_count,
		     picture->title);
	for (size_t i = 0; i < picture->panel_count; i++) {
		np_panel_text(file, LEFT, grid.top - 9, "start", picture->panels[i].title);
		for (size_t k = 0; k < picture->panels[i].count; k++)
			draw_cell(file, &grid, picture, &picture->panels[i].cells[k]);
		draw_names(file, &grid, picture);
		if (picture->judged)
			draw_key(file, &grid, picture);
		grid.top += panel;
	}
	for (size_t i = 0; i < picture->note_count; i++)
		np_panel_text(file, 8, grid.top - 14 + NOTE * (double)i, "start",
			      picture->notes[i]);
	fputs("</svg>\n", file);
}

static void write_link(FILE *file, const struct np_heat_picture *picture,
		       const struct np_host_pair *link,
		       const struct np_host_pair_figure *figure)
{
	const struct np_host_entry *hosts = picture->pairs->hosts.hosts;

	np_html_between(file, "<tr><td class=\"word\">", hosts[link->from].name, "</td>");
	np_html_between(file, "<td class=\"word\">", hosts[link->to].name, "</td>");
	fprintf(file, "<td>%zu</td>", figure->bytes);
	np_html_cell(file, figure->median_s * 1e6);
	np_html_cell(file, figure->low_s * 1e6);
	np_html_cell(file, figure->high_s * 1e6);
	np_html_cell(file, figure->mbps);
	np_html_cell(file, figure->times);
	fprintf(file, "<td class=\"word\">%s</td></tr>\n",
		figure->slow ? "stands out" : "");
}

void np_html_matrix_table(FILE *file, const struct np_heat_picture *picture)
{
	const struct np_matrix *matrix = &picture->pairs->matrix;

	np_html_between(file, "<details open><summary>", picture->title,
			"</summary>\n<table>\n<tr><th class=\"word\">from</th><th "
			"class=\"word\">to</th>"
			"<th>bytes</th><th>us</th><th>low</th><th>high</th><th>Mbit/s</th>"
			"<th>times</th><th class=\"word\"></th></tr>\n");
	for (size_t i = 0; i < matrix->link_count; i++) {
		for (size_t k = 0; k < matrix->links[i].figure_count; k++)
			write_link(file, picture, &matrix->links[i],
				   &matrix->links[i].figures[k]);
	}
	fputs("</table>\n</details>\n", file);
}
