/*
 * contrast.c - two exact rank tests and their estimates of the ratio.
 *
 * Ranks are doubled: the mean rank of a tie is then an integer, and the distribution of a
 * sum of ranks can be enumerated.
 */
#include "stats/contrast.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "stats/stats.h"
#include "stats/tails.h"

enum { PAIRED_EXACT = 60, RUNS_EXACT = 400 };

static const double one_tail = 0.025; /* of a 95 % interval */

struct item {
	double key;
	size_t index;
};

static int compare_items(const void *left, const void *right)
{
	const struct item *a = left;
	const struct item *b = right;

	return (a->key > b->key) - (a->key < b->key);
}

/* Sets ranks to twice the mean ranks of keys, and *ties to the sum of t^3 - t over groups
 * of t equal keys.  Returns 0 or -ENOMEM. */
static int double_ranks(const double *keys, size_t count, size_t *ranks, double *ties)
{
	struct item *items = malloc((count + 1) * sizeof(*items));

	if (items == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		items[i] = (struct item){ keys[i], i };
	qsort(items, count, sizeof(*items), compare_items);
	*ties = 0.0;
	for (size_t begin = 0, end; begin < count; begin = end) {
		for (end = begin + 1; end < count && !(items[end].key > items[begin].key);)
			end++;
		const double tied = (double)(end - begin);
		*ties += tied * tied * tied - tied;
		for (size_t i = begin; i < end; i++)
			ranks[items[i].index] = begin + end + 1;
	}
	free(items);
	return 0;
}

/* Two-sided p-value of a rank sum: twice the smaller tail of its exact distribution, with
 * ways[s] arrangements of sum s, 0 to last. */
static double two_sided(const double *ways, size_t last, size_t sum)
{
	double below = 0.0, above = 0.0, all = 0.0;

	for (size_t i = 0; i <= last; i++) {
		all += ways[i];
		below += i <= sum ? ways[i] : 0.0;
		above += i >= sum ? ways[i] : 0.0;
	}
	return fmin(1.0, 2.0 * fmin(below, above) / all);
}

/* Number of ordered pairwise values (see estimate()) outside of the interval at each end:
 * the number of rank sums with a tail of at most one_tail.  ways: arrangements of undoubled
 * ranks by sum, from the least sum. */
static size_t interval_rank(const double *ways, size_t last)
{
	double all = 0.0, below = 0.0;
	size_t rank = 0;

	for (size_t i = 0; i <= last; i++)
		all += ways[i];
	while (rank <= last && below + ways[rank] <= one_tail * all)
		below += ways[rank++];
	return rank;
}

/* Sets the Hodges-Lehmann ratio, the median of all pairwise means or differences of
 * logarithms, and the interval between their rank-th smallest and largest; none for rank 0.
 * Sorts values. */
static void estimate(double *values, size_t count, size_t rank,
		     struct np_contrast *contrast)
{
	qsort(values, count, sizeof(*values), np_compare_doubles);
	contrast->ratio = exp((values[(count - 1) / 2] + values[count / 2]) / 2.0);
	if (rank == 0 || 2 * rank > count)
		return;
	contrast->low = exp(values[rank - 1]);
	contrast->high = exp(values[count - rank]);
}

/* Normal approximation of interval_rank(), from mean and variance of the rank sum. */
static size_t normal_rank(double mean, double variance)
{
	const double rank =
		floor(mean - np_normal_quantile(2.0 * one_tail) * sqrt(variance));

	return rank > 0.0 ? (size_t)rank : 0;
}

/* Numbers of subsets of the ranks with each sum 0..last; NULL without memory.  The caller
 * frees them. */
static double *count_subsets(const size_t *ranks, size_t count, size_t last)
{
	double *ways = calloc(last + 1, sizeof(*ways));

	if (ways == NULL)
		return NULL;
	ways[0] = 1.0;
	for (size_t i = 0; i < count; i++) {
		for (size_t sum = last + 1; sum-- > ranks[i];)
			ways[sum] += ways[sum - ranks[i]];
	}
	return ways;
}

static int signed_rank_p(const double *logs, size_t count, double *p)
{
	double *sizes = malloc((count + 1) * sizeof(*sizes));
	size_t *ranks = calloc(count + 1, sizeof(*ranks));
	double ties = 0.0;
	size_t sum = 0;
	int rc = sizes == NULL || ranks == NULL ? -ENOMEM : 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		sizes[i] = fabs(logs[i]);
	if (rc == 0)
		rc = double_ranks(sizes, count, ranks, &ties);
	for (size_t i = 0; rc == 0 && i < count; i++)
		sum += logs[i] > 0.0 ? ranks[i] : 0;
	if (rc == 0 && count <= PAIRED_EXACT) {
		double *ways = count_subsets(ranks, count, count * (count + 1));
		rc = ways == NULL ? -ENOMEM : 0;
		if (ways != NULL)
			*p = two_sided(ways, count * (count + 1), sum);
		free(ways);
	} else if (rc == 0) {
		const double n = (double)count;
		const double variance =
			n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
		*p = np_normal_p(((double)sum / 2.0 - n * (n + 1.0) / 4.0) /
				 sqrt(variance));
	}
	free(sizes);
	free(ranks);
	return rc;
}

static int paired_interval(const double *logs, size_t count, struct np_contrast *contrast)
{
	const size_t pairs = count * (count + 1) / 2;
	double *means = malloc(pairs * sizeof(*means));
	size_t at = 0, rank = 0;
	int rc = means == NULL ? -ENOMEM : 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		for (size_t k = i; k < count; k++)
			means[at++] = (logs[i] + logs[k]) / 2.0;
	}
	if (rc == 0 && count <= PAIRED_EXACT) {
		size_t ranks[PAIRED_EXACT];
		for (size_t i = 0; i < count; i++)
			ranks[i] = i + 1;
		double *ways = count_subsets(ranks, count, pairs);
		rc = ways == NULL ? -ENOMEM : 0;
		if (ways != NULL)
			rank = interval_rank(ways, pairs);
		free(ways);
	} else if (rc == 0) {
		const double n = (double)count;
		rank = normal_rank((double)pairs / 2.0,
				   n * (n + 1.0) * (2.0 * n + 1.0) / 24.0);
	}
	if (rc == 0)
		estimate(means, pairs, rank, contrast);
	free(means);
	return rc;
}

static const struct np_contrast nothing = { .ratio = (double)NAN,
					    .low = (double)NAN,
					    .high = (double)NAN,
					    .p = (double)NAN,
					    .adjusted = (double)NAN,
					    .least_p = 1.0,
					    .verdict = NP_UNCLEAR };

int np_contrast_paired(const double *ratios, size_t count, struct np_contrast *contrast)
{
	struct np_contrast made = nothing;
	double *logs = malloc((count + 1) * sizeof(*logs));
	size_t moved = 0;

	if (logs == NULL)
		return -ENOMEM;
	int rc = 0;
	if (count != 0) {
		for (size_t i = 0; i < count; i++)
			logs[i] = log(ratios[i]);
		rc = paired_interval(logs, count, &made);
		/* Zero differences have no sign and are dropped. */
		for (size_t i = 0; i < count; i++) {
			if (fabs(logs[i]) > 0.0)
				logs[moved++] = logs[i];
		}
		if (rc == 0 && moved != 0)
			rc = signed_rank_p(logs, moved, &made.p);
		else
			made.p = 1.0;
		made.least_p = fmin(1.0, exp2(1.0 - (double)count));
	}
	made.units = count;
	free(logs);
	if (rc == 0)
		*contrast = made;
	return rc;
}

/* Numbers of subsets of exactly `some` ranks with each sum 0..last; NULL without memory.
 * The caller frees them. */
static double *count_choices(const size_t *ranks, size_t count, size_t some, size_t last)
{
	double *table = calloc((some + 1) * (last + 1), sizeof(*table));

	if (table == NULL)
		return NULL;
	table[0] = 1.0;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = i + 1 < some ? i + 1 : some; k > 0; k--) {
			double *to = table + k * (last + 1);
			const double *from = to - (last + 1);
			for (size_t sum = last + 1; sum-- > ranks[i];)
				to[sum] += from[sum - ranks[i]];
		}
	}
	for (size_t i = 0; i <= last; i++)
		table[i] = table[some * (last + 1) + i];
	return table;
}

/* Mann-Whitney test: sets the p-value of the rank sum of the second group, and *interval to
 * the rank of the interval (estimate()).  logs: the first group, then the second.  Returns
 * 0 or -ENOMEM. */
static int rank_sum(const double *logs, size_t first, size_t second, double *p,
		    size_t *interval)
{
	const size_t count = first + second;
	const double product = (double)first * (double)second;
	size_t *ranks = malloc((count + 1) * sizeof(*ranks));
	double ties = 0.0;
	size_t sum = 0;

	if (ranks == NULL)
		return -ENOMEM;
	int rc = double_ranks(logs, count, ranks, &ties);
	for (size_t i = 0; rc == 0 && i < count; i++)
		sum += i >= first ? ranks[i] : 0;
	if (rc == 0 && first * second <= RUNS_EXACT) {
		const size_t last = count * (count + 1);
		const size_t least = second * (second + 1) / 2;
		double *ways = count_choices(ranks, count, second, last);
		for (size_t i = 0; i < count; i++)
			ranks[i] = i + 1;
		double *plain = count_choices(ranks, count, second, last / 2);
		rc = ways == NULL || plain == NULL ? -ENOMEM : 0;
		if (rc == 0) {
			*p = two_sided(ways, last, sum);
			*interval = interval_rank(plain + least, first * second);
		}
		free(ways);
		free(plain);
	} else if (rc == 0) {
		const double n = (double)count;
		const double variance = product / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
		const double mean = (double)second * (n + 1.0) / 2.0;
		*p = variance > 0.0 ?
			     np_normal_p(((double)sum / 2.0 - mean) / sqrt(variance)) :
			     1.0;
		*interval = normal_rank(product / 2.0, product * (n + 1.0) / 12.0);
	}
	free(ranks);
	return rc;
}

int np_contrast_runs(const double *first, size_t first_count, const double *second,
		     size_t second_count, struct np_contrast *contrast)
{
	const size_t count = first_count + second_count;
	const size_t pairs = first_count * second_count;
	struct np_contrast made = nothing;
	double *logs = calloc(count + pairs + 1, sizeof(*logs));
	int sign, rc = 0;

	if (logs == NULL)
		return -ENOMEM;
	double *differences = logs + count;
	for (size_t i = 0; i < count; i++)
		logs[i] = log(i < first_count ? first[i] : second[i - first_count]);
	for (size_t i = 0; i < pairs; i++)
		differences[i] =
			logs[first_count + i / first_count] - logs[i % first_count];
	made.units = first_count < second_count ? first_count : second_count;
	if (pairs != 0) {
		size_t rank = 0;
		rc = rank_sum(logs, first_count, second_count, &made.p, &rank);
		estimate(differences, pairs, rank, &made);
		made.least_p =
			fmin(1.0, 2.0 * exp(lgamma_r((double)first_count + 1.0, &sign) +
					    lgamma_r((double)second_count + 1.0, &sign) -
					    lgamma_r((double)count + 1.0, &sign)));
	}
	free(logs);
	if (rc == 0)
		*contrast = made;
	return rc;
}

/* ---- All sizes of two groups of runs, corrected by exchanging whole runs ---- */

/* More sizes have no ranges: a partition takes the square of their number. */
enum { EXCHANGES_MOST = 12870, EXCHANGES_DRAWN = 10000, RANGED_MOST = 512 };

/* Relative tolerance: sums that differ by rounding alone are equal. */
static const double rounding = 1e-9;

/* Permutation test of all sizes: one exchange of runs between both groups, and counts over
 * all exchanges. */
struct exchange {
	const double *logs; /* logs[run * sizes + size]; NAN: none */
	size_t sizes, runs, second;
	size_t *chosen;	       /* runs in the second group; ascending if enumerated */
	bool *in_second;       /* per run: in the second group */
	double *means;	       /* per size: difference of the means of both groups */
	double *deviation;     /* per size: its standard error */
	double *statistic;     /* per size: |difference| over its error */
	double *largest;       /* per exchange: largest statistic of all sizes */
	double *largest_range; /* and of all ranges */
	size_t made;	       /* exchanges so far */
	double common;	       /* median of deviation, added to the error of each size */
	/* Ranges of the partition in this exchange, and scratch; sums.count 0: none. */
	struct np_ratio_sums sums;
	struct np_part *parts;
	size_t part_count;
	double *pooled; /* per run: mean logarithm in a range */
	int rc;		/* of the partition */
};

/* Sets the difference of both groups in values of runs, values[run * step], and its
 * standard error; NAN if a group has fewer than two. */
static void compare_groups(const struct exchange *exchange, const double *values,
			   size_t step, double *apart, double *error)
{
	double sum[2] = { 0.0, 0.0 }, squares[2] = { 0.0, 0.0 }, count[2] = { 0.0, 0.0 };

	for (size_t i = 0; i < exchange->runs; i++) {
		const double value = values[i * step];
		const size_t side = exchange->in_second[i] ? 1 : 0;

		if (isnan(value))
			continue;
		sum[side] += value;
		squares[side] += value * value;
		count[side] += 1.0;
	}
	*apart = *error = (double)NAN;
	if (count[0] < 2.0 || count[1] < 2.0)
		return;
	const double inner = squares[0] - sum[0] * sum[0] / count[0] + squares[1] -
			     sum[1] * sum[1] / count[1];
	const double variance = fmax(0.0, inner) / (count[0] + count[1] - 2.0);
	*apart = sum[1] / count[1] - sum[0] / count[0];
	*error = sqrt(variance * (1.0 / count[0] + 1.0 / count[1]));
}

static double statistic_of(double apart, double error)
{
	if (isnan(error) || !(fabs(apart) > 0.0))
		return 0.0;
	return error > 0.0 ? fabs(apart) / error : (double)INFINITY;
}

/* Difference of both groups in a range, and its error: at least the median error of all
 * sizes over the square root of the number of sizes in the range. */
static void compare_range(const struct exchange *exchange, struct np_part part,
			  double *apart, double *error)
{
	const double *weights = exchange->sums.weights;

	for (size_t i = 0; i < exchange->runs; i++) {
		double sum = 0.0, weight = 0.0;

		for (size_t size = part.first; size < part.end; size++) {
			const double value = exchange->logs[i * exchange->sizes + size];
			const double own = weights[size + 1] - weights[size];

			if (isnan(value))
				continue;
			sum += own * value;
			weight += own;
		}
		exchange->pooled[i] = weight > 0.0 ? sum / weight : (double)NAN;
	}
	compare_groups(exchange, exchange->pooled, 1, apart, error);
	*error = fmax(*error, exchange->common / sqrt((double)(part.end - part.first)));
}

/* Partitions the ratios of an exchange; returns the largest statistic of its ranges. */
static double compare_ranges(struct exchange *exchange)
{
	/* Weight of a size that too few runs have. */
	const double none = 1e-9;
	double largest = 0.0;

	if (exchange->sums.count == 0 || exchange->rc != 0)
		return 0.0;
	for (size_t size = 0; size < exchange->sizes; size++) {
		const double error = hypot(exchange->deviation[size], exchange->common);

		np_ratio_sums_add(&exchange->sums, size,
				  error > 0.0 ? 2.0 / (error * error) : none,
				  isnan(error) ? 0.0 : exchange->means[size]);
	}
	exchange->rc =
		np_ratio_parts(&exchange->sums, exchange->parts, &exchange->part_count);
	for (size_t i = 0; i < exchange->part_count; i++) {
		double apart, error;

		if (exchange->parts[i].end - exchange->parts[i].first < 2)
			continue;
		compare_range(exchange, exchange->parts[i], &apart, &error);
		largest = fmax(largest, statistic_of(apart, error));
	}
	return largest;
}

/* Sets the statistic of all sizes in one exchange, and returns the largest.  The median
 * error of all sizes is added to the denominator, so that a size with little noise by
 * chance does not dominate. */
static double compare_sides(struct exchange *exchange)
{
	double largest = 0.0;
	size_t known = 0;

	for (size_t i = 0; i < exchange->runs; i++)
		exchange->in_second[i] = false;
	for (size_t i = 0; i < exchange->second; i++)
		exchange->in_second[exchange->chosen[i]] = true;
	for (size_t size = 0; size < exchange->sizes; size++) {
		compare_groups(exchange, exchange->logs + size, exchange->sizes,
			       &exchange->means[size], &exchange->deviation[size]);
		if (!isnan(exchange->deviation[size]))
			exchange->statistic[known++] = exchange->deviation[size];
	}
	const double common = known != 0 ? np_median(exchange->statistic, known) : 0.0;
	for (size_t size = 0; size < exchange->sizes; size++) {
		exchange->statistic[size] = statistic_of(
			exchange->means[size], exchange->deviation[size] + common);
		largest = fmax(largest, exchange->statistic[size]);
	}
	exchange->common = common;
	return largest;
}

static void count_exchange(struct exchange *exchange)
{
	exchange->largest[exchange->made] = compare_sides(exchange);
	exchange->largest_range[exchange->made++] = compare_ranges(exchange);
}

/* Advances to the next subset of runs for the second group in lexical order; false after
 * the last. */
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

/* Draws random exchanges; the actual groups count as one of them (B. Phipson and G. K.
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

/* Merges the largest statistics of ranges into the list of sizes, and sorts it.  Each kind
 * is scaled to its critical value, which a share q of the exchanges exceeds: else the kind
 * with the heavier tail would decide alone.  Returns the critical value of sizes over the
 * critical value of ranges. */
static double merge_largest(struct exchange *exchange, double q)
{
	double *sizes = exchange->largest, *ranges = exchange->largest_range;
	const size_t count = exchange->made;
	const size_t at = count - 1 - (size_t)floor(q * (double)count);
	double *sorted = malloc(2 * count * sizeof(*sorted));

	if (sorted == NULL) {
		exchange->rc = -ENOMEM;
		return 1.0;
	}
	memcpy(sorted, sizes, count * sizeof(*sorted));
	memcpy(sorted + count, ranges, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), np_compare_doubles);
	qsort(sorted + count, count, sizeof(*sorted), np_compare_doubles);
	const double unit = sorted[at] / sorted[count + at];
	const double scale = isfinite(unit) && unit > 0.0 ? unit : 1.0;

	free(sorted);
	for (size_t i = 0; i < count; i++)
		sizes[i] = fmax(sizes[i], ranges[i] * scale);
	qsort(sizes, count, sizeof(*sizes), np_compare_doubles);
	return scale;
}

/* Critical value that the largest statistic exceeds in at most a share q of exchanges. */
static double critical_of(const struct exchange *exchange, double q)
{
	const size_t above = (size_t)floor(q * (double)exchange->made);

	return above < exchange->made ? exchange->largest[exchange->made - 1 - above] : 0.0;
}

/* Share of the exchanges whose largest statistic is at least `statistic`. */
static double share_above(const struct exchange *exchange, double statistic)
{
	size_t below = 0;

	while (below < exchange->made &&
	       exchange->largest[below] < statistic * (1.0 - rounding))
		below++;
	return (double)(exchange->made - below) / (double)exchange->made;
}

/* Lists the ranges of the actual groups, with intervals by the critical value. */
static void list_ranges(const struct exchange *exchange, double critical, double margin,
			struct np_contrast_ranges *ranges)
{
	for (size_t i = 0; i < exchange->part_count; i++) {
		const struct np_part part = exchange->parts[i];
		struct np_range *range = &ranges->list[ranges->count];
		double apart, error;

		if (part.end - part.first < 2)
			continue;
		compare_range(exchange, part, &apart, &error);
		*range = (struct np_range){ .first = part.first,
					    .last = part.end - 1,
					    .sizes = part.end - part.first,
					    .ratio = exp(apart),
					    .low = exp(apart - critical * error),
					    .high = exp(apart + critical * error) };
		range->verdict = np_verdict_of_interval(range->low, range->high, margin);
		ranges->count++;
	}
}

/* Sets the groups to the actual ones, and the statistics of their sizes and ranges. */
static void compare_actual(struct exchange *exchange)
{
	for (size_t i = 0; i < exchange->second; i++)
		exchange->chosen[i] = exchange->runs - exchange->second + i;
	compare_sides(exchange);
	compare_ranges(exchange);
}

static void divide_memory(struct exchange *exchange, double *numbers, size_t *counts,
			  const struct np_contrast_ranges *ranges)
{
	const size_t sizes = exchange->sizes;

	exchange->means = numbers;
	exchange->deviation = numbers + sizes;
	exchange->statistic = numbers + 2 * sizes;
	exchange->pooled = numbers + 3 * sizes;
	numbers += 3 * sizes + exchange->runs;
	exchange->largest = numbers;
	exchange->largest_range = numbers + EXCHANGES_MOST;
	numbers += 2 * (size_t)EXCHANGES_MOST;
	exchange->sums = (struct np_ratio_sums){ .weights = numbers,
						 .values = numbers + sizes + 1,
						 .squares = numbers + 2 * sizes + 2 };
	if (ranges != NULL) {
		exchange->sums.count = sizes;
		exchange->sums.curves = ranges->curves;
	}
	exchange->chosen = counts;
}

static void exchange_runs(struct exchange *exchange, size_t *order, uint64_t seed)
{
	compare_actual(exchange);
	if (choices(exchange->runs, exchange->second) <= (double)EXCHANGES_MOST)
		exchange_all(exchange);
	else
		exchange_some(exchange, order, seed);
	compare_actual(exchange);
}

static void give_intervals(struct exchange *exchange, double q, double margin,
			   struct np_contrast *found, struct np_contrast_ranges *ranges)
{
	const double scale = merge_largest(exchange, q);
	const double critical = critical_of(exchange, q) * (1.0 + rounding);

	for (size_t size = 0; size < exchange->sizes; size++) {
		const double half =
			critical * (exchange->deviation[size] + exchange->common);

		found[size].adjusted = share_above(exchange, exchange->statistic[size]);
		found[size].low = exp(exchange->means[size] - half);
		found[size].high = exp(exchange->means[size] + half);
	}
	if (ranges != NULL)
		list_ranges(exchange, critical / scale, margin, ranges);
}

/* Sets the adjusted p-value and the simultaneous interval of each size, and the ranges.
 * Returns 0 or -ENOMEM. */
static int correct(struct exchange *exchange, double q, double margin, uint64_t seed,
		   struct np_contrast *found, struct np_contrast_ranges *ranges)
{
	const size_t sizes = exchange->sizes, runs = exchange->runs;
	double *numbers = calloc(7 * (sizes + 1) + runs + 2 * (size_t)EXCHANGES_MOST,
				 sizeof(*numbers));
	size_t *counts = calloc(2 * runs + 1, sizeof(*counts));

	exchange->in_second = calloc(runs + 1, sizeof(*exchange->in_second));
	exchange->parts = calloc(sizes + 1, sizeof(*exchange->parts));
	if (numbers == NULL || counts == NULL || exchange->in_second == NULL ||
	    exchange->parts == NULL) {
		exchange->rc = -ENOMEM;
	} else {
		divide_memory(exchange, numbers, counts, ranges);
		exchange_runs(exchange, counts + runs, seed);
		give_intervals(exchange, q, margin, found, ranges);
	}
	free(exchange->parts);
	free(exchange->in_second);
	free(numbers);
	free(counts);
	return exchange->rc;
}

/* Collects the times of one size in runs begin to end - 1; returns their number. */
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

/* Takes logarithms of times, less their mean at each size: a run that lacks a size then
 * does not shift its mean over a range. */
static void take_logs(const double *times, size_t sizes, size_t runs, double *logs)
{
	for (size_t size = 0; size < sizes; size++) {
		double sum = 0.0, count = 0.0;

		for (size_t i = 0; i < runs; i++) {
			const double value = log(times[i * sizes + size]);

			logs[i * sizes + size] = value;
			sum += isnan(value) ? 0.0 : value;
			count += isnan(value) ? 0.0 : 1.0;
		}
		for (size_t i = 0; i < runs; i++)
			logs[i * sizes + size] -= count > 0.0 ? sum / count : 0.0;
	}
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
		    struct np_contrast *contrasts, struct np_contrast_ranges *ranges)
{
	const size_t runs = first_count + second_count;
	const bool enough = first_count >= NP_RUNS_LEAST && second_count >= NP_RUNS_LEAST;
	double *logs = malloc((runs * sizes + runs + 1) * sizeof(*logs));
	struct np_contrast *found = calloc(sizes + 1, sizeof(*found));
	int rc = logs == NULL || found == NULL ? -ENOMEM : 0;

	if (ranges != NULL)
		ranges->count = 0;
	if (sizes > RANGED_MOST)
		ranges = NULL;
	if (rc == 0)
		take_logs(times, sizes, runs, logs);
	struct exchange exchange = {
		.logs = logs, .sizes = sizes, .runs = runs, .second = second_count
	};
	if (rc == 0 && enough)
		rc = correct(&exchange, q, margin, seed, found, ranges);
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
