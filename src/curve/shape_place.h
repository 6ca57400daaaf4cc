/*
 * shape_place.h - tests of one place for a step, a bend and a dropout; noise of a curve.
 *
 * A place is a gap between two sizes, or a short run of points; its sides are the
 * neighbours before and behind it.  The model of a side is a line t = a + b n, exact for
 * start-up and bandwidth, with relative errors; with enough points, a bend that both sides
 * share is fitted as well.
 *
 * Windows of a side are nested: its points are added to the QR triangle of a line (least.h)
 * one at a time, nearest first, and the triangle is stored for each window.  A place merges
 * the triangles of its two sides, without reading the points, and neighbouring places share
 * sides.
 */
#pragma once

#include "curve/segments.h"
#include "stats/least.h"

struct np_shape_work {
	const struct np_point *points;
	size_t count;
	const struct np_shape_options *options;
	double *octaves; /* by point: log2(bytes) */
	double *error;	 /* by point: standard error of log(seconds) */
	double *buffer;	 /* scratch, count numbers */
	size_t *places;	 /* scratch, count indices */
	bool *dropped;	 /* by point: in a dropout */
	bool *broken;	 /* by point: a step or bend lies between it and the one before */
	struct np_side *sides; /* cache of sides */
	unsigned degrees;      /* degrees of freedom of error */
};

enum {
	NP_PLACE_REACH = 24, /* most neighbours on either side of a place */
	NP_PLACE_RUN = 12    /* most points of a dropout */
};

enum {
	NP_REACHES = 6, /* number of nested windows */
	NP_LINE_COLUMNS = 3,
	/* Cached sides before, and as many after, places; more than NP_PLACE_RUN. */
	NP_SIDES_KEPT = 16
};

struct np_side {
	size_t place; /* key in the cache: point after the side, or its first point */
	size_t count;
	size_t points[NP_PLACE_REACH]; /* nearest first */
	/* Bytes at which the columns of lines are centred; above 0. */
	double middle;
	struct np_least lines[NP_REACHES];
};

/* Invalidates the cached sides, after any change of broken, dropped or error. */
void np_sides_forget(const struct np_shape_work *work);

/* Adds the equation of a point, weighted by its relative error, to the least squares of a
 * line.  Unknowns are NP_LINE_COLUMNS: time at `middle` bytes, slope, bend. */
void np_line_add(const struct np_shape_work *work, size_t point, double middle,
		 struct np_least *line);

/* Result of a test for one kind of break; z is 0 if a smooth curve explains the points. */
struct np_place {
	double z;	  /* deviation beyond a smooth curve, in standard errors */
	double effect;	  /* as in np_break */
	double log_error; /* standard error of log(effect) */
	bool open;
};

/* Tests for a step and for a bend between a point and the one before. */
void np_place_gap(const struct np_shape_work *work, size_t after, struct np_place *step,
		  struct np_place *bend);

/* Tests for a dropout of the points first to last. */
struct np_place np_place_dropout(const struct np_shape_work *work, size_t first,
				 size_t last);

/* Sets the standard error of each point, and its degrees of freedom, to the roughness
 * outside of the known breaks: the deviation from the line between neighbouring sizes.
 * Intervals also contain the variation that all sizes share, so they only raise the error
 * of points with wider intervals than their neighbours; roughness is used alone if some
 * points have none. */
void np_shape_noise(struct np_shape_work *work);
