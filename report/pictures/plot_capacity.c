/*
 * plot_capacity.c - script for gnuplot 5 of a capacity sweep: time over the number of
 * buffers, and below it the ratio.
 */
#include <math.h>

#include "report/pictures/pictures.h"

/* buffers, time, low, high, ratio, low, high */
static void write_data(FILE *file, const struct np_sweep_curve *curve, size_t at)
{
	fprintf(file, "$sweep%zu << EOD\n", at);
	for (size_t i = 0; i < curve->count; i++) {
		const struct np_capacity_point *point = &curve->points[i];
		double low, high, ratio_low, ratio_high;

		np_sweep_time_range(point, &low, &high);
		np_sweep_ratio_range(point, &ratio_low, &ratio_high);
		fprintf(file, "%llu %.9g %.9g %.9g %.9g %.9g %.9g\n",
			(unsigned long long)point->buffers, point->seconds * 1e6, low, high,
			point->ratio, ratio_low, ratio_high);
	}
	fputs("EOD\n", file);
}

/* Knees are shaded intervals, expected sizes are faint lines; labels are in the upper panel
 * only. */
static void write_marks(FILE *file, const struct np_sweep_picture *picture, bool names)
{
	for (size_t i = 0; i < picture->knee_count; i++) {
		const struct np_sweep_knee *knee = &picture->knees[i];

		fprintf(file,
			"set object %zu rectangle from first %g, graph 0 to first %g, "
			"graph 1 behind fillcolor rgb '#dedede' fillstyle solid noborder\n",
			i + 1, knee->low, knee->high);
		if (!names)
			continue;
		fprintf(file, "set label %zu ", i + 1);
		np_plot_quote(file, knee->label);
		fprintf(file, " at first %g, graph 0.98 right rotate by 90 front\n",
			sqrt(knee->low * knee->high));
	}
	for (size_t i = 0; i < picture->size_count; i++) {
		const struct np_sweep_size *size = &picture->sizes[i];

		fprintf(file,
			"set arrow %zu from first %g, graph 0 to first %g, graph 1 nohead "
			"back linecolor rgb '#a0a0a0' dashtype (2,4) linewidth 1\n",
			i + 1, size->buffers, size->buffers);
		if (!names)
			continue;
		fprintf(file, "set label %zu ", 500 + i);
		np_plot_quote(file, size->label);
		fprintf(file,
			" at first %g, graph 0.02 left rotate by 90 offset character "
			"-0.7, 0 textcolor rgb '#707070' font ',10'\n",
			size->buffers);
	}
}

static void write_curves(FILE *file, const struct np_sweep_picture *picture,
			 const char *columns, const char *bars, bool text)
{
	for (size_t i = 0; i < picture->count; i++) {
		fputs(i != 0 ? ", \\\n  " : "", file);
		np_plot_curve(file, "sweep", i, i, columns, bars, picture->curves[i].label,
			      text);
	}
	fputc('\n', file);
}

/* An axis of less than a decade has ticks between decades. */
static void write_values(FILE *file, double low, double high)
{
	fprintf(file, "set logscale y 10\nset yrange [%.9g:%.9g]\n", low, high);
	if (high < 10 * low)
		fputs("set ytics 10, 10, 10\nset ytics add (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, "
		      "0.7, "
		      "1, 1.2, 1.5, 2, 3, 4, 5, 7, 10, 12, 15, 20, 30, 40, 50, 70, 100)\n",
		      file);
	else
		fputs("set ytics auto\n", file);
}

static void write_time_panel(FILE *file, const struct np_sweep_picture *picture, bool text)
{
	fputs(text ? "set title " : "set ylabel ", file);
	np_plot_quote(file, "time of a message, us");
	fputs("\nset key top left\n", file);
	write_values(file, picture->time_from, picture->time_to);
	fputs("plot ", file);
	write_curves(file, picture, "1:2", "1:3:(0):($4-$3)", text);
}

static void write_ratio_panel(FILE *file, const struct np_sweep_picture *picture)
{
	fputs("set ylabel ", file);
	np_plot_quote(file, "time ratio rotate/reuse");
	fputs("\nunset key\n", file);
	write_values(file, picture->ratio_from, picture->ratio_to);
	fputs("plot 1 with lines linecolor rgb '#808080' linewidth 1 notitle, \\\n  ",
	      file);
	write_curves(file, picture, "1:5", "1:6:(0):($7-$6)", false);
}

void np_plot_capacity(FILE *file, const struct np_picture *picture, bool text)
{
	const struct np_sweep_picture *sweep = &picture->sweep;

	for (size_t i = 0; i < sweep->count; i++)
		write_data(file, &sweep->curves[i], i);
	np_plot_powers(file, sweep->buffers_low, sweep->buffers_high, sweep->x_title);
	if (text) {
		write_time_panel(file, sweep, text);
		return;
	}
	fputs("set multiplot\nset lmargin at screen 0.10\nset rmargin at screen 0.97\n",
	      file);
	np_plot_titles(file, picture);
	write_marks(file, sweep, true);
	fputs("set tmargin at screen 0.945\nset bmargin at screen 0.44\n", file);
	write_time_panel(file, sweep, text);
	fputs("unset label\n", file);
	write_marks(file, sweep, false);
	fputs("set tmargin at screen 0.385\nset bmargin at screen 0.06\n", file);
	write_ratio_panel(file, sweep);
	fputs("unset multiplot\n", file);
}
