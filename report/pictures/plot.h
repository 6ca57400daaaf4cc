/*
 * plot.h - pictures through gnuplot.
 */
#ifndef NP_PLOT_H
#define NP_PLOT_H

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
		   const struct np_canvas *canvas, bool signature, struct np_error *error);

/* Parts of scripts.  Text between quotation marks, with nothing that could end them; a
 * line and its markers in one of the styles; the titles above all panels. */
void np_plot_quote(FILE *file, const char *text);
void np_plot_style(FILE *file, size_t style);
void np_plot_titles(FILE *file, const struct np_picture *picture);

/* The script of what there is of capacity sweeps, behind what sets the terminal. */
void np_plot_capacity(FILE *file, const struct np_picture *picture, bool text);

/* And that of a matrix of all pairs. */
void np_plot_matrix(FILE *file, const struct np_picture *picture, bool text);

/* Writes the script, runs gnuplot over it and waits.  Returns 0 or -errno, with
 * one clear line if there is no gnuplot or it fails. */
int np_plot(const struct np_picture *picture, const struct np_settings *settings,
	    struct np_error *error);

#endif
