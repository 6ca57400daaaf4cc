/*
 * fit.h - a curve in a few parameters (Hockney's line, LogGP), and whether the data support
 * them.
 *
 * t(n) = t0 + n / r_inf: r_inf is the bandwidth that long messages tend to, and
 * n_1/2 = t0 r_inf the length at which half of it is reached.  R. W. Hockney,
 * "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel
 * Computing 20(3), 1994.
 *
 * The line is fitted to relative residuals, because the error of a time is a
 * share of it, and robustly: Huber's M-estimate by iteratively reweighted least
 * squares, with the covariance that belongs to it and Student's t (P. J. Huber
 * and E. M. Ronchetti, Robust Statistics, 2nd edition, 2009, 7.6 and 7.8).
 */
#pragma once

#include "curve/curve.h"
#include "curve/segments.h"

struct np_estimate {
	double value, low, high; /* 95 % interval; all NAN if the data give none */
};

enum np_fit_support {
	NP_FIT_GOOD,	   /* every estimate is there */
	NP_FIT_FEW_POINTS, /* fewer than 5: none is */
	NP_FIT_NARROW,	   /* sizes span less than a factor of 4: none is */
	NP_FIT_NO_SLOPE,   /* the interval of the slope contains 0: only t0 is */
	NP_FIT_NO_START,   /* the interval of t0 contains 0: only r_inf is */
	NP_FIT_NOT_A_LINE  /* points lie off the line by more than 10 %: none is */
};

struct np_line_fit {
	struct np_estimate t0;	   /* seconds */
	struct np_estimate r_inf;  /* bytes per second */
	struct np_estimate n_half; /* bytes */
	size_t points;		   /* that were fitted */
	double scatter; /* robust relative deviation from the line; NAN: no line */
	enum np_fit_support support;
};

/*
 * Fits points first to last, both included, of a curve; those in dropouts of
 * shape are left out (shape may be NULL: none is).  Intervals suppose that the segment is a
 * line and its points err independently; of 1000 such simulated lines they covered t0,
 * r_inf and n_1/2 of 93 to 97 in 100 (tests/unit/test_fit.c). Returns 0 or -ENOMEM; *fit is
 * set on success, whatever its support.
 */
int np_fit_line(const struct np_point *points, size_t first, size_t last,
		const struct np_shape *shape, struct np_line_fit *fit);

/* Why estimates are missing, as a phrase to print: "fewer than 5 points". */
const char *np_fit_support_text(enum np_fit_support support);

/*
 * LogGP: A. Alexandrov, M. F. Ionescu, K. E. Schauser, C. Scheiman, "LogGP:
 * Incorporating Long Messages into the LogP model", SPAA 1995.  Half a round
 * trip takes L + 2 o + (n - 1) G, and messages of a stream leave max(g, o) +
 * (n - 1) G apart.  Telling L from o takes a sender that computes
 * meanwhile (T. Hoefler, A. Lichei, W. Rehm, "Low-Overhead LogGP Parameter
 * Assessment for Modern Interconnection Networks", IPDPS 2007, varies a delay),
 * which neither curve has: their sum is given.
 */
struct np_loggp {
	struct np_estimate latency_and_overheads; /* L + 2 o, seconds */
	struct np_estimate gap;			  /* g, or o if that is more: seconds */
	struct np_estimate gap_per_byte;	  /* G, seconds per byte */
};

/*
 * LogGP from two curves of the same run: half round trips, and a stream's time
 * per message.  Either may have no points; its parameters are then NAN.  Uses
 * the first segment of each, the protocol of short messages; the shapes may not
 * be NULL where there are points.  Returns 0 or -ENOMEM.
 */
int np_fit_loggp(const struct np_point *pingpong, size_t pingpong_count,
		 const struct np_shape *pingpong_shape, const struct np_point *stream,
		 size_t stream_count, const struct np_shape *stream_shape,
		 struct np_loggp *loggp);
