/*
 * least.c - QR of a narrow matrix.
 */
#include "stats/least.h"

#include <math.h>

/* What is left of a column that depends on the others. */
static const double dependent = 1e-10;

static double dot_columns(const double *rows, size_t count, size_t stride, size_t a,
			  size_t b)
{
	double sum = 0.0;

	for (size_t i = 0; i < count; i++)
		sum += rows[i * stride + a] * rows[i * stride + b];
	return sum;
}

static void subtract_column(double *rows, size_t count, size_t stride, size_t from,
			    size_t unit, double share)
{
	for (size_t i = 0; i < count; i++)
		rows[i * stride + from] -= share * rows[i * stride + unit];
}

bool np_least_solve(double *rows, size_t count, size_t columns, struct np_least *least)
{
	const size_t stride = columns + 1;
	double right[NP_LEAST_COLUMNS] = { 0.0 };
	double before[NP_LEAST_COLUMNS] = { 0.0 };

	if (columns == 0 || columns > NP_LEAST_COLUMNS || count < columns)
		return false;
	*least = (struct np_least){ .columns = columns, .free = count - columns };
	for (size_t k = 0; k < columns; k++)
		before[k] = sqrt(dot_columns(rows, count, stride, k, k));
	for (size_t k = 0; k < columns; k++) {
		const double length = sqrt(dot_columns(rows, count, stride, k, k));

		if (!(length > dependent * before[k]))
			return false;
		least->r[k][k] = length;
		for (size_t i = 0; i < count; i++)
			rows[i * stride + k] /= length;
		for (size_t l = k + 1; l <= columns; l++) {
			const double share = dot_columns(rows, count, stride, k, l);

			if (l < columns)
				least->r[k][l] = share;
			else
				right[k] = share;
			subtract_column(rows, count, stride, l, k, share);
		}
	}
	for (size_t k = columns; k-- > 0;) {
		double rest = right[k];

		for (size_t l = k + 1; l < columns; l++)
			rest -= least->r[k][l] * least->x[l];
		least->x[k] = rest / least->r[k][k];
	}
	least->squares = dot_columns(rows, count, stride, columns, columns);
	return true;
}

/* The covariance is (R'R)^-1, so the error is the length of R'^-1 function. */
double np_least_value(const struct np_least *least, const double *function, double *error)
{
	double solved[NP_LEAST_COLUMNS] = { 0.0 };
	double value = 0.0;
	double squares = 0.0;

	for (size_t k = 0; k < least->columns; k++) {
		double rest = function[k];

		for (size_t l = 0; l < k; l++)
			rest -= least->r[l][k] * solved[l];
		solved[k] = rest / least->r[k][k];
		squares += solved[k] * solved[k];
		value += function[k] * least->x[k];
	}
	*error = sqrt(squares);
	return value;
}

double np_least_excess(const struct np_least *least)
{
	if (least->free == 0)
		return 1.0;
	return sqrt(fmax(1.0, least->squares / (double)least->free));
}
