/*
 * knees.c - finds plateaus by dynamic programming, tests and places the transitions.
 */
#include "questions/knees.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "stats/partition.h"
#include "stats/stats.h"

/* Input of np_transitions_find(), winsorized, and scratch memory. */
struct sweep {
	/* [unit * positions + position]; NAN: not measured */
	const double *values;
	size_t units, positions;
	double *scratch; /* [units * positions + units] */
	struct np_random *random;
};

/* Most random permutations of one test. */
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

/* Median over units at one position.  stride: values from one unit to the next; column:
 * scratch, one value per unit. */
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

/* Copies values and winsorizes outliers.  A value far from the median of its neighbours in
 * the same unit, e.g. of a descheduled visit, is set to the nearest bound.  A plateau of
 * three positions is no outlier.  The ends are not winsorized.  F. R. Hampel, "The
 * influence curve and its role in robust estimation", JASA 69, 1974. */
static void winsorize(const double *values, size_t units, size_t positions, double *tamed)
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

/* Sets figures[i] to the median over units at position i. */
static void set_figures(const struct sweep *values, double *figures)
{
	for (size_t i = 0; i < values->positions; i++)
		figures[i] = figure_at(values->values, values->units, values->positions, i,
				       values->scratch);
}

/* Standard error of a median over units, from the MAD of the residuals of positions first
 * to last; 0 with fewer than 3 units.  Residuals about the median of n values are too small
 * by about sqrt((n - 1) / n). */
static double noise_of_units(const struct sweep *values, const double *figures,
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

/* Standard deviation between neighbouring positions, from the median of absolute first
 * differences.  A difference has the variance of two positions. */
static double noise_of_positions(const double *figures, size_t count)
{
	double differences[NP_KNEE_POSITIONS_MAX];

	if (count < 5)
		return 0;
	for (size_t i = 1; i < count; i++)
		differences[i - 1] = fabs(figures[i] - figures[i - 1]);
	return np_median(differences, count - 1) / (NP_NORMAL_MAD * sqrt(2));
}

/* Standard error of a position's median over units, estimated from positions first to last:
 * the larger of the noise between units and between positions. */
static double noise_of(const struct sweep *values, const double *figures, size_t first,
		       size_t last)
{
	return fmax(noise_of_units(values, figures, first, last),
		    noise_of_positions(figures + first, last + 1 - first));
}

/* Returns true if positions differ by more than the noise between units: an effect of the
 * position is in every unit. */
static bool is_repeated(const struct sweep *values, const double *figures)
{
	return noise_of_positions(figures, values->positions) >
	       noise_of_units(values, figures, 0, values->positions - 1);
}

/* Returns true if the squared step between the means of both plateaus is at least `price`
 * squared standard errors.  Each plateau has its own noise, at least `noise`. */
static bool stands_out(const struct sweep *values, const double *figures,
		       const struct np_transition *at, double noise, double price)
{
	const double before = (double)(at->last + 1 - at->first);
	const double behind = (double)(at->end + 1 - at->next);
	const double here = fmax(noise, noise_of(values, figures, at->first, at->last));
	const double there = fmax(noise, noise_of(values, figures, at->next, at->end));
	const double step = np_mean(figures + at->next, at->end + 1 - at->next) -
			    np_mean(figures + at->first, at->last + 1 - at->first);

	return step * step >= price * (here * here / before + there * there / behind);
}

/* Largest reduction of the sum of squared residuals by a single step at any position. */
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

/* Copies the values of the two plateaus, minus the mean of their unit, without the
 * positions between.  Skips units with values on only one plateau, which carry no evidence
 * of a step: the last passes measure only imprecise positions, mostly of one plateau.
 * Returns the number of units copied. */
static size_t copy_plateaus(const struct sweep *values, const struct np_transition *at,
			    double *copy)
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

/* Test statistic: largest_gain() of the medians over units. */
static double gain_of(const double *copy, size_t units, size_t count, double *column)
{
	double figures[NP_KNEE_POSITIONS_MAX];

	for (size_t i = 0; i < count; i++) {
		figures[i] = figure_at(copy, units, count, i, column);
		if (isnan(figures[i])) /* no value: the mean */
			figures[i] = 0;
	}
	return largest_gain(figures, count);
}

/* p of a permutation test within units: probability of a step as large at any place between
 * the two plateaus if they are one.  Counting stops once p is certain to exceed alpha; a
 * smaller p is exact. */
static double permutation_p(const struct sweep *values, const struct np_transition *at,
			    double alpha)
{
	/* Number of permutations with as large a step from which on p exceeds alpha. */
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

/* Medians over units at all positions, centred, in units of noise; prefix sums of them and
 * of their squares. */
struct row {
	double sums[NP_KNEE_POSITIONS_MAX + 1], squares[NP_KNEE_POSITIONS_MAX + 1];
	size_t count;
};

/* Centres the medians over units and scales them by the noise.  Prefix sums of them and of
 * their squares give the squared residuals of any plateau in O(1). */
static void take_row(struct row *row, const double *figures, size_t count, double noise)
{
	const double middle = np_median(figures, count);

	row->count = count;
	row->sums[0] = row->squares[0] = 0;
	for (size_t i = 0; i < count; i++) {
		/* Centred, to avoid cancellation in squares. */
		const double figure = (figures[i] - middle) / noise;

		row->sums[i + 1] = row->sums[i] + figure;
		row->squares[i + 1] = row->squares[i] + figure * figure;
	}
}

/* Sum of squared residuals of one plateau, from first to last. */
static double row_error(const struct row *row, size_t first, size_t last)
{
	const double sum = row->sums[last + 1] - row->sums[first];
	const double square = row->squares[last + 1] - row->squares[first];

	return fmax(0, square - sum * sum / (double)(last + 1 - first));
}

/* Sets place, and its 95 % interval low to high, of a transition with known plateaus.  The
 * likelihood is that of a step: under it a gradual transition has residuals, whose variance
 * becomes the scale and widens the interval. */
static void place_transition(const struct row *row, struct np_transition *at)
{
	double errors[NP_KNEE_POSITIONS_MAX] = { 0 }, least = (double)INFINITY;
	const bool gradual = at->next > at->last + 1;

	at->place = at->last;
	for (size_t i = at->first; i < at->end; i++) {
		errors[i] = row_error(row, at->first, i) + row_error(row, i + 1, at->end);
		if (errors[i] < least && !gradual)
			at->place = i;
		least = fmin(least, errors[i]);
	}
	const double freedom = fmax(1, (double)(at->end - at->first) - 2);
	const double most = least + NP_KNEE_REJECTED * fmax(1, least / freedom);

	/* Noise hides the foot of a gradual transition: extend the interval by a position.
	 */
	at->low = gradual && at->last > at->first ? at->last - 1 : at->last;
	at->high = at->next;
	for (size_t i = at->first; i < at->end; i++) {
		if (errors[i] > most)
			continue;
		at->low = i < at->low ? i : at->low;
		at->high = i + 1 > at->high ? i + 1 : at->high;
	}
}

/* Cost of a plateau: its squared residuals, and the price of the transition before it.  A
 * plateau has at least NP_KNEE_PLATEAU positions, except at an end of the sweep, where it
 * may continue. */
static double cost_of(void *context, struct np_part part, double most)
{
	const struct row *row = context;
	const double error = row_error(row, part.first, part.end - 1);

	(void)most;
	if (part.first == 0)
		return error;
	return part.end - part.first >= NP_KNEE_PLATEAU || part.end == row->count ?
		       NP_KNEE_PENALTY + error :
		       (double)INFINITY;
}

/* Lists the transitions of the optimal partition, ascending.  Returns 0 or -ENOMEM. */
static int list_transitions(struct row *row, struct np_transitions *transitions)
{
	const struct np_partition partition = { .count = row->count,
						.cost = cost_of,
						.context = row,
						.between = NP_KNEE_BETWEEN };
	struct np_part parts[NP_KNEE_POSITIONS_MAX];
	size_t count;
	const int rc = np_partition_find(&partition, parts, &count);

	for (size_t i = 1; i < count; i++)
		transitions->list[transitions->count++] =
			(struct np_transition){ .first = parts[i - 1].first,
						.last = parts[i - 1].end - 1,
						.next = parts[i].first,
						.end = parts[i].end - 1 };
	return rc;
}

/* Removes a transition: its plateaus and the positions between them become one plateau. */
static void take_out(struct np_transitions *transitions, size_t at)
{
	struct np_transition *list = transitions->list;

	if (at > 0)
		list[at - 1].end = list[at].end;
	if (at + 1 < transitions->count)
		list[at + 1].first = list[at].first;
	transitions->count--;
	memmove(list + at, list + at + 1, (transitions->count - at) * sizeof(*list));
}

/* Limit of stands_out(), in squared standard errors.  Permutations within units destroy an
 * effect of the position that is in every unit, so its steps always pass the permutation
 * test.  This limit alone then rejects false steps, by a noise that is estimated from few
 * differences. */
static double price_of(const struct sweep *values, const double *figures)
{
	return is_repeated(values, figures) ? NP_KNEE_REPEATED : NP_KNEE_STANDS_OUT;
}

/* Backward elimination of transitions that are not significant, the largest p first.  Tests
 * all again after each removal, since the neighbouring plateaus are longer then. */
static void keep_sure(const struct sweep *values, const double *figures, double alpha,
		      double price, struct np_transitions *transitions)
{
	for (;;) {
		size_t weakest = 0;

		for (size_t i = 0; i < transitions->count; i++) {
			struct np_transition *it = &transitions->list[i];

			it->p = stands_out(values, figures, it, transitions->noise, price) ?
					permutation_p(values, it, alpha) :
					1;
			if (it->p > transitions->list[weakest].p)
				weakest = i;
		}
		if (transitions->count == 0 || !(transitions->list[weakest].p > alpha))
			return;
		take_out(transitions, weakest);
	}
}

static void find_levels(const double *figures, struct np_transitions *transitions)
{
	for (size_t i = 0; i < transitions->count; i++) {
		struct np_transition *it = &transitions->list[i];

		it->before = np_mean(figures + it->first, it->last + 1 - it->first);
		it->behind = np_mean(figures + it->next, it->end + 1 - it->next);
	}
}

/* Smallest detectable step between a plateau of four positions and one of all others. */
static double resolution_of(double noise, double price, size_t positions)
{
	const double beyond = positions > 8 ? 4 : (double)positions / 2;
	const double before = (double)positions - beyond;

	return positions < 2 ? (double)NAN :
			       noise * sqrt(price * (1 / beyond + 1 / before));
}

static int find(const struct sweep *values, double alpha, double floor,
		struct np_transitions *transitions)
{
	double figures[NP_KNEE_POSITIONS_MAX];
	struct row row;

	set_figures(values, figures);
	transitions->noise =
		fmax(floor, noise_of(values, figures, 0, values->positions - 1));
	const double price = price_of(values, figures);
	transitions->resolution =
		resolution_of(transitions->noise, price, values->positions);
	take_row(&row, figures, values->positions, transitions->noise);
	transitions->list = calloc(values->positions, sizeof(*transitions->list));
	if (transitions->list == NULL)
		return -ENOMEM;
	const int rc = list_transitions(&row, transitions);
	if (rc != 0)
		return rc;
	keep_sure(values, figures, alpha, price, transitions);
	find_levels(figures, transitions);
	for (size_t i = 0; i < transitions->count; i++)
		place_transition(&row, &transitions->list[i]);
	return 0;
}

int np_transitions_find(const double *values, size_t units, size_t positions, double alpha,
			double floor, uint64_t seed, struct np_transitions *transitions)
{
	struct np_random random = { seed };

	*transitions = (struct np_transitions){ .noise = floor };
	if (positions > NP_KNEE_POSITIONS_MAX)
		return -EINVAL;
	if (units == 0 || positions == 0)
		return 0;
	double *scratch = malloc((2 * units * positions + units) * sizeof(*scratch));
	if (scratch == NULL)
		return -ENOMEM;
	double *tamed = scratch + units * positions + units;
	winsorize(values, units, positions, tamed);
	const struct sweep all = { .values = tamed,
				   .units = units,
				   .positions = positions,
				   .scratch = scratch,
				   .random = &random };
	const int rc = find(&all, alpha, floor, transitions);

	free(scratch);
	return rc;
}

void np_transitions_free(struct np_transitions *transitions)
{
	free(transitions->list);
	*transitions = (struct np_transitions){ .count = 0 };
}
