/*
 * bimodal.c - the dip of a sample, its p-value, and the split between the modes.
 */
#include "stats/bimodal.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "stats/stats.h"

enum { VALUES_LEAST = 20, TRIALS = 500 };

static const double share_least = 0.2; /* least share of values in a mode */
static const double clean = 3.0;       /* least D of Ashman */
/* Largest p-value of the dip. */
static const double chance = 0.01;

/* Greatest convex minorant of the empirical distribution function, or least concave
 * majorant (above): indices of the values at which it touches, ascending. */
struct hull {
	size_t *touch;
	size_t count;
	bool above;
};

/* Empirical distribution function just below value i, or at it for the majorant. */
static double step_at(const struct hull *hull, size_t i, size_t count)
{
	return ((double)i + (hull->above ? 1.0 : 0.0)) / (double)count;
}

/* Makes the hull over values first to last. */
static void make_hull(struct hull *hull, const double *values, size_t count, size_t first,
		      size_t last)
{
	hull->count = 0;
	for (size_t i = first; i <= last; i++) {
		while (hull->count >= 2) {
			const size_t a = hull->touch[hull->count - 2],
				     b = hull->touch[hull->count - 1];
			const double turn =
				(values[b] - values[a]) * (step_at(hull, i, count) -
							   step_at(hull, a, count)) -
				(values[i] - values[a]) *
					(step_at(hull, b, count) - step_at(hull, a, count));

			if (hull->above ? turn < 0 : turn > 0)
				break;
			hull->count--;
		}
		hull->touch[hull->count++] = i;
	}
}

/* Height of the hull, 0 to 1, at the value of an index, within its range. */
static double height(const struct hull *hull, const double *values, size_t count,
		     size_t value)
{
	size_t low = 0, high = hull->count - 1;

	while (high - low > 1) {
		const size_t middle = (low + high) / 2;

		if (hull->touch[middle] <= value)
			low = middle;
		else
			high = middle;
	}
	const size_t a = hull->touch[low], b = hull->touch[high];
	const double base = step_at(hull, a, count), run = values[b] - values[a];
	const double share = run > 0 ? (values[value] - values[a]) / run : 1.0;

	return base + (step_at(hull, b, count) - base) * share;
}

/* First index into touch whose value is not below that of index `value`, or hull->count. */
static size_t not_below(const struct hull *hull, size_t value)
{
	size_t low = 0, high = hull->count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (hull->touch[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Largest distance between the two hulls, and the modal interval there. */
struct apart {
	double most;
	size_t first, last;
};

static struct apart find_apart(const struct hull *under, const struct hull *over,
			       const double *values, size_t count)
{
	struct apart apart = { .most = -1 };

	for (size_t i = 0; i < under->count; i++) {
		const size_t at = under->touch[i];
		const double gap =
			height(over, values, count, at) - step_at(under, at, count);
		const size_t next = not_below(over, at);

		if (gap > apart.most && next < over->count)
			apart = (struct apart){ gap, at, over->touch[next] };
	}
	for (size_t j = 0; j < over->count; j++) {
		const size_t at = over->touch[j];
		const double gap =
			step_at(over, at, count) - height(under, values, count, at);
		size_t before = not_below(under, at);

		if (before == under->count || under->touch[before] > at)
			before--;
		if (gap > apart.most && before < under->count)
			apart = (struct apart){ gap, under->touch[before], at };
	}
	return apart;
}

/* Largest distance of the distribution function from its hull over values first to last. */
static double farthest(const struct hull *hull, const double *values, size_t count,
		       size_t first, size_t last)
{
	double most = 0;

	for (size_t i = first; i <= last; i++) {
		/* The hull touches one end of a step; take the other. */
		const double other =
			((double)i + (hull->above ? 0.0 : 1.0)) / (double)count;

		most = fmax(most, fabs(height(hull, values, count, i) - other));
	}
	return most;
}

double np_dip(const double *ascending, size_t count)
{
	struct hull under = { malloc((count + 1) * sizeof(size_t)), 0, false };
	struct hull over = { malloc((count + 1) * sizeof(size_t)), 0, true };
	size_t first = 0, last = count - 1;
	double distance = 1.0 / (double)count;

	if (count == 0 || under.touch == NULL || over.touch == NULL) {
		distance = (double)NAN;
		count = 0;
	}
	while (count != 0 && first < last) {
		make_hull(&under, ascending, count, first, last);
		make_hull(&over, ascending, count, first, last);
		const struct apart apart = find_apart(&under, &over, ascending, count);

		if (apart.most <= distance)
			break;
		distance = fmax(distance,
				fmax(farthest(&under, ascending, count, first, apart.first),
				     farthest(&over, ascending, count, apart.last, last)));
		if (apart.first == first && apart.last == last)
			break;
		first = apart.first;
		last = apart.last;
	}
	free(under.touch);
	free(over.touch);
	return distance / 2;
}

double np_dip_p(double dip, size_t count, size_t trials, uint64_t seed)
{
	double *values = calloc(count + 1, sizeof(*values));
	struct np_random random = { seed };
	size_t above = 0;

	if (values == NULL)
		return (double)NAN;
	for (size_t trial = 0; trial < trials; trial++) {
		double sum = 0;

		/* Partial sums of exponential values are distributed as ordered uniform
		 * values. */
		for (size_t i = 0; i < count; i++) {
			const double uniform =
				((double)(np_random_next(&random) >> 11) + 0.5) * 0x1p-53;

			sum -= log(uniform);
			values[i] = sum;
		}
		above += np_dip(values, count) >= dip;
	}
	free(values);
	return ((double)above + 1) / ((double)trials + 1);
}

/* Mean and variance of the logarithms of values. */
static void moments(const double *values, size_t count, double *mean, double *variance)
{
	double sum = 0, square = 0;

	for (size_t i = 0; i < count; i++)
		sum += log(values[i]);
	*mean = sum / (double)count;
	for (size_t i = 0; i < count; i++)
		square += pow(log(values[i]) - *mean, 2);
	*variance = square / (double)count;
}

double np_independent_values(const double *values, const size_t *groups, size_t group_count)
{
	double count = 0, squares = 0, within = 0, sum = 0, between = 0, known = 0;

	for (size_t i = 0; i < group_count; i++) {
		const double size = (double)groups[i];
		double mean, variance;

		if (groups[i] == 0)
			continue;
		moments(values, groups[i], &mean, &variance);
		values += groups[i];
		known++;
		count += size;
		squares += size * size;
		within += size * variance;
		sum += size * mean;
		between += size * mean * mean;
	}
	if (known < 2 || count <= known)
		return known;
	const double group = (count - squares / count) / (known - 1);
	const double inner = within / (count - known);
	const double outer = fmax((between - sum * sum / count) / (known - 1), inner);

	/* Without variance each group counts as one value. */
	if (!(outer > 0))
		return known;
	return count / (1 + (group - 1) * (outer - inner) / (outer + (group - 1) * inner));
}

/* Number of values in the lower part of the split whose sum of squares of logarithms
 * between the parts is greatest, and within them least. */
static size_t best_split(const double *ascending, size_t count)
{
	double all = 0, below = 0, most = -1;
	size_t best = 0;

	for (size_t i = 0; i < count; i++)
		all += log(ascending[i]);
	for (size_t i = 1; i < count; i++) {
		below += log(ascending[i - 1]);
		const double low = (double)i, high = (double)(count - i);
		const double apart = (all - below) / high - below / low;
		const double between = low * high * apart * apart;

		if (between > most) {
			most = between;
			best = i;
		}
	}
	return best;
}

struct np_bimodal np_split_in_two(double *values, size_t count, double least, double apart)
{
	struct np_bimodal modes = { .two = false };
	double means[2], variances[2];

	if (count == 0)
		return modes;
	qsort(values, count, sizeof(*values), np_compare_doubles);
	modes.lower = modes.upper = np_median(values, count);
	const size_t low = best_split(values, count), high = count - low;
	const double share = (double)high / (double)count;

	if (low == 0 || share < least || (double)low / (double)count < least)
		return modes;
	moments(values, low, &means[0], &variances[0]);
	moments(values + low, high, &means[1], &variances[1]);
	if (means[1] - means[0] < log(apart) ||
	    (means[1] - means[0]) * M_SQRT2 < clean * sqrt(variances[0] + variances[1]))
		return modes;
	modes.two = true;
	modes.share = share;
	modes.lower = np_median(values, low);
	modes.upper = np_median(values + low, high);
	return modes;
}

struct np_bimodal np_bimodal_find(double *values, size_t count, double independent,
				  double apart)
{
	struct np_bimodal modes = np_split_in_two(values, count, share_least, apart);

	if (!modes.two ||
	    (count >= VALUES_LEAST &&
	     np_dip_p(np_dip(values, count), (size_t)independent, TRIALS, count) < chance))
		return modes;
	const double middle = np_median(values, count);
	return (struct np_bimodal){ .lower = middle, .upper = middle };
}
