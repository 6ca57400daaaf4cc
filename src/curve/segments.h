/*
 * segments.h - where a curve breaks: steps, bends and dropouts.
 *
 * A smooth curve is one whose cost of a further byte, dt/dn, changes with size
 * by no more than `bend` allows: then a straight line t = a + b n through
 * neighbouring sizes carries over to the next one with a known error.  Changes of
 * protocol are not smooth:
 *
 *   step     the time jumps and the curve goes on from there, as where an eager
 *            protocol gives way to a rendezvous;
 *   bend     the time is continuous but the cost of a further byte changes at
 *            once, as where a cache ends;
 *   dropout  a point, or a short run of points, lies off a curve that goes on
 *            after it as before.
 *
 * Method.  Curves of few sizes have one more: fewest.h.  On either side of each
 * gap between two sizes a line t = a + b n is fitted to a few neighbours, weighted by 1/t
 * (relative errors), in windows from narrow to wide; the two lines are compared in the gap.
 * Steps by one-sided local fits: C. R. Loader, "Change point estimation using nonparametric
 * regression", Annals of Statistics 24(4), 1996; several windows, of which the
 * narrow ones keep out the next break: R. Baranowski, Y. Chen, P. Fryzlewicz,
 * "Narrowest-over-threshold detection of multiple change points and
 * change-point-like features", J. R. Statist. Soc. B 81(3), 2019.  The clearest
 * break is taken, windows end there from then on, and the rest is looked at
 * again until the rest is within the noise.
 *
 * Noise is how rough the curve is: pseudo-residuals of neighbouring triples,
 * T. Gasser, L. Sroka, C. Jennen-Steinmetz, "Residual variance and residual
 * pattern in nonlinear regression", Biometrika 73(3), 1986, with a median, so
 * that breaks do not count as noise.  A point whose interval is wider than its
 * neighbours' counts for less.  Where several breaks could explain the same
 * points, the one with the least Bayesian information criterion is there (G.
 * Schwarz, "Estimating the dimension of a model", Annals of Statistics 6(2),
 * 1978).
 */
#pragma once

#include "curve/curve.h"

enum np_break_kind { NP_BREAK_STEP, NP_BREAK_BEND, NP_BREAK_DROPOUT };

struct np_break {
	/*
	 * Step and bend: first is the last point before, last the first point
	 * after, and only points of dropouts lie between; the break is above
	 * first's size and not above last's.  Dropout: the first and the last point of the
	 * run, which may be the same.
	 */
	size_t first, last;
	size_t bytes_low, bytes_high; /* the sizes of first and last */
	/*
	 * Step: the time after over the time before, at bytes_high.  Bend: the
	 * cost of a further byte after over before, INFINITY or 0 where one
	 * side has none.  Dropout: the time over that of
	 * the line through the neighbours, of the deepest point of the run.  Above 1 is
	 * slower.
	 */
	double effect;
	/* 95 % interval of effect; NAN if the points have none, and of bends.  An
	 * effect that was barely found has one too far from 1. */
	double low, high;
	double p; /* of such a break in a smooth curve, at its place alone */
	enum np_break_kind kind;
	/* Significant after correction over all places, at q of the options. */
	bool sure;
	/* No longer sure: a search for it to the byte has not found it. */
	bool denied;
	/* Not sure: two host states are as far apart. */
	bool of_states;
	/* Dropout at the first or last point: the sizes end before it could be
	 * seen whether the curve returns. */
	bool open;
};

/* The part of the curve between two significant steps or bends. */
struct np_segment {
	size_t first, last; /* points, both included */
};

struct np_shape_options {
	/*
	 * False discovery rate of sure breaks, over all places that were
	 * tested (NP_ADJUST_FDR, see adjust.h).  In a curve
	 * without breaks it is the chance that anything is called sure.
	 */
	double q;
	/* As q, of the breaks that are reported; not below q. */
	double q_reported;
	/* The least relative change of time that is reported, 0.03: 3 %. */
	double least_effect;
	/*
	 * The most that a smooth curve bends: |n t''| <= bend t'.  0.6 lets the
	 * cost of a further byte change by a factor of about 1.5 an octave.  What
	 * follows: between sizes an octave apart, where time is bandwidth, a step
	 * below 7.5 % is not told from a bend; between n and n + 3 any is.
	 */
	double bend;
	/* A step or dropout is not sure whose interval reaches this ratio of times, or its
	 * inverse; 1: none.  What two host states are apart. */
	double apart;
};

/* 0.01, 0.05, 0.03, 0.6, 1 */
struct np_shape_options np_shape_defaults(void);

struct np_shape {
	struct np_break *breaks; /* ascending by first */
	size_t break_count;
	struct np_segment *segments; /* ascending; together all points; none of no points */
	size_t segment_count;
	double noise; /* estimated relative error of a point; geometric mean */
};

/* Above this noise only large breaks are told from it. */
#define NP_SHAPE_ROUGH 0.05

/* Fewer points have no shape. */
enum { NP_SHAPE_POINTS = 7 };

/*
 * Finds the breaks.  Fewer than NP_SHAPE_POINTS points have no shape: no breaks, one
 * segment.  Returns 0, -EINVAL if the curve is not np_curve_valid() or the options make
 * no sense, or -ENOMEM.  np_shape_free() copes with all; *shape is only set on
 * success, so start from { 0 }.
 */
int np_shape_find(const struct np_point *points, size_t count,
		  const struct np_shape_options *options, struct np_shape *shape);
void np_shape_free(struct np_shape *shape);

/* Whether a point belongs to a dropout of the shape, sure or not: fits leave it
 * out. */
bool np_shape_drops(const struct np_shape *shape, size_t point);

/* "step", "bend" or "dropout". */
const char *np_break_word(enum np_break_kind kind);
