/*
 * contrast_all.c - all sizes of two groups of runs, corrected by exchanging
 * whole runs.
 */
#include "stats/contrast_all.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "stats/stats.h"

enum { EXCHANGES_MOST = 12870, EXCHANGES_DRAWN = 10000 };

/* Relative tolerance: sums that differ by rounding alone are equal. */
static const double rounding = 1e-9;

struct exchange {
	const double *logs; /* runs by sizes; NAN: none */
	size_t sizes, runs, second;
	size_t *chosen;	   /* runs of the second side, ascending */
	bool *in_second;   /* per run */
	double *means;	   /* per size: difference of the sides */
	double *deviation; /* per size: its standard error */
	double *statistic; /* per size */
	double *observed;  /* per size: statistic of the actual sides */
	size_t *exceeded;  /* per size: exchanges at least as extreme */
	double *largest;   /* per exchange */
	size_t made;	   /* number of exchanges */
	double common;	   /* added to each standard error */
};

/* Sets the difference of the two sides at a size and its standard error; NAN if a side has
 * fewer than two runs there. */
static void compare_size(struct exchange *exchange, size_t size)
{
	double sum[2] = { 0.0, 0.0 }, squares[2] = { 0.0, 0.0 }, count[2] = { 0.0, 0.0 };

	for (size_t i = 0; i < exchange->runs; i++) {
		const double value = exchange->logs[i * exchange->sizes + size];
		const size_t side = exchange->in_second[i] ? 1 : 0;

		if (isnan(value))
			continue;
		sum[side] += value;
		squares[side] += value * value;
		count[side] += 1.0;
	}
	exchange->means[size] = exchange->deviation[size] = (double)NAN;
	if (count[0] < 2.0 || count[1] < 2.0)
		return;
	const double inner = squares[0] - sum[0] * sum[0] / count[0] + squares[1] -
			     sum[1] * sum[1] / count[1];
	const double variance = fmax(0.0, inner) / (count[0] + count[1] - 2.0);
	exchange->means[size] = sum[1] / count[1] - sum[0] / count[0];
	exchange->deviation[size] = sqrt(variance * (1.0 / count[0] + 1.0 / count[1]));
}

/* Sets the statistic of all sizes; returns the largest.  The median error of all sizes is
 * added to the denominator, so that a size with little noise by chance does not dominate.
 */
static double compare_sides(struct exchange *exchange)
{
	double largest = 0.0;
	size_t known = 0;

	for (size_t i = 0; i < exchange->runs; i++)
		exchange->in_second[i] = false;
	for (size_t i = 0; i < exchange->second; i++)
		exchange->in_second[exchange->chosen[i]] = true;
	for (size_t size = 0; size < exchange->sizes; size++) {
		compare_size(exchange, size);
		if (!isnan(exchange->deviation[size]))
			exchange->statistic[known++] = exchange->deviation[size];
	}
	const double common = known != 0 ? np_median(exchange->statistic, known) : 0.0;
	for (size_t size = 0; size < exchange->sizes; size++) {
		const double error = exchange->deviation[size] + common;
		const double apart = fabs(exchange->means[size]);

		exchange->statistic[size] = 0.0;
		if (!isnan(error) && apart > 0.0)
			exchange->statistic[size] =
				error > 0.0 ? apart / error : (double)INFINITY;
		largest = fmax(largest, exchange->statistic[size]);
	}
	exchange->common = common;
	return largest;
}

static void count_exchange(struct exchange *exchange)
{
	const double largest = compare_sides(exchange);

	exchange->largest[exchange->made++] = largest;
	for (size_t size = 0; size < exchange->sizes; size++)
		exchange->exceeded[size] +=
			largest >= exchange->observed[size] * (1.0 - rounding);
}

/* Advances to the next choice in lexical order; false after the last. */
static bool next_choice(struct exchange *exchange)
{
	for (size_t i = exchange->second; i-- > 0;) {
		const size_t room = exchange->runs - exchange->second + i;

		if (exchange->chosen[i] < room) {
			exchange->chosen[i]++;
			for (size_t k = i + 1; k < exchange->second; k++)
				exchange->chosen[k] = exchange->chosen[k - 1] + 1;
			return true;
		}
	}
	return false;
}

static void exchange_all(struct exchange *exchange)
{
	for (size_t i = 0; i < exchange->second; i++)
		exchange->chosen[i] = i;
	do
		count_exchange(exchange);
	while (next_choice(exchange));
}

/* Draws random exchanges; the actual sides count as one of them (B. Phipson and G. K.
 * Smyth, "Permutation p-values should never be zero", 2010). */
static void exchange_some(struct exchange *exchange, size_t *order, uint64_t seed)
{
	struct np_random random = { seed };

	count_exchange(exchange);
	for (size_t k = 1; k < EXCHANGES_DRAWN; k++) {
		for (size_t i = 0; i < exchange->runs; i++)
			order[i] = i;
		np_shuffle(&random, order, exchange->runs);
		for (size_t i = 0; i < exchange->second; i++)
			exchange->chosen[i] = order[i];
		count_exchange(exchange);
	}
}

static double choices(size_t all, size_t some)
{
	double ways = 1.0;

	for (size_t i = 1; i <= some; i++)
		ways = ways * (double)(all - some + i) / (double)i;
	return round(ways);
}

static int compare_doubles(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Critical value, exceeded by at most a share q of the exchanges. */
static double critical_of(struct exchange *exchange, double q)
{
	const size_t above = (size_t)floor(q * (double)exchange->made);

	qsort(exchange->largest, exchange->made, sizeof(double), compare_doubles);
	return above < exchange->made ? exchange->largest[exchange->made - 1 - above] : 0.0;
}

/* Sets adjusted and the interval of all sizes that both sides have. */
static int correct(struct exchange *exchange, double q, uint64_t seed,
		   struct np_contrast *found)
{
	const size_t sizes = exchange->sizes, runs = exchange->runs;
	double *numbers = calloc(4 * sizes + 1, sizeof(*numbers));
	size_t *counts = calloc(sizes + 2 * runs + 1, sizeof(*counts));
	const bool all = choices(runs, exchange->second) <= (double)EXCHANGES_MOST;

	exchange->in_second = calloc(runs + 1, sizeof(*exchange->in_second));
	exchange->largest = calloc(EXCHANGES_MOST, sizeof(*exchange->largest));
	if (numbers == NULL || counts == NULL || exchange->in_second == NULL ||
	    exchange->largest == NULL) {
		free(numbers);
		free(counts);
		free(exchange->in_second);
		free(exchange->largest);
		return -ENOMEM;
	}
	exchange->means = numbers;
	exchange->deviation = numbers + sizes;
	exchange->statistic = numbers + 2 * sizes;
	exchange->observed = numbers + 3 * sizes;
	exchange->exceeded = counts;
	exchange->chosen = counts + sizes;
	for (size_t i = 0; i < exchange->second; i++)
		exchange->chosen[i] = runs - exchange->second + i;
	compare_sides(exchange);
	for (size_t size = 0; size < sizes; size++)
		exchange->observed[size] = exchange->statistic[size];
	if (all)
		exchange_all(exchange);
	else
		exchange_some(exchange, counts + sizes + runs, seed);
	for (size_t i = 0; i < exchange->second; i++)
		exchange->chosen[i] = runs - exchange->second + i;
	compare_sides(exchange);
	const double critical = critical_of(exchange, q) * (1.0 + rounding);
	for (size_t size = 0; size < sizes; size++) {
		const double half =
			critical * (exchange->deviation[size] + exchange->common);

		found[size].adjusted =
			(double)exchange->exceeded[size] / (double)exchange->made;
		found[size].low = exp(exchange->means[size] - half);
		found[size].high = exp(exchange->means[size] + half);
	}
	free(exchange->largest);
	free(numbers);
	free(counts);
	free(exchange->in_second);
	return 0;
}

/* Collects the times of one size of one side; returns their number. */
static size_t gather(const double *times, size_t sizes, size_t begin, size_t end,
		     size_t size, double *values)
{
	size_t count = 0;

	for (size_t i = begin; i < end; i++) {
		if (!isnan(times[i * sizes + size]))
			values[count++] = times[i * sizes + size];
	}
	return count;
}

static void give_verdict(struct np_contrast *contrast, const struct np_contrast *found,
			 double margin)
{
	if (contrast->units < NP_RUNS_LEAST || isnan(found->low))
		return;
	contrast->adjusted = found->adjusted;
	contrast->low = fmin(found->low, contrast->ratio);
	contrast->high = fmax(found->high, contrast->ratio);
	contrast->verdict = np_verdict_of_interval(contrast->low, contrast->high, margin);
}

int np_contrast_all(const double *times, size_t sizes, size_t first_count,
		    size_t second_count, double q, double margin, uint64_t seed,
		    struct np_contrast *contrasts)
{
	const size_t runs = first_count + second_count;
	const bool enough = first_count >= NP_RUNS_LEAST && second_count >= NP_RUNS_LEAST;
	double *logs = malloc((runs * sizes + runs + 1) * sizeof(*logs));
	struct np_contrast *found = calloc(sizes + 1, sizeof(*found));
	int rc = logs == NULL || found == NULL ? -ENOMEM : 0;

	for (size_t i = 0; rc == 0 && i < runs * sizes; i++)
		logs[i] = log(times[i]);
	struct exchange exchange = {
		.logs = logs, .sizes = sizes, .runs = runs, .second = second_count
	};
	if (rc == 0 && enough)
		rc = correct(&exchange, q, seed, found);
	for (size_t size = 0; rc == 0 && size < sizes; size++) {
		double *values = logs + runs * sizes;
		const size_t first = gather(times, sizes, 0, first_count, size, values);
		const size_t second =
			gather(times, sizes, first_count, runs, size, values + first);

		rc = np_contrast_runs(values, first, values + first, second,
				      &contrasts[size]);
		if (rc == 0 && enough)
			give_verdict(&contrasts[size], &found[size], margin);
	}
	free(logs);
	free(found);
	return rc;
}
