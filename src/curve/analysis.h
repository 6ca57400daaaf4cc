/*
 * analysis.h - breaks, segments and lines of a curve, for a run's summary and for
 * NPreport.
 */
#pragma once

#include "curve/curve.h"
#include "curve/fit.h"
#include "curve/segments.h"

struct np_analysis {
	struct np_point *points;
	size_t count;
	struct np_shape shape;
	struct np_line_fit *fits; /* one per segment, for all of it or a part */
	/* Per segment: t0 or n_1/2 is NAN, since it would be extrapolated too far. */
	bool *extrapolated;
	/* Size in bytes from which on the bandwidth is at least half of its maximum over
	 * the sizes, interpolated between two sizes, without a line.  All NAN if the
	 * smallest size reaches half; no interval if the points have none, or if a limit
	 * lies outside of the sizes. */
	struct np_estimate half_peak;
	bool once; /* some points have no interval: breaks are not significant */
	/* Ratio of the times in two host states (host_state.h), at least 1, set by the
	 * caller; 1: one state. */
	double apart;
	double directions; /* 2 if both processes send at once, set by the caller; 1 */
};

/* Allocates room for `room` points.  Returns 0 or -ENOMEM; np_analysis_free() must follow
 * in both cases. */
int np_analysis_init(struct np_analysis *analysis, size_t room);
void np_analysis_free(struct np_analysis *analysis);

/* Appends the point of a size in bytes, which must exceed all sizes so far, with its time
 * and interval in seconds.  Ignores a size whose time is not above 0 and finite, and an
 * interval that does not contain the time. */
void np_analysis_add(struct np_analysis *analysis, size_t bytes, double seconds, double low,
		     double high);

/* Finds breaks and segments, and fits a line to each segment.  Returns 0, -EINVAL if sizes
 * do not ascend, or -ENOMEM. */
int np_analysis_derive(struct np_analysis *analysis);

/* Returns the ratio of times at a break: effect of a step or dropout; at a bend, the time
 * at twice the size over the time extrapolated from half the size. */
double np_analysis_reach(const struct np_analysis *analysis, const struct np_break *at);

/* Returns the line through the point of the highest rate; without one, the last line before
 * that point, else the first after it; NULL without a line. */
const struct np_line_fit *np_analysis_line(const struct np_analysis *analysis);

/*
 * LogGP: A. Alexandrov, M. F. Ionescu, K. E. Schauser, C. Scheiman, "LogGP: Incorporating
 * Long Messages into the LogP model", SPAA 1995.  Half a round trip takes L + 2 o + (n - 1)
 * G, and messages of a stream are max(g, o) + (n - 1) G apart.  Only a delay in the sender
 * separates L from o (T. Hoefler, A. Lichei, W. Rehm, "Low-Overhead LogGP Parameter
 * Assessment for Modern Interconnection Networks", IPDPS 2007, varies it).  Neither curve
 * has a delay: only the sum is estimated.
 */
struct np_loggp {
	struct np_estimate latency_and_overheads; /* L + 2 o, seconds */
	struct np_estimate gap;			  /* max(g, o), seconds */
	struct np_estimate gap_per_byte;	  /* G, seconds per byte */
};

/* Estimates LogGP from two curves of one run, half round trips and a stream's time per
 * message: L + 2 o and the gap from the lines of their shortest messages, G from the lines
 * with the peaks (np_analysis_line()).  G is the smaller of both values: switches that
 * store a message slow down a round trip, the last message of a sample a stream.  NAN
 * without a line. */
struct np_loggp np_analysis_loggp(const struct np_analysis *pingpong,
				  const struct np_analysis *stream);
