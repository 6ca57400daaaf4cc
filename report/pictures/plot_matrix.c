/*
 * plot_matrix.c - script for gnuplot 5 of the heat map of --all-pairs.
 */
#include <math.h>

#include "report/pictures/pictures.h"

/* Limits of hosts for numbers in cells, and for frames. */
enum { NUMBERS_MOST = 16, FRAMES_MOST = 24, KEY_CELLS = 64 };

/* Font size by the number of hosts. */
static const char *font_of(size_t hosts)
{
	return hosts <= 12 ? ",11" : hosts <= 24 ? ",9" : hosts <= 40 ? ",7" : ",5";
}

/* Data blocks: column, row, colour, number, colour of the number; cells that were not
 * measured; slow cells. */
static void write_cells(FILE *file, const struct np_heat_panel *panel, size_t at)
{
	fprintf(file, "$cells%zu << EOD\n", at);
	for (size_t i = 0; i < panel->count; i++) {
		const struct np_heat_cell *cell = &panel->cells[i];

		if (cell->figure != NULL)
			fprintf(file, "%zu %zu %u \"%s\" %u\n", cell->column, cell->row,
				cell->colour, cell->text, cell->dark ? 0xffffffu : 0u);
	}
	fprintf(file, "EOD\n$unmeasured%zu << EOD\n", at);
	for (size_t i = 0; i < panel->count; i++) {
		if (panel->cells[i].figure == NULL)
			fprintf(file, "%zu %zu\n", panel->cells[i].column,
				panel->cells[i].row);
	}
	fprintf(file, "EOD\n$slow%zu << EOD\n", at);
	for (size_t i = 0; i < panel->count; i++) {
		if (panel->cells[i].figure != NULL && panel->cells[i].figure->slow)
			fprintf(file, "%zu %zu\n", panel->cells[i].column,
				panel->cells[i].row);
	}
	fputs("EOD\n", file);
}

static void write_names(FILE *file, const struct np_heat_picture *picture, char axis)
{
	const size_t hosts = picture->pairs->hosts.count;
	char name[40];

	fprintf(file, "set %ctics scale 0 font '%s' textcolor rgb '#000000' (", axis,
		font_of(hosts));
	for (size_t i = 0; i < hosts; i++) {
		np_heat_host(picture, i, name, sizeof(name));
		fputs(i != 0 ? ", " : "", file);
		np_plot_quote(file, name);
		fprintf(file, " %zu", i);
	}
	fputs(")\n", file);
}

static void write_axes(FILE *file, const struct np_heat_picture *picture)
{
	const size_t hosts = picture->pairs->hosts.count;

	fprintf(file, "set xrange [-0.5:%g]\nset yrange [%g:-0.5]\n", (double)hosts - 0.5,
		(double)hosts - 0.5);
	write_names(file, picture, 'x');
	write_names(file, picture, 'y');
	if (hosts > 8)
		fputs("set xtics rotate by 90 right\n", file);
}

static size_t count_cells(const struct np_heat_panel *panel, bool slow)
{
	size_t count = 0;

	for (size_t i = 0; i < panel->count; i++) {
		const struct np_host_pair_figure *figure = panel->cells[i].figure;

		count += slow ? figure != NULL && figure->slow : figure == NULL;
	}
	return count;
}

/* Plots the data blocks that are not empty. */
static void write_panel(FILE *file, const struct np_heat_picture *picture, size_t at)
{
	const struct np_heat_panel *panel = &picture->panels[at];
	const size_t hosts = picture->pairs->hosts.count;
	const size_t missing = count_cells(panel, false), slow = count_cells(panel, true);
	const char *comma = "";

	fputs("set title ", file);
	np_plot_quote(file, panel->title);
	fputs("\nplot ", file);
	if (missing < panel->count) {
		fprintf(file,
			"$cells%zu using 1:2:(0.5):(0.5):3 with boxxyerror fillstyle solid "
			"%s linecolor rgb variable notitle",
			at,
			hosts <= FRAMES_MOST ? "border linecolor rgb '#dddddd'" :
					       "noborder");
		comma = ", \\\n  ";
	}
	if (missing != 0) {
		fprintf(file,
			"%s$unmeasured%zu using 1:2:(0.5):(0.5) with boxxyerror linecolor "
			"rgb '#808080' fillstyle pattern 4 border linecolor rgb '#808080' "
			"notitle",
			comma, at);
		comma = ", \\\n  ";
	}
	if (slow != 0)
		fprintf(file,
			"%s$slow%zu using 1:2:(0.48):(0.48) with boxxyerror linecolor rgb "
			"'#000000' linewidth 2.5 fillstyle empty border linecolor rgb "
			"'#000000' notitle",
			comma, at);
	if (missing < panel->count && hosts <= NUMBERS_MOST)
		fprintf(file,
			"%s$cells%zu using 1:2:4:5 with labels font '%s' textcolor rgb "
			"variable notitle",
			comma, at, font_of(hosts));
	fputc('\n', file);
}

/* Colour key beside the first panel, from the fastest to the slowest. */
static void write_key(FILE *file, const struct np_heat_picture *picture)
{
	const double span = 2 * log(picture->most) / KEY_CELLS;
	double ticks[NP_HEAT_TICKS];
	const size_t count = np_heat_ticks(picture, ticks);

	fputs("$key << EOD\n", file);
	for (unsigned i = 0; i < KEY_CELLS; i++) {
		const double place = -log(picture->most) + (i + 0.5) * span;

		fprintf(file, "0 %.6g %u\n", place, np_heat_colour(picture, exp(place)));
	}
	fprintf(file,
		"EOD\nset xrange [-0.5:0.5]\nset yrange [%.6g:%.6g]\n"
		"unset xtics\nunset ytics\nset y2range [%.6g:%.6g]\n"
		"set y2tics scale 0.3 font ',10' textcolor rgb '#000000' (",
		-log(picture->most), log(picture->most), -log(picture->most),
		log(picture->most));
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%s'%.3g' %.6g", i != 0 ? ", " : "", ticks[i], log(ticks[i]));
	fprintf(file,
		")\nunset title\nset y2label 'times the median of all pairs' "
		"offset character 0.5, 0\n"
		"plot $key using 1:2:(0.5):(%.6g):3 with boxxyerror fillstyle solid "
		"noborder linecolor rgb variable notitle\n",
		span * 0.52);
}

static void write_notes(FILE *file, const struct np_heat_picture *picture, double bottom)
{
	for (size_t i = 0; i < picture->note_count; i++) {
		fprintf(file, "set label %zu ", 900 + i);
		np_plot_quote(file, picture->notes[i]);
		fprintf(file, " at screen 0.05, screen %g font ',10' noenhanced\n",
			bottom - 0.0155 * (double)i);
	}
}

/* A text terminal shows the numbers only. */
static void write_text(FILE *file, const struct np_heat_picture *picture)
{
	const size_t last = picture->panel_count - 1;

	write_axes(file, picture);
	fputs("unset key\nunset grid\n", file);
	write_cells(file, &picture->panels[last], last);
	fputs("set title ", file);
	np_plot_quote(file, picture->panels[last].title);
	if (count_cells(&picture->panels[last], false) == picture->panels[last].count)
		fputs("\nplot NaN notitle\n", file);
	else
		fprintf(file, "\nplot $cells%zu using 1:2:4 with labels notitle\n", last);
}

void np_plot_matrix(FILE *file, const struct np_picture *picture, bool text)
{
	const struct np_heat_picture *heat = &picture->heats[0];
	const double bottom = 0.05 + 0.0155 * (double)heat->note_count;
	const double names = heat->pairs->hosts.count > 8 ? 0.075 : 0.045;
	const double tall = (0.93 - bottom) / (double)heat->panel_count;

	if (text) {
		write_text(file, heat);
		return;
	}
	for (size_t i = 0; i < heat->panel_count; i++)
		write_cells(file, &heat->panels[i], i);
	fputs("set multiplot\nunset grid\nset border 15 linecolor rgb '#aaaaaa'\n"
	      "set lmargin at screen 0.15\nset rmargin at screen 0.86\n",
	      file);
	np_plot_titles(file, picture);
	write_notes(file, heat, bottom - 0.025);
	write_axes(file, heat);
	fputs("unset key\n", file);
	for (size_t i = 0; i < heat->panel_count; i++) {
		const double top = 0.93 - tall * (double)i;

		fprintf(file, "set tmargin at screen %g\nset bmargin at screen %g\n",
			top - 0.03, top - tall + names);
		write_panel(file, heat, i);
		fputs("unset label\n", file);
	}
	fprintf(file,
		"set tmargin at screen 0.9\nset bmargin at screen %g\n"
		"set lmargin at screen 0.89\nset rmargin at screen 0.91\n",
		0.93 - tall + names);
	if (heat->judged)
		write_key(file, heat);
	fputs("unset multiplot\n", file);
}
