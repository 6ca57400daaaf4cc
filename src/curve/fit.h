/*
 * fit.h - Hockney's line, and whether the data support its parameters.
 *
 * t(n) = t0 + n / r_inf: r_inf is the asymptotic bandwidth of long messages, and n_1/2 = t0
 * r_inf the length with half of it.  R. W. Hockney, "The communication challenge for MPP:
 * Intel Paragon and Meiko CS-2", Parallel Computing 20(3), 1994.
 *
 * The fit uses relative residuals, since the error of a time is proportional to the time,
 * and is robust: Huber's M-estimate by iteratively reweighted least squares, with its
 * covariance and Student's t (P. J. Huber and E. M. Ronchetti, Robust Statistics, 2nd
 * edition, 2009, 7.6 and 7.8).
 */
#pragma once

#include "curve/curve.h"
#include "curve/segments.h"

struct np_estimate {
	double value, low, high; /* 95 % interval; all NAN if not supported */
};

enum np_fit_support {
	NP_FIT_GOOD,	   /* all estimates */
	NP_FIT_FEW_POINTS, /* fewer than 5: no estimate */
	NP_FIT_NARROW,	   /* sizes span less than a factor of 4: no estimate */
	NP_FIT_NO_SLOPE,   /* interval of the slope contains 0: only t0 */
	NP_FIT_NO_START,   /* interval of t0 contains 0: only r_inf */
	NP_FIT_NOT_A_LINE  /* points lie off any line by more than 5 %: no estimate */
};

struct np_line_fit {
	struct np_estimate t0;	   /* seconds */
	struct np_estimate r_inf;  /* bytes per second */
	struct np_estimate n_half; /* bytes */
	/* Points fitted: number, first and last; without a line, as requested. */
	size_t points, first, last;
	/* Robust standard deviation of relative residuals; NAN: no line. */
	double scatter;
	enum np_fit_support support;
};

/* Fits points first to last, both included, without those in dropouts of shape (NULL:
 * none): all of them, or the part on one side of a point that lies off the line by more
 * than 5 % and 4 standard deviations.  Intervals include the correlation of neighbouring
 * residuals and, for t0 and r_inf, the error of passes or runs that all points share.  The
 * interval of r_inf also holds the rates of all points fitted.  In 1000 simulated lines 93
 * to 97 of 100 intervals held t0, r_inf and n_1/2 (tests/unit/test_fit.c).  On success sets
 * *fit, whatever its support.  Returns 0 or -ENOMEM. */
int np_fit_line(const struct np_point *points, size_t first, size_t last,
		const struct np_shape *shape, struct np_line_fit *fit);

/* Reason for missing estimates, to print: "fewer than 5 points". */
const char *np_fit_support_text(enum np_fit_support support);
