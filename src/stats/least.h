/*
 * least.h - least squares with a few columns and weights that are known.
 *
 * A row is one equation, already divided by its standard error, so that the
 * residuals have variance 1 where the model holds.
 */
#ifndef NP_LEAST_H
#define NP_LEAST_H

#include <stdbool.h>
#include <stddef.h>

enum { NP_LEAST_COLUMNS = 5 };

struct np_least {
	size_t columns;
	double r[NP_LEAST_COLUMNS][NP_LEAST_COLUMNS]; /* upper triangle of QR */
	double x[NP_LEAST_COLUMNS];		      /* the solution */
	double squares;				      /* sum of squared residuals */
	size_t free;				      /* rows less columns */
};

/*
 * Solves by modified Gram-Schmidt.  rows holds count rows of columns + 1
 * numbers, the right side last, and is used up.  False if there are fewer rows
 * than columns or columns depend on each other.
 */
bool np_least_solve(double *rows, size_t count, size_t columns, struct np_least *least);

/* The value of a linear function of the solution, and its standard error if the
 * rows' errors are 1. */
double np_least_value(const struct np_least *least, const double *function, double *error);

/* How much larger residuals are than they should be; 1 if they are not, or if
 * no row was left to tell. */
double np_least_excess(const struct np_least *least);

#endif
