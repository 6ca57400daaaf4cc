/*
 * polish.h - median polish: effects of the rows and of the columns of a table.
 *
 * J. W. Tukey, Exploratory Data Analysis, 1977, chapter 11.  Rows are sizes; columns are
 * passes or rounds.  Neither a disturbed measurement nor a slow pass moves the level of a
 * size.
 */
#pragma once

#include <stddef.h>

/*
 * Subtracts the medians of the rows, then those of the columns, in `sweeps` sweeps.
 * values[row * columns + column], NAN: none; they become residuals.  levels[row] becomes
 * the sum of the medians of the row, NAN without values.  scratch has room for the longer
 * of a row and a column.
 */
void np_median_polish(double *values, size_t rows, size_t columns, size_t sweeps,
		      double *levels, double *scratch);

/*
 * Standard error of a level, from residuals with that number of degrees of freedom.
 * Residuals of 0 belong to the medians themselves and are dropped; 0 if there are no
 * others.  scratch has room for `count` values and may be the residuals.
 */
double np_polish_error(const double *residuals, size_t count, double degrees,
		       double *scratch);
