/*
 * shape_window.h - the neighbours on one side of a place, and a line through them.
 *
 * Windows are nested, and the same points are on a side of many places.  So the neighbours
 * of a side are added to the equations of a line one at a time, the nearest first, and
 * the equations are kept as they are at each reach.  The windows of a place are solved from
 * those of its two sides, without their points.
 */
#pragma once

#include "curve/shape.h"
#include "stats/least.h"

enum {
	NP_SIDE_LEAST = 3,  /* points to a side */
	NP_BEND_LEAST = 10, /* points, of both sides, that a common bend is fitted to */
	NP_REACHES = 6,	    /* windows, from narrow to wide */
	NP_LINE_COLUMNS = 3,
	NP_SIDES_KEPT = 16 /* of each kind; more than NP_PLACE_RUN */
};

struct np_side {
	size_t place; /* point after it, or its first */
	size_t count;
	size_t points[NP_PLACE_REACH]; /* the nearest first */
	double middle;		       /* bytes, where its columns are centred; above 0 */
	struct np_least lines[NP_REACHES];
};

/* Neighbours before a point, not including it; not across a break, and none of a dropout.
 * Beyond NP_SIDE_LEAST points they end some 1.2 octaves away.  The side is valid until
 * NP_SIDES_KEPT others were asked for. */
const struct np_side *np_side_before(const struct np_shape_work *work, size_t point);

/* The same from a point on, including it. */
const struct np_side *np_side_from(const struct np_shape_work *work, size_t point);

/* To be called after any change of broken, dropped or error: sides have to be added up
 * again. */
void np_sides_forget(const struct np_shape_work *work);

/* Adds a point to the equations of a line, in NP_LINE_COLUMNS: 1, the distance from
 * middle in bytes, and the bend. */
void np_line_add(const struct np_shape_work *work, size_t point, double middle,
		 struct np_least *line);

/* The equations of both sides: of lines of their own, 1 and the distance from each side's
 * middle, and of a common bend. */
void np_lines_join(const struct np_least *left, const struct np_least *right,
		   struct np_least *both);

/* The equations of one line through both sides, or through the one that is not NULL; and
 * the bytes where its columns are centred. */
void np_sides_line(const struct np_side *left, const struct np_side *right, size_t reach,
		   struct np_least *line);
double np_sides_middle(const struct np_side *left, const struct np_side *right);

/* A curve's bend: n log(n / middle), less the line that touches it there. */
double np_bend(double bytes, double middle);
