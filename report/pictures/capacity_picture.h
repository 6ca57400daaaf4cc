/*
 * capacity_picture.h - model of a capacity picture: a curve per axis, knees with labels,
 * and reported cache sizes.
 */
#pragma once

#include "report/curves/run.h"

/* The points of an axis. */
struct np_sweep_curve {
	char label[256];
	const struct np_capacity_point *points; /* ascending by buffers */
	size_t count;
};

/* A knee; knees of several curves with one label and overlapping intervals are merged. */
struct np_sweep_knee {
	double low, high; /* buffers */
	char label[160];
};

/* Number of buffers that fill a reported cache size. */
struct np_sweep_size {
	double buffers;
	char label[96];
};

struct np_sweep_picture {
	struct np_sweep_curve *curves;
	size_t count;
	struct np_sweep_knee *knees;
	size_t knee_count;
	struct np_sweep_size *sizes;
	size_t size_count;
	double buffers_low, buffers_high;
	double time_low, time_high; /* us */
	double ratio_low, ratio_high;
	/* Ranges of the axes, with space for labels above and below the curves. */
	double time_from, time_to;
	double ratio_from, ratio_to; /* includes 1 */
	char x_title[96];
};

/* Makes it from the sweeps of all runs; of several, labels have their names.  Returns 0 or
 * -ENOMEM; np_sweep_picture_free() copes with both. */
int np_sweep_picture_make(struct np_sweep_picture *picture, const struct np_run *runs,
			  size_t count);
void np_sweep_picture_free(struct np_sweep_picture *picture);

/* Interval of a point's time in us, or the time itself without one; and of its ratio. */
void np_sweep_time_range(const struct np_capacity_point *point, double *low, double *high);
void np_sweep_ratio_range(const struct np_capacity_point *point, double *low, double *high);
