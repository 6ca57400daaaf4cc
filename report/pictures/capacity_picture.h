/*
 * capacity_picture.h - what the picture of a capacity sweep shows: a curve for each
 * axis, its knees with their names, and the sizes that the machine reports.
 */
#ifndef NP_CAPACITY_PICTURE_H
#define NP_CAPACITY_PICTURE_H

#include "report/curves/run.h"

/* The points of an axis. */
struct np_sweep_curve {
	char label[256];
	const struct np_capacity_point *points; /* ascending by buffers */
	size_t count;
};

/* A knee, of all curves that have one there with the same name. */
struct np_sweep_knee {
	double low, high; /* buffers */
	char label[160];
};

/* A place where a size that the machine reports would be full. */
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
	/* Of the axes: with room for names above and below the curves. */
	double time_from, time_to;
	double ratio_from, ratio_to; /* holds 1 */
	char x_title[96];
};

/* Takes the sweeps of all runs; the names of several go before the axes.  Returns 0 or
 * -ENOMEM; np_sweep_picture_free() copes with both. */
int np_sweep_picture_make(struct np_sweep_picture *picture, const struct np_run *runs,
			  size_t count);
void np_sweep_picture_free(struct np_sweep_picture *picture);

/* The interval of a point's time in us, or the time itself where it has none; and the
 * same of its ratio. */
void np_sweep_time_range(const struct np_capacity_point *point, double *low, double *high);
void np_sweep_ratio_range(const struct np_capacity_point *point, double *low, double *high);

#endif
