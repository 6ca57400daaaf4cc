/*
 * stats.c - order statistics, the interval of a median, and median polish.
 */
#include "stats/stats.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Integer of the same order as the double: IEEE 754 values sort as sign and magnitude. */
static uint64_t to_key(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

static double from_key(uint64_t key)
{
	uint64_t bits = key >> 63 != 0 ? key & ~(UINT64_C(1) << 63) : ~key;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Split of the values at a key: number of values <= key, and the nearest one on either
 * side. */
struct split {
	size_t count;
	uint64_t below, above;
};

static struct split split_at(const double *values, size_t count, uint64_t key)
{
	struct split split = { .count = 0, .below = 0, .above = UINT64_MAX };

	for (size_t i = 0; i < count; i++) {
		uint64_t other = to_key(values[i]);
		bool below = other <= key;
		split.count += below;
		if (below && other > split.below)
			split.below = other;
		if (!below && other < split.above)
			split.above = other;
	}
	return split;
}

/*
 * Selection by bisection of the range of keys, with each end at a key that occurs: about 20
 * reads of the values, 64 at most, but no memory for a sorted copy.
 */
double np_order_statistic(const double *values, size_t count, size_t rank)
{
	uint64_t low = 0;
	uint64_t high = UINT64_MAX;

	if (count == 0 || rank == 0 || rank > count)
		return (double)NAN;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		struct split split = split_at(values, count, middle);
		if (split.count >= rank)
			high = split.below;
		else
			low = split.above;
	}
	return from_key(low);
}

int np_compare_doubles(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

double np_median(const double *values, size_t count)
{
	return np_quantile(values, count, 0.5);
}

double np_quantile(const double *values, size_t count, double share)
{
	if (count == 0 || isnan(share))
		return (double)NAN;
	double place = fmin(fmax(share, 0.0), 1.0) * (double)(count - 1);
	size_t below = (size_t)place;
	double fraction = place - (double)below;
	double low = np_order_statistic(values, count, below + 1);
	if (fraction <= 0.0)
		return low;
	double high = np_order_statistic(values, count, below + 2);
	return low + fraction * (high - low);
}

/* Compensated summation: A. Neumaier, "Rundungsfehler-
 * analyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54, 1974. */
double np_mean(const double *values, size_t count)
{
	double sum = 0.0;
	double lost = 0.0;

	if (count == 0)
		return (double)NAN;
	for (size_t i = 0; i < count; i++) {
		double next = sum + values[i];
		if (fabs(sum) >= fabs(values[i]))
			lost += (sum - next) + values[i];
		else
			lost += (values[i] - next) + sum;
		sum = next;
	}
	return (sum + lost) / (double)count;
}

double np_min(const double *values, size_t count)
{
	double least = count > 0 ? values[0] : (double)NAN;

	for (size_t i = 1; i < count; i++) {
		if (values[i] < least)
			least = values[i];
	}
	return least;
}

/* Probability of exactly `heads` heads among `count` fair coins. */
static double coin_probability(size_t count, size_t heads)
{
	int sign;
	double all = (double)count;
	double some = (double)heads;

	return exp(lgamma_r(all + 1.0, &sign) - lgamma_r(some + 1.0, &sign) -
		   lgamma_r(all - some + 1.0, &sign) - all * M_LN2);
}

/*
 * A unit lies below the median with probability 1/2, so the median is below the r-th
 * smallest unit if fewer than r units lie below it: a binomial tail, summed from its thin
 * end.  The first term is exact up to 1000 units, where 2^-count is a double.  Above, the
 * sum starts 30 standard deviations out, where a term is about 10^-198: negligible, but
 * not 0, since each term is computed from the one before.
 */
size_t np_median_interval_rank(size_t count, double confidence, double *coverage)
{
	const size_t exact = 1000;
	size_t heads = 0;
	size_t rank = 0;
	double tail = 0.0;
	double term;

	if (count == 0 || !(confidence > 0.0 && confidence < 1.0))
		return 0;
	if (count > exact) {
		double start = (double)count / 2.0 - 15.0 * sqrt((double)count);
		heads = start > 0.0 ? (size_t)start : 0;
		term = coin_probability(count, heads);
	} else {
		term = ldexp(1.0, -(int)count);
	}
	for (; heads < count / 2; heads++) {
		tail += term;
		if (1.0 - 2.0 * tail < confidence)
			break;
		rank = heads + 1;
		*coverage = 1.0 - 2.0 * tail;
		term *= (double)(count - heads) / (double)(heads + 1);
	}
	return rank;
}

bool np_median_interval(const double *units, size_t count, double confidence,
			struct np_interval *interval)
{
	double wide = 0.0, inner = 0.0;
	const size_t rank = np_median_interval_rank(count, confidence, &wide);

	if (rank == 0)
		return false;
	/* The requested confidence lies between this rank and the next. */
	if (2 * (rank + 1) <= count) {
		const double narrow = wide - 2.0 * coin_probability(count, rank);
		const double share = (wide - confidence) / (wide - narrow);
		const double all = (double)count, low = (double)rank;

		inner = (all - low) * share / (low + (all - 2.0 * low) * share);
	}
	*interval = (struct np_interval){
		.low = np_order_statistic(units, count, rank),
		.high = np_order_statistic(units, count, count + 1 - rank),
		.confidence = inner > 0.0 ? confidence : wide,
	};
	if (inner > 0.0) {
		const double low = np_order_statistic(units, count, rank + 1),
			     high = np_order_statistic(units, count, count - rank);

		interval->low += inner * (low - interval->low);
		interval->high += inner * (high - interval->high);
	}
	return true;
}

/* ---- Median polish ------------------------------------------------------- */

/* Subtracts from `count` values, a stride apart, their median, and returns it; NAN without
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
			    NP_MEDIAN_LOSS / NP_NORMAL_MAD * np_median(scratch, known) /
				    sqrt(degrees);
}
