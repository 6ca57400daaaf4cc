/*
 * least.h - least squares with a few columns and known weights.
 *
 * A row is one equation divided by its standard error: residuals have variance 1 if the
 * model holds.  Givens rotations add rows one at a time to the triangle of a QR
 * decomposition (G. H. Golub and C. F. Van Loan, Matrix Computations, 4th edition, 2013,
 * 5.1.8 and 6.5).  No row is stored, a growing window can be solved at each size, and a
 * triangle is merged into another by adding its rows and its squares.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { NP_LEAST_COLUMNS = 7, NP_LEAST_WIDTH = NP_LEAST_COLUMNS + 1 };

/* Initialized as { .columns = N }. */
struct np_least {
	size_t columns;
	size_t rows;
	double r[NP_LEAST_COLUMNS][NP_LEAST_WIDTH]; /* upper triangle, right side last */
	double squares; /* sum of squared residuals of a fit of all columns */
};

struct np_solution {
	const struct np_least *least;
	size_t columns;
	double x[NP_LEAST_COLUMNS];
	double squares; /* sum of squared residuals */
	size_t free;	/* degrees of freedom: rows minus columns */
};

/* Adds an equation: columns + 1 numbers, the right side last; the row is overwritten. */
void np_least_add(struct np_least *least, double *row);

/* Solves for the first `columns` unknowns, without the other columns.  least must outlive
 * the solution.  Returns false with fewer rows than columns or dependent columns. */
bool np_least_solve(const struct np_least *least, size_t columns,
		    struct np_solution *solution);

/* Returns the sum of function[k] * x[k] over all unknowns; *error becomes its standard
 * error if the model holds. */
double np_solution_value(const struct np_solution *solution, const double *function,
			 double *error);

/* Returns one unknown; *error becomes its standard error if the model holds. */
double np_solution_unknown(const struct np_solution *solution, size_t column,
			   double *error);

/* Factor for standard errors: the standard deviation of the residuals, 1 if the model
 * holds; at least 1, and 1 without degrees of freedom. */
double np_solution_excess(const struct np_solution *solution);
