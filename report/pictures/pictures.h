/*
 * pictures.h - drawing a picture: with gnuplot, or in a page that needs no network.
 */
#ifndef NP_PICTURES_H
#define NP_PICTURES_H

#include <stdio.h>

#include "report/pictures/picture.h"

/* Where a picture goes. */
struct np_canvas {
	const char *path;     /* "-": the terminal */
	const char *terminal; /* gnuplot's word for it, and its options */
	bool text;	      /* of characters: fewer things fit */
	unsigned columns, lines;
};

/* Chooses by the ending of a name.  Returns 0 or -EINVAL with NP_ERROR_USAGE. */
int np_canvas_choose(const char *path, struct np_canvas *canvas, struct np_error *error);

/* The script, complete with its data.  Returns 0 or -errno. */
int np_plot_script(FILE *file, const struct np_picture *picture,
		   const struct np_canvas *canvas, struct np_error *error);

/* Parts of scripts.  Text between quotation marks, with nothing that could end them; the
 * titles above all panels; a logarithmic axis of sizes or numbers of buffers. */
void np_plot_quote(FILE *file, const char *text);
void np_plot_titles(FILE *file, const struct np_picture *picture);
void np_plot_powers(FILE *file, double low, double high, const char *title);

/* A curve of data block `block` with number `at`: a line with markers and, unless text or
 * without bars, its intervals, which have no entry in the legend. */
void np_plot_curve(FILE *file, const char *block, size_t at, size_t style,
		   const char *columns, const char *bars, const char *label, bool text);

/* The script of what there is of capacity sweeps, behind what sets the terminal. */
void np_plot_capacity(FILE *file, const struct np_picture *picture, bool text);

/* And that of a matrix of all pairs. */
void np_plot_matrix(FILE *file, const struct np_picture *picture, bool text);

/* Writes the script, runs gnuplot over it and waits.  Returns 0 or -errno, with
 * one clear line if there is no gnuplot or it fails. */
int np_plot(const struct np_picture *picture, const char *path, bool force,
	    struct np_error *error);

/* Creates the page at path; force: over a file that exists.  Returns 0 or -errno. */
int np_html_write(const char *path, bool force, const struct np_picture *picture,
		  const struct np_run *runs, struct np_analysis *const *analyses,
		  size_t count, struct np_error *error);

/* Text of a file, so that it is text and nothing else, in a page, in an
 * attribute or in SVG. */
void np_html_text(FILE *file, const char *text);

/* The same with what stands before and behind it, which is markup. */
void np_html_between(FILE *file, const char *before, const char *text, const char *behind);

/* The picture as SVG inside the page, of curves over sizes; and of capacity sweeps, with
 * a table of one of their curves. */
void np_html_picture(FILE *file, const struct np_picture *picture);
void np_html_capacity(FILE *file, const struct np_picture *picture);
void np_html_capacity_table(FILE *file, const struct np_sweep_curve *curve);

/* Hosts by hosts, and a table of their links. */
void np_html_matrix(FILE *file, const struct np_heat_picture *picture);
void np_html_matrix_table(FILE *file, const struct np_heat_picture *picture);

/* A cell of a table; empty for what is no number. */
void np_html_cell(FILE *file, double value);

/* Parts of pictures, in one of the styles: the beginning of a line, up to where its
 * places go; a point with its interval, which ends what its title began; a name. */
struct np_panel;
void np_html_line(FILE *file, size_t style);
void np_html_point(FILE *file, const struct np_panel *panel, double x, double y, double low,
		   double high, size_t style);
void np_html_legend(FILE *file, double left, double top, const char *label, size_t style);

#endif
