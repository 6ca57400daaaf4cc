/*
 * fewest.h - the fewest breaks of a curve of few sizes: one figure an octave, as in printed
 * tables, or two with intervals, as with --quick.
 *
 * Such a curve has too few points for lines on either side of a place (segments.h), and
 * times deviate from a line mostly by its curvature, not by noise.  The method finds the
 * fewest steps, bends and dropouts that leave segments within a tolerance of smooth curves:
 * K. Frick, A. Munk, H. Sieling, "Multiscale change point inference", J. R. Statist. Soc. B
 * 76(3), 2014, which takes the fewest change points that a bound on the misfit of all
 * segments accepts.  The search is exact (partition.h).  Dropouts are left out of segments
 * as in P. Fearnhead, G. Rigaill, "Changepoint detection in the presence of outliers", J.
 * Am. Statist. Assoc. 114, 2019: each costs as much as a break.  Among partitions with as
 * few breaks the one with the least misfit is chosen.
 *
 * A smooth curve consists of lines from size to size, along which the time does not fall,
 * and whose slope, the cost of a byte, changes by at most a factor of 2^bend per octave.
 */
#pragma once

#include "curve/segments.h"

enum {
	NP_SMOOTH_MOST = 64, /* most points */
	NP_FEWEST_MOST = 2 * NP_SMOOTH_MOST
};

/* Number of leading points that one smooth curve passes within a relative tolerance, or
 * within four standard errors if larger.  bend: log2 of the largest factor per octave.
 * count is at most NP_SMOOTH_MOST. */
size_t np_smooth_reach(const struct np_point *points, size_t count, double bend,
		       double tolerance);

/* Merges the fewest breaks into the breaks found by lines on either side (segments.h),
 * ascending, in a curve of few sizes: 7 to NP_SMOOTH_MOST points, all with intervals, or
 * all without and about an octave apart.  Other curves stay as they are.  Without
 * intervals, significant breaks found by lines remain where they overlap none of the
 * fewest, and *noise becomes the relative standard error of a point.  With intervals, only
 * evident steps and dropouts are added, where lines have found none. breaks has room for
 * NP_FEWEST_MOST more.  Returns 0 or -ENOMEM. */
int np_fewest_add(const struct np_point *points, size_t count, struct np_break *breaks,
		  size_t *break_count, double *noise);
