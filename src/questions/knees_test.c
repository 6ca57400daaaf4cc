/*
 * knees_test.c - the noise of figures, and the tests of a transition.
 */
#include "questions/knees_test.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"

/* of a test */
enum { PERMUTATIONS = 1999 };

/* Median of few values, which it sorts; NAN if none.  Faster than np_median() for few
 * units. */
static double median_of(double *values, size_t count)
{
	if (count == 0)
		return (double)NAN;
	for (size_t i = 1; i < count; i++) {
		const double value = values[i];
		size_t at = i;

		for (; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
	return count % 2 != 0 ? values[count / 2] :
				(values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Median over units at one position, of rows `stride` values apart. */
static double figure_at(const double *values, size_t units, size_t stride, size_t position,
			double *column)
{
	size_t count = 0;

	for (size_t unit = 0; unit < units; unit++) {
		const double value = values[unit * stride + position];

		if (!isnan(value))
			column[count++] = value;
	}
	return median_of(column, count);
}

/* Outliers deviate by more than this many standard deviations from their neighbours. */
static const double outlying = 5;

/* Median of a position and of the two positions on either side. */
static double neighbourhood(const double *row, size_t at)
{
	double values[5];
	size_t count = 0;

	for (size_t i = at - 2; i <= at + 2; i++) {
		if (!isnan(row[i]))
			values[count++] = row[i];
	}
	return median_of(values, count);
}

void np_knee_tame(const double *values, size_t units, size_t positions, double *tamed)
{
	for (size_t unit = 0; unit < units; unit++) {
		const double *row = values + unit * positions;
		double differences[NP_KNEE_POSITIONS_MAX];
		size_t count = 0;

		for (size_t i = 0; i < positions; i++) {
			tamed[unit * positions + i] = row[i];
			if (i != 0 && !isnan(row[i]) && !isnan(row[i - 1]))
				differences[count++] = fabs(row[i] - row[i - 1]);
		}
		if (count == 0)
			continue;
		const double most = outlying * np_median(differences, count) /
				    (NP_NORMAL_MAD * sqrt(2));
		for (size_t i = 2; i + 2 < positions; i++) {
			if (isnan(row[i]))
				continue;
			const double middle = neighbourhood(row, i);
			tamed[unit * positions + i] =
				fmin(fmax(row[i], middle - most), middle + most);
		}
	}
}

void np_knee_figures(const struct np_knee_values *values, double *figures)
{
	for (size_t i = 0; i < values->positions; i++)
		figures[i] = figure_at(values->values, values->units, values->positions, i,
				       values->scratch);
}

/* Noise between units.  Residuals about the median of n values are too small by about
 * sqrt((n - 1) / n). */
static double noise_of_units(const struct np_knee_values *values, const double *figures,
			     size_t first, size_t last)
{
	size_t count = 0;

	for (size_t unit = 0; unit < values->units; unit++) {
		const double *from = values->values + unit * values->positions;

		for (size_t i = first; i <= last; i++) {
			if (!isnan(from[i]))
				values->scratch[count++] = fabs(from[i] - figures[i]);
		}
	}
	/* Mean number of values of a position: not every unit has one at each. */
	const double units = (double)count / (double)(last + 1 - first);
	if (units < 3)
		return 0;
	return np_median(values->scratch, count) / NP_NORMAL_MAD * NP_MEDIAN_LOSS /
	       sqrt(units - 1);
}

/* Noise between neighbouring positions; a difference has the noise of two. */
static double noise_of_positions(const double *figures, size_t count)
{
	double differences[NP_KNEE_POSITIONS_MAX];

	if (count < 5)
		return 0;
	for (size_t i = 1; i < count; i++)
		differences[i - 1] = fabs(figures[i] - figures[i - 1]);
	return np_median(differences, count - 1) / (NP_NORMAL_MAD * sqrt(2));
}

double np_knee_noise(const struct np_knee_values *values, const double *figures,
		     size_t first, size_t last)
{
	return fmax(noise_of_units(values, figures, first, last),
		    noise_of_positions(figures + first, last + 1 - first));
}

bool np_knee_is_repeated(const struct np_knee_values *values, const double *figures)
{
	return noise_of_positions(figures, values->positions) >
	       noise_of_units(values, figures, 0, values->positions - 1);
}

bool np_transition_stands_out(const struct np_knee_values *values, const double *figures,
			      const struct np_transition *at, double noise, double price)
{
	const double before = (double)(at->last + 1 - at->first);
	const double behind = (double)(at->end + 1 - at->next);
	const double here =
		fmax(noise, np_knee_noise(values, figures, at->first, at->last));
	const double there = fmax(noise, np_knee_noise(values, figures, at->next, at->end));
	const double step = np_mean(figures + at->next, at->end + 1 - at->next) -
			    np_mean(figures + at->first, at->last + 1 - at->first);

	return step * step >= price * (here * here / before + there * there / behind);
}

/* Squared error without a step, minus that with the best step. */
static double largest_gain(const double *figures, size_t count)
{
	double all = 0, left = 0, most = 0;

	for (size_t i = 0; i < count; i++)
		all += figures[i];
	for (size_t i = 0; i + 1 < count; i++) {
		const double before = (double)(i + 1), behind = (double)(count - i - 1);

		left += figures[i];
		const double step = left / before - (all - left) / behind;
		most = fmax(most, step * step * before * behind / (double)count);
	}
	return most;
}

/* Mean of the values that are not NAN; NAN if none. */
static double mean_of_present(const double *values, size_t count)
{
	double sum = 0;
	size_t present = 0;

	for (size_t i = 0; i < count; i++) {
		if (isnan(values[i]))
			continue;
		sum += values[i];
		present++;
	}
	return present == 0 ? (double)NAN : sum / (double)present;
}

/* Copies the values of the two plateaus, about the mean of their unit, without the
 * positions between.  Skips units with values on only one plateau, which carry no evidence
 * of a step: the last passes measure only imprecise positions, mostly of one plateau.
 * Returns the number of units copied. */
static size_t copy_plateaus(const struct np_knee_values *values,
			    const struct np_transition *at, double *copy)
{
	const size_t before = at->last + 1 - at->first, behind = at->end + 1 - at->next;
	size_t units = 0;

	for (size_t unit = 0; unit < values->units; unit++) {
		const double *from = values->values + unit * values->positions;
		double *const to = copy + units * (before + behind);

		memcpy(to, from + at->first, before * sizeof(*to));
		memcpy(to + before, from + at->next, behind * sizeof(*to));
		if (isnan(mean_of_present(to, before)) ||
		    isnan(mean_of_present(to + before, behind)))
			continue;
		const double mean = mean_of_present(to, before + behind);
		for (size_t i = 0; i < before + behind; i++)
			to[i] -= mean;
		units++;
	}
	return units;
}

/* Permutes the values of a unit; NAN stays in place. */
static void permute(double *values, size_t count, struct np_random *random)
{
	size_t present[NP_KNEE_POSITIONS_MAX], left = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(values[i]))
			present[left++] = i;
	}
	for (; left > 1; left--) {
		const size_t one = present[np_random_below(random, left)];
		const size_t other = present[left - 1];
		const double value = values[one];

		values[one] = values[other];
		values[other] = value;
	}
}

static double gain_of(const double *copy, size_t units, size_t count, double *column)
{
	double figures[NP_KNEE_POSITIONS_MAX];

	for (size_t i = 0; i < count; i++) {
		figures[i] = figure_at(copy, units, count, i, column);
		if (isnan(figures[i])) /* the mean of its unit */
			figures[i] = 0;
	}
	return largest_gain(figures, count);
}

double np_transition_p(const struct np_knee_values *values, const struct np_transition *at,
		       double alpha)
{
	/* p is certain to be above alpha once so many permutations have as large a step. */
	const unsigned enough = 3 + (unsigned)(2 * alpha * PERMUTATIONS);
	double *column = values->scratch, *copy = values->scratch + values->units;
	const size_t count = at->last + 1 - at->first + at->end + 1 - at->next;
	const size_t units = copy_plateaus(values, at, copy);
	const double found = gain_of(copy, units, count, column);
	unsigned as_large = 0;

	if (units == 0)
		return 1;
	for (unsigned i = 1; i <= PERMUTATIONS; i++) {
		for (size_t unit = 0; unit < units; unit++)
			permute(copy + unit * count, count, values->random);
		as_large += gain_of(copy, units, count, column) >= found * (1 - 1e-12);
		if (as_large == enough)
			return as_large / (double)i;
	}
	return (as_large + 1.0) / (PERMUTATIONS + 1.0);
}
