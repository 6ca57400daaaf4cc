/*
 * axis.h - axis of a panel: position of a value, and ticks with numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum np_scale {
	NP_SCALE_LINEAR,
	NP_SCALE_LOG,
	NP_SCALE_POWERS, /* logarithmic, with powers of two: sizes, numbers of buffers */
	NP_SCALE_RATIO	 /* logarithmic to base 2, with 1/2, 1, 2 */
};

struct np_chart_axis {
	enum np_scale scale;
	double low, high; /* low is below high, and above 0 unless the scale is linear */
	double first;	  /* the lowest value, which has a tick of powers; 0: as low */
	char title[160];
};

enum { NP_TICKS_MOST = 14 };

struct np_tick {
	double at;
	char text[24];
};

/* Widens the range to include a value; one that is not finite, and on a logarithmic axis
 * one not above 0, changes nothing.  An empty range has low above high. */
void np_axis_include(struct np_chart_axis *axis, double value);

/* Adds a margin, a share of the range, below and above; an axis of one value, or of none,
 * gets a range about it. */
void np_axis_margin(struct np_chart_axis *axis, double below, double above);

/* Position of a value: 0 at the low end, 1 at the high end. */
double np_axis_share(const struct np_chart_axis *axis, double value);

/* Makes ticks, ascending: at least three, whatever the range.  Returns their number. */
size_t np_axis_ticks(const struct np_chart_axis *axis, struct np_tick ticks[NP_TICKS_MOST]);
