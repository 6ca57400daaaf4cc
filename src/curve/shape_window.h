/*
 * shape_window.h - the neighbours on one side of a place, and a line through them.
 *
 * Windows are nested, and a point is on a side of many places.  So the neighbours of a side
 * are added to the equations of a line one at a time, nearest first, and the equations are
 * stored at each reach.  The windows of a place are solved from those of its two sides,
 * without the points.
 */
#pragma once

#include "curve/shape.h"
#include "stats/least.h"

enum {
	NP_SIDE_LEAST = 3,  /* least points of a side */
	NP_BEND_LEAST = 10, /* least points of both sides for fitting a common bend */
	NP_REACHES = 6,	    /* number of windows, from narrow to wide */
	NP_LINE_COLUMNS = 3,
	NP_SIDES_KEPT =
		16 /* cached sides before, and after, a place; more than NP_PLACE_RUN */
};

struct np_side {
	size_t place; /* point after the side, or its first */
	size_t count;
	size_t points[NP_PLACE_REACH]; /* nearest first */
	double middle;		       /* bytes at which columns are centred; above 0 */
	struct np_least lines[NP_REACHES];
};

/* Neighbours before a point, excluding it: not across a break, none of a dropout.  Beyond
 * NP_SIDE_LEAST points they end 1.2 octaves away.  Valid for NP_SIDES_KEPT further calls.
 */
const struct np_side *np_side_before(const struct np_shape_work *work, size_t point);

/* Neighbours from a point on, including it. */
const struct np_side *np_side_from(const struct np_shape_work *work, size_t point);

/* Invalidates the cached sides, after any change of broken, dropped or error. */
void np_sides_forget(const struct np_shape_work *work);

/* Adds a point to the equations of a line, in NP_LINE_COLUMNS: 1, bytes from middle, bend.
 */
void np_line_add(const struct np_shape_work *work, size_t point, double middle,
		 struct np_least *line);

/* Joins the equations of both sides: for each side 1 and bytes from its middle, then one
 * common bend. */
void np_lines_join(const struct np_least *left, const struct np_least *right,
		   struct np_least *both);

/* Equations of one line through both sides, or through the side that is not NULL; bytes at
 * which its columns are centred. */
void np_sides_line(const struct np_side *left, const struct np_side *right, size_t reach,
		   struct np_least *line);
double np_sides_middle(const struct np_side *left, const struct np_side *right);

/* Bend of a curve: n log(n / middle), minus its tangent at middle. */
double np_bend(double bytes, double middle);
