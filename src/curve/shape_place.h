/*
 * shape_place.h - the tests of one place for a step, a bend and a dropout.
 *
 * The model is a line t = a + b n, exact for start-up and bandwidth, with relative errors;
 * with enough points, a bend that both sides share is fitted as well.
 *
 * Windows are nested, and a point is on a side of many places.  So the neighbours of a side
 * are added to the equations of a line one at a time, nearest first, and the equations are
 * stored at each reach.  The windows of a place are solved from those of its two sides,
 * without the points.
 */
#pragma once

#include "curve/segments.h"
#include "stats/least.h"

struct np_shape_work {
	const struct np_point *points;
	size_t count;
	const struct np_shape_options *options;
	double *octaves; /* by point */
	double *error;	 /* standard error of log(seconds), by point */
	double *buffer;	 /* scratch, count numbers */
	size_t *places;	 /* scratch, count indices */
	bool *dropped;	 /* by point: in a dropout */
	bool *broken;	 /* by point: a step or bend lies between it and the one before */
	struct np_side *sides; /* sides of some places, cached */
	unsigned degrees;      /* degrees of freedom of error */
};

enum {
	NP_PLACE_REACH = 24, /* most points on either side of a place */
	NP_PLACE_RUN = 12    /* most points of a dropout */
};

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

/* Result of a test; z is 0 if not significant. */
struct np_place {
	double z;	  /* deviation beyond a smooth curve, in standard errors */
	double effect;	  /* as in np_break */
	double log_error; /* of log(effect) */
	bool open;
};

/* Tests for a step and for a bend between a point and the one before. */
void np_place_gap(const struct np_shape_work *work, size_t after, struct np_place *step,
		  struct np_place *bend);

/* Tests for a dropout of the points first to last. */
struct np_place np_place_dropout(const struct np_shape_work *work, size_t first,
				 size_t last);
