/*
 * segments.h - where a curve breaks: steps, bends and dropouts.
 *
 * In a smooth curve the cost of a further byte, dt/dn, changes with size by at most `bend`:
 * a straight line t = a + b n through neighbouring sizes predicts the next one with a known
 * error.  Changes of protocol are not smooth:
 *
 *   step     the time jumps and the curve continues from there, e.g. from an eager protocol
 *            to a rendezvous;
 *   bend     the time is continuous but the cost of a further byte changes at once, e.g. at
 *            the end of a cache;
 *   dropout  a point, or a short run of points, lies off a curve that continues after it.
 *
 * Method (fewest.h: another one for curves of few sizes).  An exact partition (partition.h)
 * cuts the curve into parts, each a line with a bend but for dropouts, by the Bayesian
 * information criterion: G. Schwarz, "Estimating the dimension of a model", Annals of
 * Statistics 6(2), 1978.  A smooth curve may have several parts.  So each cut is tested: on
 * either side of it a line t = a + b n is fitted to a few neighbours, weighted by 1/t
 * (relative errors), in windows from narrow to wide that end at other cuts, and the two
 * lines are compared in the gap.  Steps by one-sided local fits: C. R. Loader, "Change
 * point estimation using nonparametric regression", Annals of Statistics 24(4), 1996.
 * Backward elimination: the least significant cut is removed and its neighbours are tested
 * again, until all are significant.
 *
 * Noise is the roughness of the curve: pseudo-residuals of neighbouring triples, T. Gasser,
 * L. Sroka, C. Jennen-Steinmetz, "Residual variance and residual pattern in nonlinear
 * regression", Biometrika 73(3), 1986, with a median, so that breaks do not count as noise.
 * A point whose interval is wider than those of its neighbours has a lower weight.
 */
#pragma once

#include "curve/curve.h"

enum np_break_kind { NP_BREAK_STEP, NP_BREAK_BEND, NP_BREAK_DROPOUT };

struct np_break {
	/* Step and bend: last point before, first point after; only points of dropouts lie
	 * between. The break lies above the size of first, and at or below the size of
	 * last. Dropout: first and last point of the run; may be equal. */
	size_t first, last;
	size_t bytes_low, bytes_high; /* the sizes of first and last */
	/* Step: time after over time before, at bytes_high.  Bend: cost of a further byte
	 * after over before, INFINITY or 0 if one side has none.  Dropout: time over the
	 * line through the neighbours, at its farthest point.  Above 1 is slower. */
	double effect;
	/* 95 % interval of effect; NAN without intervals of points, for bends, and for
	 * breaks that are not significant.  Biased away from 1 for a barely significant
	 * effect. */
	double low, high;
	double p; /* p-value at this place alone; null hypothesis: smooth curve */
	enum np_break_kind kind;
	/* Significant at q of the options, adjusted over all places. */
	bool sure;
	/* No longer significant: --refine measured there and did not find it. */
	bool denied;
	/* Not significant: the times in two host states differ as much. */
	bool of_states;
	/* Dropout at the first or last point: the sizes end before the curve returns. */
	bool open;
};

/* Part of the curve between two significant steps or bends. */
struct np_segment {
	size_t first, last; /* points, both included */
};

struct np_shape_options {
	/* False discovery rate of significant breaks, over all tested places
	 * (NP_ADJUST_FDR, adjust.h). In a curve without breaks: probability of any. */
	double q;
	/* False discovery rate of reported breaks, at least q. */
	double q_reported;
	/* Least relative change of time that is reported. */
	double least_effect;
	/* Largest bend of a smooth curve: |n t''| <= bend t'.  0.6 allows the cost of a
	 * further byte to change by a factor of 1.5 an octave.  As a consequence, between
	 * sizes an octave apart, in the range of bandwidth, a step below 7.5 % cannot be
	 * distinguished from a bend; between n and n + 3 any can. */
	double bend;
	/* Ratio of the times in two host states, or 1: a step or dropout whose interval
	 * reaches this ratio, or its inverse, is not significant. */
	double apart;
};

/* q 0.01, q_reported 0.05, least_effect 0.03, bend 0.6, apart 1. */
struct np_shape_options np_shape_defaults(void);

struct np_shape {
	struct np_break *breaks; /* ascending by first */
	size_t break_count;
	struct np_segment *segments; /* ascending; cover all points */
	size_t segment_count;
	/* Relative standard error of a point, geometric mean over all points. */
	double noise;
};

/* Noise (np_shape), a relative standard error, above which only large breaks are
 * significant. */
#define NP_SHAPE_ROUGH 0.05

/* Fewest points that are searched for breaks. */
enum { NP_SHAPE_POINTS = 7 };

/* Finds the breaks.  Fewer than NP_SHAPE_POINTS points have no breaks and one segment.
 * *shape is only set on success: initialize it with { 0 }; np_shape_free() copes with all.
 * Returns 0, -EINVAL if the curve or the options are invalid, or -ENOMEM. */
int np_shape_find(const struct np_point *points, size_t count,
		  const struct np_shape_options *options, struct np_shape *shape);
void np_shape_free(struct np_shape *shape);

/* Returns true if a point belongs to a dropout, significant or not, and is left out of
 * fits. */
bool np_shape_drops(const struct np_shape *shape, size_t point);

/* "step", "bend" or "dropout". */
const char *np_break_word(enum np_break_kind kind);
