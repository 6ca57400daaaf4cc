/*
 * least.c - QR triangle of a matrix of few columns.
 */
#include "stats/least.h"

#include <math.h>

/* Linear dependence: a pivot below this share of the length of its column is rounding. */
static const double dependent = 1e-10;

/* Rotates a row into row k of the triangle so that entry k of the row vanishes. */
static void rotate_row(struct np_least *least, size_t k, double *row)
{
	double *with = least->r[k];
	const double share = 1.0 / sqrt(with[k] * with[k] + row[k] * row[k]);
	const double cosine = with[k] * share, sine = row[k] * share;

	for (size_t l = k; l <= least->columns; l++) {
		const double upper = with[l], lower = row[l];

		with[l] = cosine * upper + sine * lower;
		row[l] = cosine * lower - sine * upper;
	}
}

void np_least_add(struct np_least *least, double *row)
{
	for (size_t k = 0; k < least->columns; k++) {
		if (fabs(row[k]) > 0.0)
			rotate_row(least, k, row);
	}
	least->squares += row[least->columns] * row[least->columns];
	least->rows++;
}

bool np_least_solve(const struct np_least *least, size_t columns,
		    struct np_solution *solution)
{
	*solution = (struct np_solution){ .least = least, .columns = columns };
	if (columns == 0 || columns > least->columns || least->rows < columns)
		return false;
	solution->free = least->rows - columns;
	for (size_t k = columns; k-- > 0;) {
		double rest = least->r[k][least->columns];
		double squares = 0.0;

		for (size_t l = 0; l <= k; l++)
			squares += least->r[l][k] * least->r[l][k];
		if (!(fabs(least->r[k][k]) > dependent * sqrt(squares)))
			return false;
		for (size_t l = k + 1; l < columns; l++)
			rest -= least->r[k][l] * solution->x[l];
		solution->x[k] = rest / least->r[k][k];
	}
	solution->squares = least->squares;
	for (size_t k = columns; k < least->columns; k++)
		solution->squares +=
			least->r[k][least->columns] * least->r[k][least->columns];
	return true;
}

/* The covariance is (R'R)^-1, so the error is the length of R'^-1 function. */
double np_solution_value(const struct np_solution *solution, const double *function,
			 double *error)
{
	double solved[NP_LEAST_COLUMNS] = { 0.0 };
	double value = 0.0, squares = 0.0;

	for (size_t k = 0; k < solution->columns; k++) {
		double rest = function[k];

		for (size_t l = 0; l < k; l++)
			rest -= solution->least->r[l][k] * solved[l];
		solved[k] = rest / solution->least->r[k][k];
		squares += solved[k] * solved[k];
		value += function[k] * solution->x[k];
	}
	*error = sqrt(squares);
	return value;
}

double np_solution_unknown(const struct np_solution *solution, size_t column, double *error)
{
	double function[NP_LEAST_COLUMNS] = { 0.0 };

	function[column] = 1.0;
	return np_solution_value(solution, function, error);
}

double np_solution_excess(const struct np_solution *solution)
{
	if (solution->free == 0)
		return 1.0;
	return sqrt(fmax(1.0, solution->squares / (double)solution->free));
}
