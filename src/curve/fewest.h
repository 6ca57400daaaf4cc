/*
 * fewest.h - the fewest breaks of a curve of few sizes: one figure an octave, as in printed
 * tables, or two with intervals, as with --quick.
 *
 * Such a curve has too few points for lines on either side of a place (segments.h), and
 * sizes differ mostly by its bends, not by noise.  The method finds the fewest steps, bends
 * and dropouts that leave segments within a tolerance of smooth curves: K. Frick, A. Munk,
 * H. Sieling, "Multiscale change point inference", J. R. Statist. Soc. B 76(3), 2014, which
 * takes the fewest change points that a bound on the misfit of all segments accepts.  The
 * search is exact, by optimal partitioning: B. Jackson et al., "An algorithm for optimal
 * partitioning of data on an interval", IEEE Signal Processing Letters 12(2), 2005.  Points
 * are left out as in P. Fearnhead, G. Rigaill, "Changepoint detection in the presence of
 * outliers", J. Am. Statist. Assoc. 114, 2019: at the price of a break.  Among sets of as
 * few breaks the one with the least misfit wins.
 *
 * In a smooth curve time does not fall, and the cost of a further byte changes by at most a
 * factor of 2^bend an octave, for lines from size to size.
 */
#pragma once

#include "curve/segments.h"

enum {
	NP_SMOOTH_MOST = 64, /* most points */
	NP_FEWEST_MOST = 2 * NP_SMOOTH_MOST
};

/* Number of points, from the first on, that lie within a tolerance, or within their
 * intervals if larger, of one smooth curve.  count is at most NP_SMOOTH_MOST. */
size_t np_smooth_reach(const struct np_point *points, size_t count, double bend,
		       double tolerance);

/* Returns true for such a curve: an interval at each size, or no interval and a size an
 * octave. */
bool np_fewest_suits(const struct np_point *points, size_t count);

/* Adds the fewest breaks to the significant breaks found by lines on either side
 * (segments.h), and sets the noise.  Without intervals, those found by lines remain only
 * where these have none.  With intervals, only evident steps and dropouts are added, where
 * lines have found none. breaks has room for NP_FEWEST_MOST more. */
void np_fewest_add(const struct np_point *points, size_t count, struct np_break *breaks,
		   size_t *break_count, double *noise);
