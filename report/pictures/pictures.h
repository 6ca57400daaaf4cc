/*
 * pictures.h - renderers of a picture: gnuplot, and a self-contained HTML page with SVG.
 */
#pragma once

#include <stdio.h>

#include "report/pictures/picture.h"

/* Destination of a picture. */
struct np_canvas {
	const char *path;     /* "-": the terminal */
	const char *terminal; /* gnuplot's terminal, with its options */
	bool text;	      /* text terminal: fewer details */
	unsigned columns, lines;
};

/* Chooses the terminal by the extension.  Returns 0 or -EINVAL with NP_ERROR_USAGE. */
int np_canvas_choose(const char *path, struct np_canvas *canvas, struct np_error *error);

/* Writes the script with its data.  Returns 0 or -errno. */
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

/* The script of capacity sweeps, after the terminal is set. */
void np_plot_capacity(FILE *file, const struct np_picture *picture, bool text);

/* The script of a heat map of --all-pairs. */
void np_plot_matrix(FILE *file, const struct np_picture *picture, bool text);

/* Writes the script, runs gnuplot over it and waits.  Returns 0 or -errno, with
 * one clear line if there is no gnuplot or it fails. */
int np_plot(const struct np_picture *picture, const char *path, bool force,
	    struct np_error *error);

/* Creates the page at path; force: over a file that exists.  Returns 0 or -errno. */
int np_html_write(const char *path, bool force, const struct np_picture *picture,
		  const struct np_run *runs, struct np_analysis *const *analyses,
		  size_t count, struct np_error *error);

/* Escapes text for a page, an attribute or SVG. */
void np_html_text(FILE *file, const char *text);

/* The same between markup. */
void np_html_between(FILE *file, const char *before, const char *text, const char *behind);

/* SVG of curves over sizes; of capacity sweeps; and a table of a sweep's curve. */
void np_html_picture(FILE *file, const struct np_picture *picture);
void np_html_capacity(FILE *file, const struct np_picture *picture);
void np_html_capacity_table(FILE *file, const struct np_sweep_curve *curve);

/* SVG of a heat map of --all-pairs, and a table of its pairs. */
void np_html_matrix(FILE *file, const struct np_heat_picture *picture);
void np_html_matrix_table(FILE *file, const struct np_heat_picture *picture);

/* A cell of a table; empty for NAN and infinity. */
void np_html_cell(FILE *file, double value);

/* Parts of SVG in a style: the start of a path, up to its data; a point with its interval,
 * which closes the group of its title; an entry of the legend. */
struct np_panel;
void np_html_line(FILE *file, size_t style);
void np_html_point(FILE *file, const struct np_panel *panel, double x, double y, double low,
		   double high, size_t style);
void np_html_legend(FILE *file, double left, double top, const char *label, size_t style);
