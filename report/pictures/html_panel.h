/*
 * html_panel.h - a panel of an SVG picture: coordinates of values, and axes.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Of the whole picture, in user units of SVG. */
enum { NP_PANEL_WIDTH = 960, NP_PANEL_LEFT = 80, NP_PANEL_RIGHT = 20 };

/* A rectangle of the picture, and the ranges of its axes. */
struct np_panel {
	double top, height;
	double x_low, x_high;
	double y_low, y_high;
	bool y_log; /* x always is */
	const char *x_title, *y_title;
};

/* Begins a picture, with its title. */
void np_panel_svg(FILE *file, double height, const char *title);

double np_panel_x(const struct np_panel *panel, double x);
double np_panel_y(const struct np_panel *panel, double y);

/* Text at coordinates, escaped; anchor is "start", "middle" or "end". */
void np_panel_text(FILE *file, double x, double y, const char *anchor, const char *text);

/* Grid and numbers of the lower axis: sizes in bytes, or decades. */
void np_panel_sizes(FILE *file, const struct np_panel *panel);
void np_panel_decades(FILE *file, const struct np_panel *panel);

/* Grid and numbers of the left axis. */
void np_panel_values(FILE *file, const struct np_panel *panel);

/* Both axes and their titles. */
void np_panel_frame(FILE *file, const struct np_panel *panel);
