/*
 * shape_window.h - the points around a place, and lines through them.
 */
#ifndef NP_SHAPE_WINDOW_H
#define NP_SHAPE_WINDOW_H

#include "stats/least.h"
#include "curve/shape.h"

enum {
	NP_SIDE_LEAST = 3,  /* points to a side */
	NP_BEND_LEAST = 10, /* points, of both sides, that a common bend is fitted to */
	NP_WINDOW_MOST = 2 * NP_PLACE_REACH
};

struct np_window {
	size_t list[NP_WINDOW_MOST]; /* points, ascending */
	size_t left, count;	     /* how many are before the place */
	double middle;		     /* bytes, where columns are centred */
	double scale;		     /* bytes */
	bool bend;
};

/* Up to reach points before one, not including it, ascending; not across a
 * break, and none of a dropout.  Beyond NP_SIDE_LEAST points they end some 1.2
 * octaves away.  Returns how many. */
size_t np_window_left(const struct np_shape_work *work, size_t before, size_t reach,
		      size_t *list);

/* The same from a point on, including it. */
size_t np_window_right(const struct np_shape_work *work, size_t from, size_t reach,
		       size_t *list);

void np_window_center(const struct np_shape_work *work, struct np_window *window,
		      size_t middle);

/* A curve's bend: n log(n / middle), less the line that touches it there. */
double np_window_bend(double bytes, double middle);

/* Lines a + b (n - middle) / scale of their own on both sides (columns 0 to 3),
 * or one of both sides; and, last, the bend.  False if points are too few. */
bool np_window_solve(const struct np_shape_work *work, const struct np_window *window,
		     bool one_line, struct np_least *least);

#endif
