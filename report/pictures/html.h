/*
 * html.h - one page with everything in it, which needs no network.
 */
#ifndef NP_HTML_H
#define NP_HTML_H

#include <stdio.h>

#include "report/pictures/picture.h"

/* Creates settings->html.  Returns 0 or -errno. */
int np_html_write(const struct np_settings *settings, const struct np_picture *picture,
		  const struct np_run *runs, struct np_analysis *const *analyses,
		  size_t count, struct np_error *error);

/* Text of a file, so that it is text and nothing else, in a page, in an
 * attribute or in SVG. */
void np_html_text(FILE *file, const char *text);

/* The picture as SVG inside the page, of curves over sizes; and of capacity sweeps, with
 * a table of one of their curves. */
void np_html_picture(FILE *file, const struct np_picture *picture, bool signature);
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
