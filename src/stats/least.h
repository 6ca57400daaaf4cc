/*
 * least.h - least squares with a few columns and weights that are known.
 *
 * A row is one equation, already divided by its standard error, so that the residuals
 * have variance 1 where the model holds.  Rows are added to the triangle of a QR
 * decomposition one at a time, by Givens rotations (G. H. Golub and C. F. Van Loan,
 * Matrix Computations, 4th edition, 2013, 5.1.8 and 6.5).  So no row is kept, a window
 * that grows is solved at each size on the way; and the rows of one triangle, with its
 * squares, added to another stand for all rows that it was made of.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { NP_LEAST_COLUMNS = 7, NP_LEAST_WIDTH = NP_LEAST_COLUMNS + 1 };

/* Starts as { .columns = how many }. */
struct np_least {
	size_t columns;
	size_t rows;
	double r[NP_LEAST_COLUMNS][NP_LEAST_WIDTH]; /* upper triangle, right side last */
	double squares;				    /* of the residual of the right side */
};

struct np_solution {
	const struct np_least *least;
	size_t columns;
	double x[NP_LEAST_COLUMNS];
	double squares; /* sum of squared residuals */
	size_t free;	/* rows less columns */
};

/* A row of columns + 1 numbers, the right side last; it is used up. */
void np_least_add(struct np_least *least, double *row);

/* Solves for the first so many of the columns, as if there were no others.  least must
 * outlive the solution.  False if there are fewer rows than columns or columns depend on
 * each other. */
bool np_least_solve(const struct np_least *least, size_t columns,
		    struct np_solution *solution);

/* The value of a linear function of the solution, and its standard error if the
 * rows' errors are 1. */
double np_solution_value(const struct np_solution *solution, const double *function,
			 double *error);

/* One unknown of the solution, and its standard error. */
double np_solution_unknown(const struct np_solution *solution, size_t column,
			   double *error);

/* The standard deviation of residuals, which is 1 where the model holds: at least 1, and 1
 * if there are no degrees of freedom. */
double np_solution_excess(const struct np_solution *solution);
