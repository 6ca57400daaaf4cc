/*
 * fewest.h - the fewest breaks of a curve of few sizes: of a figure an octave, as tables in
 * print are, or of two with intervals, as --quick has.
 *
 * Such a curve has no points enough for lines on either side of a place (segments.h), and
 * what differs from size to size is mostly its bends, not noise.  So it is asked for the
 * fewest steps, bends and dropouts that leave segments within a tolerance of smooth
 * curves: K. Frick, A. Munk, H. Sieling, "Multiscale change point inference", J. R.
 * Statist. Soc. B 76(3), 2014, which takes the fewest change points that a bound on the
 * misfit of all segments accepts.  The search is exact, by optimal partitioning: B.
 * Jackson et al., "An algorithm for optimal partitioning of data on an interval", IEEE
 * Signal Processing Letters 12(2), 2005; points that are left out are as in P. Fearnhead,
 * G. Rigaill, "Changepoint detection in the presence of outliers", J. Am. Statist. Assoc.
 * 114, 2019: at the price of a break.  Of several sets that are as few, the one with the
 * least misfit.
 */
#pragma once

#include "curve/segments.h"
#include "curve/smooth.h"

enum { NP_FEWEST_MOST = 2 * NP_SMOOTH_MOST };

/* Whether a curve is such a one: an interval at each size, or none and a size an octave. */
bool np_fewest_suits(const struct np_point *points, size_t count);

/* Adds them to the breaks that lines on either side have found, of which the sure ones
 * stay where these say nothing, and sets the curve's noise.  With intervals, which say what
 * is noise, adds evident steps and dropouts where lines have found none.  There is room
 * for NP_FEWEST_MOST more. */
void np_fewest_add(const struct np_point *points, size_t count, struct np_break *breaks,
		   size_t *break_count, double *noise);
