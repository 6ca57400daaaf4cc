/*
 * plot_script.c - script for gnuplot 5 of curves over sizes.
 *
 * Text of files is single-quoted, where gnuplot substitutes nothing, and apostrophes are
 * replaced: it cannot become commands.
 */
#include "report/pictures/pictures.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *const dashes[NP_STYLES] = { "1",	"(12,4)", "(3,3)", "(12,4,3,4)",
					       "(6,3)", "(18,5)", "(2,5)" };
static const unsigned markers[NP_STYLES] = { 7, 4, 9, 12, 5, 6, 8 };

/* An apostrophe becomes a typographic one, which does not end the string. */
void np_plot_quote(FILE *file, const char *text)
{
	fputc('\'', file);
	for (; *text != '\0'; text++) {
		const unsigned char byte = (unsigned char)*text;

		if (byte == '\'')
			fputs("\xe2\x80\x99", file);
		else
			fputc(byte < 0x20 || byte == 0x7f || byte == '`' ? '?' : byte,
			      file);
	}
	fputc('\'', file);
}

/* Title of the y axis; on a text terminal, of the plot. */
static void name_axis(FILE *file, const char *title, const char *unit, bool text)
{
	char name[NP_LABEL + 64];

	snprintf(name, sizeof(name), "%s%s", title, unit);
	fputs(text ? "set title " : "set ylabel ", file);
	np_plot_quote(file, name);
	fputc('\n', file);
}

/* Data block: size; time in us and interval; rate and interval; size if circled. */
static void write_curve(FILE *file, const struct np_picture *picture, size_t at)
{
	const struct np_curve *curve = &picture->curves[at];

	fprintf(file, "$curve%zu << EOD\n", at);
	for (size_t i = 0; i < curve->analysis->count; i++) {
		const struct np_point *point = &curve->analysis->points[i];
		const double unit = picture->rate_unit;
		double low, high;

		np_point_range(point, &low, &high);
		if (i != 0 && np_curve_ends(curve->analysis, i))
			fputs("\n", file);
		fprintf(file, "%g %.9g %.9g %.9g", np_picture_size(point->bytes),
			point->seconds * 1e6, low * 1e6, high * 1e6);
		if (point->bytes != 0 && !np_op_is_collective(curve->series->op))
			fprintf(file, " %.9g %.9g %.9g",
				np_series_rate(curve->series, point->bytes,
					       point->seconds) /
					unit,
				np_series_rate(curve->series, point->bytes, high) / unit,
				np_series_rate(curve->series, point->bytes, low) / unit);
		else
			fputs(" NaN NaN NaN", file);
		/* The size again, where a circle belongs. */
		fprintf(file, " %g\n",
			picture->overlay && np_curve_drops(curve->analysis, i) ?
				np_picture_size(point->bytes) :
				(double)NAN);
	}
	fputs("EOD\n", file);
}

static void write_ratio(FILE *file, const struct np_picture *picture, size_t at)
{
	const struct np_ratio_list *list = picture->ratios[at].list;

	fprintf(file, "$ratio%zu << EOD\n", at);
	for (size_t i = 0; i < list->count; i++) {
		const struct np_pair *ratio = &list->ratios[i];
		const bool known = !isnan(ratio->low);

		fprintf(file, "%g %.9g %.9g %.9g", np_picture_size(ratio->length),
			ratio->ratio, known ? ratio->low : ratio->ratio,
			known ? ratio->high : ratio->ratio);
		/* The size again, where a circle belongs. */
		fprintf(file, " %g\n",
			np_verdict_is_sure(ratio->verdict) ?
				np_picture_size(ratio->length) :
				(double)NAN);
	}
	fputs("EOD\n", file);
}

/* Powers of four, as "4K". */
void np_plot_powers(FILE *file, double low, double high, const char *title)
{
	const char *comma = "";
	char name[40];

	fprintf(file, "set logscale x 2\nset xrange [%g:%g]\nset xtics (", low / 1.2,
		high * 1.2);
	if (low < 1) {
		fputs("'0' 0.5", file);
		comma = ", ";
	}
	for (unsigned power = 0; exp2(power) <= high * 1.2 && power < 60; power += 2) {
		if (exp2(power) < low / 1.2)
			continue;
		np_name_power(power, name, sizeof(name));
		fprintf(file, "%s'%s' %.0f", comma, name, exp2(power));
		comma = ", ";
	}
	fputs(")\nset xlabel ", file);
	np_plot_quote(file, title);
	fputc('\n', file);
}

static void write_marks(FILE *file, const struct np_picture *picture)
{
	for (size_t i = 0; i < picture->dropout_count; i++)
		fprintf(file,
			"set object %zu rectangle from first %g, graph 0 to first %g, "
			"graph 1 behind fillcolor rgb '#d9d9d9' fillstyle solid noborder\n",
			i + 1, picture->dropouts[i].low, picture->dropouts[i].high);
	for (size_t i = 0; i < picture->step_count; i++)
		fprintf(file,
			"set arrow %zu from first %g, graph 0 to first %g, graph 1 nohead "
			"back linecolor rgb '#808080' dashtype (12,8) linewidth 1\n",
			i + 1, picture->steps[i].low, picture->steps[i].low);
}

static void write_style(FILE *file, size_t style)
{
	fprintf(file,
		"linecolor rgb '%s' dashtype %s linewidth 1.6 pointtype %u pointsize 0.6",
		np_style_colour(style), dashes[np_style_dash(style)],
		markers[np_style_marker(style)]);
}

void np_plot_curve(FILE *file, const char *block, size_t at, size_t style,
		   const char *columns, const char *bars, const char *label, bool text)
{
	fprintf(file, "$%s%zu using %s with linespoints ", block, at, columns);
	write_style(file, style);
	fputs(" title ", file);
	np_plot_quote(file, label);
	if (text || bars == NULL)
		return;
	fprintf(file,
		", \\\n  $%s%zu using %s with vectors nohead linecolor rgb '%s' linewidth "
		"1.2 notitle",
		block, at, bars, np_style_colour(style));
}

static void write_curves(FILE *file, const struct np_picture *picture, const char *columns,
			 const char *bars, const char *circles, bool text)
{
	fputs("plot ", file);
	for (size_t i = 0; i < picture->count; i++) {
		fputs(i != 0 ? ", \\\n  " : "", file);
		np_plot_curve(file, "curve", i, i, columns, bars, picture->curves[i].label,
			      text);
		if (picture->circled && !text && circles != NULL)
			fprintf(file,
				", \\\n  $curve%zu using %s with points pointtype 6 "
				"pointsize 1.6 linecolor rgb '%s' notitle",
				i, circles, np_style_colour(i));
	}
}

/* Entries of the legend that are not curves. */
static void write_legend(FILE *file, const struct np_picture *picture, bool text)
{
	const char *once = picture->once ? ", measured once" : "";

	if (picture->dropout_count != 0 && !text)
		fprintf(file,
			", \\\n  NaN with boxes fillstyle solid noborder fillcolor rgb "
			"'#d9d9d9' title 'dropout%s'",
			once);
	if (picture->circled && !text)
		fprintf(file,
			", \\\n  NaN with points pointtype 6 pointsize 1.6 linecolor rgb "
			"'#606060' title 'dropout%s'",
			once);
	if (picture->step_count != 0 && !text)
		fprintf(file,
			", \\\n  NaN with lines linecolor rgb '#808080' dashtype (12,8) "
			"linewidth 1 title 'step%s'",
			once);
	fputc('\n', file);
}

static void write_rate_panel(FILE *file, const struct np_picture *picture, bool text)
{
	name_axis(file, "bandwidth, ", picture->rate_name, text);
	fprintf(file, "set logscale y 10\nset yrange [%g:%g]\nset key bottom right\n",
		picture->rate_low / picture->rate_unit / 1.3,
		picture->rate_high / picture->rate_unit * 1.5);
	write_curves(file, picture, "1:5", "1:6:(0):($7-$6)", "8:5", text);
	if (picture->upper_bound > 0)
		fprintf(file,
			", \\\n  %.9g with lines linecolor rgb '#000000' dashtype (1,3) "
			"linewidth 1.6 title 'upper bound, %g %s'",
			picture->upper_bound / picture->rate_unit,
			picture->upper_bound / picture->rate_unit, picture->rate_name);
	write_legend(file, picture, text);
}

static void write_time_panel(FILE *file, const struct np_picture *picture, bool text)
{
	name_axis(file, "time of a message, ", "us", text);
	fprintf(file, "set logscale y 10\nset yrange [%g:%g]\nset key top left\n",
		picture->time_low / 1.3, picture->time_high * 1.3);
	write_curves(file, picture, "1:2", "1:3:(0):($4-$3)", "8:2", text);
	fputc('\n', file);
}

/* Ticks between decades, unless there are many. */
static void write_ratio_tics(FILE *file, const struct np_picture *picture)
{
	const double decades = log10(picture->ratio_high / picture->ratio_low);

	if (!picture->ratio_log)
		fputs("unset logscale y\n", file);
	else if (decades < 3)
		fputs("set logscale y 10\nset ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, "
		      "2, "
		      "5, 10, 20, 50, 100, 200, 500)\n",
		      file);
	else
		fprintf(file, "set logscale y 10\nset ytics %g\n",
			decades < 6 ? 10.0 : 100.0);
}

static void write_ratio_panel(FILE *file, const struct np_picture *picture, bool text)
{
	name_axis(file, picture->ratio_title, "", text);
	fprintf(file, "set key top right\nset yrange [%g:%g]\n", picture->ratio_low,
		picture->ratio_high);
	write_ratio_tics(file, picture);
	fputs("plot 1 with lines linecolor rgb '#808080' linewidth 1 notitle", file);
	for (size_t i = 0; i < picture->ratio_count; i++) {
		fputs(", \\\n  ", file);
		np_plot_curve(file, "ratio", i, picture->ratios[i].style, "1:2",
			      "1:3:(0):($4-$3)", picture->ratios[i].label, text);
		if (picture->sure && !text)
			fprintf(file,
				", \\\n  $ratio%zu using 5:2 with points pointtype 6 "
				"pointsize 1.2 linecolor rgb '%s' notitle",
				i, np_style_colour(picture->ratios[i].style));
	}
	if (picture->sure && !text)
		fputs(", \\\n  NaN with points pointtype 6 pointsize 1.2 linecolor rgb "
		      "'#606060' title 'significantly not 1'",
		      file);
	fputc('\n', file);
}

static void write_signature(FILE *file, const struct np_picture *picture, bool text)
{
	fprintf(file,
		"set logscale xy 10\nset xrange [%g:%g]\nset yrange [%g:%g]\n"
		"set xlabel 'time of a message, us'\nset key bottom right\n",
		picture->time_low / 1.3, picture->time_high * 1.3,
		picture->rate_low / picture->rate_unit / 1.3,
		picture->rate_high / picture->rate_unit * 1.5);
	name_axis(file, "bandwidth, ", picture->rate_name, text);
	write_curves(file, picture, "2:5", NULL, NULL, text);
	if (picture->upper_bound > 0)
		fprintf(file,
			", \\\n  %.9g with lines linecolor rgb '#000000' dashtype "
			"(1,3) title 'upper bound'",
			picture->upper_bound / picture->rate_unit);
	fputc('\n', file);
}

void np_plot_titles(FILE *file, const struct np_picture *picture)
{
	/* Above all panels. */
	fputs("set label 1001 ", file);
	np_plot_quote(file, picture->title);
	fputs(" at screen 0.5, screen 0.982 center front\nset label 1002 ", file);
	np_plot_quote(file, picture->subtitle);
	fputs(" at screen 0.5, screen 0.964 center front font ',10' textcolor rgb "
	      "'#404040'\n",
	      file);
}

/* Panels from top to bottom; that of ratios is lower. */
static void write_panels(FILE *file, const struct np_picture *picture, bool text)
{
	const bool ratios = picture->ratio_count != 0;
	const double bottom = ratios ? 0.30 : 0.06, middle = ratios ? 0.62 : 0.51;

	np_plot_powers(file, picture->size_low, picture->size_high, "message size, bytes");
	if (text) {
		if (picture->rates)
			write_rate_panel(file, picture, text);
		write_time_panel(file, picture, text);
		if (ratios)
			write_ratio_panel(file, picture, text);
		return;
	}
	fputs("set multiplot\nset lmargin at screen 0.10\nset rmargin at screen 0.97\n",
	      file);
	np_plot_titles(file, picture);
	write_marks(file, picture);
	fprintf(file, "set tmargin at screen 0.945\nset bmargin at screen %g\n",
		middle + 0.03);
	if (picture->rates) {
		write_rate_panel(file, picture, text);
		fputs("unset label\n", file);
	}
	fprintf(file, "set tmargin at screen %g\nset bmargin at screen %g\n",
		picture->rates ? middle - 0.025 : 0.945, bottom + (ratios ? 0.03 : 0));
	write_time_panel(file, picture, text);
	if (ratios) {
		fprintf(file,
			"unset label\nset tmargin at screen %g\nset bmargin at screen "
			"0.06\n",
			bottom - 0.025);
		write_ratio_panel(file, picture, text);
	}
	fputs("unset multiplot\n", file);
}

int np_plot_script(FILE *file, const struct np_picture *picture,
		   const struct np_canvas *canvas, struct np_error *error)
{
	if (picture->count == 0 && picture->sweep.count == 0 && picture->heat_count > 1)
		return np_refuse(error,
				 "--plot draws the pairs of one file, and here are %zu",
				 picture->heat_count);
	fprintf(file, "set encoding utf8\nset terminal %s", canvas->terminal);
	if (canvas->text)
		fprintf(file, " size %u, %u", canvas->columns, canvas->lines);
	fputc('\n', file);
	if (!canvas->text) {
		fputs("set grid xtics ytics linetype 1 linecolor rgb '#dddddd' linewidth "
		      "1\n",
		      file);
	}
	fputs("set key noenhanced\nset format y '%g'\nset border 3\nset tics nomirror\n",
	      file);
	for (size_t i = 0; i < picture->count; i++)
		write_curve(file, picture, i);
	for (size_t i = 0; i < picture->ratio_count; i++)
		write_ratio(file, picture, i);
	if (picture->count == 0 && picture->sweep.count == 0) {
		np_plot_matrix(file, picture, canvas->text);
	} else if (picture->count == 0) {
		np_plot_capacity(file, picture, canvas->text);
	} else if (picture->signature) {
		fputs("set title ", file);
		np_plot_quote(file, picture->title);
		fputc('\n', file);
		write_signature(file, picture, canvas->text);
	} else {
		write_panels(file, picture, canvas->text);
	}
	if (ferror(file))
		return np_fail(error, NP_ERROR_FAILED, EIO,
			       "cannot write gnuplot's script");
	return 0;
}
