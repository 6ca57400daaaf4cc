/*
 * polish.c - sweeps of a median polish, and the error of its levels.
 */
#include "stats/polish.h"

#include <math.h>

#include "stats/stats.h"

/* Subtracts the median from values that are a stride apart.  Returns it; NAN without
 * values. */
static double sweep(double *values, size_t count, size_t stride, double *scratch)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(values[i * stride]))
			scratch[known++] = values[i * stride];
	}
	const double middle = np_median(scratch, known);
	for (size_t i = 0; i < count; i++)
		values[i * stride] -= middle;
	return middle;
}

void np_median_polish(double *values, size_t rows, size_t columns, size_t sweeps,
		      double *levels, double *scratch)
{
	for (size_t row = 0; row < rows; row++)
		levels[row] = 0;
	for (size_t k = 0; k < sweeps; k++) {
		for (size_t row = 0; row < rows && k % 2 == 0; row++)
			levels[row] += sweep(values + row * columns, columns, 1, scratch);
		for (size_t column = 0; column < columns && k % 2 == 1; column++)
			sweep(values + column, rows, columns, scratch);
	}
}

double np_polish_error(const double *residuals, size_t count, double degrees,
		       double *scratch)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		if (fabs(residuals[i]) > 0)
			scratch[known++] = fabs(residuals[i]);
	}
	return known == 0 ? 0 :
			    NP_MEDIAN_LOSS_ROUNDED / NP_NORMAL_MAD *
				    np_median(scratch, known) / sqrt(degrees);
}
