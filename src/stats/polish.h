/*
 * polish.h - median polish: effects of the rows and of the columns of a table.
 *
 * J. W. Tukey, Exploratory Data Analysis, 1977, chapter 11.  Rows are sizes and columns
 * are passes or rounds: neither a visit that was disturbed nor a pass that was slow as a
 * whole moves the level of a size.
 */
#pragma once

#include <stddef.h>

/*
 * Takes the medians of the rows out of a table, then those of the columns, and so on, in
 * so many sweeps.  values[row * columns + column], NAN where there is none; they become
 * residuals.  levels[row] becomes the sum of the medians of the row, NAN if it has
 * no values.  scratch has room for a row and for a column.
 */
void np_median_polish(double *values, size_t rows, size_t columns, size_t sweeps,
		      double *levels, double *scratch);

/*
 * The standard error of a level, from residuals, with so many degrees of freedom. Residuals
 * of 0 are those of the medians themselves and are left out; 0 if there are no others.
 * scratch has room for all of them; it may be the residuals.
 */
double np_polish_error(const double *residuals, size_t count, double degrees,
		       double *scratch);
