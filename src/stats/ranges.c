/*
 * ranges.c - change points of the logarithm of a ratio over sizes, and intervals of the
 * ranges between them.
 */
#include "stats/ranges.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "stats/tails.h"

/* ---- Siegmund's approximation, solved for the boundary ------------------- */

/* Standard normal density. */
static double density(double x)
{
	return exp(-x * x / 2.0) / sqrt(2.0 * acos(-1.0));
}

/* Siegmund's correction for the overshoot of a random walk over a boundary. */
static double nu(double x)
{
	const double half = x / 2.0, between = erf(half / sqrt(2.0)) / 2.0;

	return between / half / (half * (between + 0.5) + density(half));
}

/* Siegmund's approximation of the probability that the standardized mean of any range
 * exceeds the boundary, in standard errors, to either side.  Both ends of a range are
 * discrete, hence nu() squared. */
static double chance_beyond(double boundary, size_t values)
{
	double ranges = 0.0;

	for (size_t length = 1; length <= values; length++) {
		const double wide = (double)length, end = boundary * boundary /
							  (2.0 * wide) *
							  nu(boundary / sqrt(wide));

		ranges += (double)(values - length + 1) * end * end;
	}
	return 2.0 * ranges * density(boundary) / boundary;
}

double np_scan_level(size_t values, double q)
{
	double low = 1.0, high = 20.0;

	for (int i = 0; i < 50; i++) {
		const double middle = (low + high) / 2.0;

		if (chance_beyond(middle, values) > q)
			low = middle;
		else
			high = middle;
	}
	return fmin(q, np_normal_p(high));
}

/* ---- Ranges -------------------------------------------------------------- */

static const double confidence = 0.95;

/* Degrees of freedom per size of the expected variance of a range, to which its own
 * variance is shrunk; the maximum in mode_test.c is the same. */
static const double prior_degrees = 10.0;

/* The sizes that have an interval, and prefix sums over them. */
struct searching {
	const struct np_size_test *trials;
	const struct np_mode_test *proofs;
	const struct np_calibration *calibration;
	size_t *sizes; /* indices of these sizes */
	size_t count;
	struct np_ratio_sums sums;
	double *unit_logs; /* scratch: mean logarithm of each unit in a range */
};

/* Weight of a unit at one size: inverse of its variance without the common share. */
static double unit_weight(const struct searching *searching, size_t at)
{
	const double alone = fmax(1.0 - searching->calibration->common, 1e-3);

	return 1.0 /
	       (alone * fmax(searching->proofs[searching->sizes[at]].variance, 1e-12));
}

void np_ratio_sums_add(struct np_ratio_sums *sums, size_t size, double weight, double mean)
{
	sums->weights[size + 1] = sums->weights[size] + weight;
	sums->values[size + 1] = sums->values[size] + weight * mean;
	sums->squares[size + 1] = sums->squares[size] + weight * mean * mean;
}

static void sum_up(struct searching *searching)
{
	searching->sums.count = searching->count;
	for (size_t i = 0; i < searching->count; i++) {
		const size_t size = searching->sizes[i];

		np_ratio_sums_add(&searching->sums, i,
				  unit_weight(searching, i) *
					  (double)searching->trials[size].count,
				  searching->proofs[size].mean);
	}
}

static double weight_of(const struct np_ratio_sums *sums, size_t begin, size_t end)
{
	return sums->weights[end] - sums->weights[begin];
}

/* Contribution of a range of sizes to the modified Bayesian information criterion: squared
 * residuals and penalty. */
static double cost_of(void *context, struct np_part part, double most)
{
	const struct np_ratio_sums *sums = context;
	const double weight = weight_of(sums, part.first, part.end),
		     sum = sums->values[part.end] - sums->values[part.first],
		     squares = sums->squares[part.end] - sums->squares[part.first];

	(void)most;
	if (sums->curves != NULL && sums->curves[part.first] != sums->curves[part.end - 1])
		return (double)INFINITY;
	return fmax(0.0, squares - sum * sum / weight) +
	       log((double)(part.end - part.first)) + 2.0 * log((double)sums->count);
}

int np_ratio_parts(struct np_ratio_sums *sums, struct np_part *parts, size_t *count)
{
	const struct np_partition partition = { .count = sums->count,
						.cost = cost_of,
						.context = sums,
						.between = (double)INFINITY };

	return np_partition_find(&partition, parts, count);
}

/* Ratios of a size, or of its control, one per unit. */
struct values {
	const double *ratios;
	const unsigned *numbers;
	size_t count;
};

static struct values values_of(const struct searching *searching, size_t at, bool control)
{
	const struct np_size_test *trial = &searching->trials[searching->sizes[at]];

	if (control)
		return (struct values){ trial->control_ratios, trial->control_numbers,
					trial->control_count };
	return (struct values){ trial->ratios, trial->numbers, trial->count };
}

/* Sets unit_logs to the weighted mean logarithm of each unit over sizes [begin, end), of
 * the ratios or of the control. Returns the number of units. */
static size_t pool_units(const struct searching *searching, size_t begin, size_t end,
			 bool control)
{
	double all = 0.0;
	size_t count = 0;

	for (size_t i = begin; i < end; i++)
		all += unit_weight(searching, i);
	for (unsigned unit = 0, next; unit != NP_NO_UNIT; unit = next) {
		double weights = 0.0, sum = 0.0;

		next = NP_NO_UNIT;
		for (size_t i = begin; i < end; i++) {
			const struct values values = values_of(searching, i, control);
			const size_t place =
				np_place_of_unit(values.numbers, values.count, unit);
			const double weight = unit_weight(searching, i);

			next = np_next_unit(values.numbers, values.count, unit, next);
			if (place == values.count)
				continue;
			weights += weight;
			sum += weight * log(values.ratios[place]);
		}
		/* Units that lack half of the weight are dropped. */
		if (weights > 0.5 * all)
			searching->unit_logs[count++] = sum / weights;
	}
	return count;
}

/* Expected variance of the mean of a unit over a range, from the variances at its sizes;
 * *share becomes the share, 0 to 1, that all sizes have in common. */
static double expected_variance(const struct searching *searching, size_t begin, size_t end,
				double *share)
{
	const double common = searching->calibration->common;
	double weights = 0.0, alone = 0.0, together = 0.0;

	for (size_t i = begin; i < end; i++) {
		const double variance = searching->proofs[searching->sizes[i]].variance,
			     weight = unit_weight(searching, i);

		weights += weight;
		alone += weight * weight * variance;
		together += weight * sqrt(variance);
	}
	alone *= (1.0 - common) / (weights * weights);
	together *= together * common / (weights * weights);
	*share = alone + together > 0.0 ? together / (alone + together) : 0.0;
	return alone + together;
}

/* Interval of the mean logarithm of a range at a two-sided level, and that mean; false with
 * too few units. */
static bool find_interval(const struct searching *searching, size_t begin, size_t end,
			  bool control, double level, struct np_interval *interval,
			  double *mean)
{
	const size_t units = pool_units(searching, begin, end, control);
	const struct np_t_test test = np_t_test(searching->unit_logs, units);
	double share;

	*mean = test.mean;
	if (!np_median_interval(searching->unit_logs, units, confidence, interval))
		return false;
	const double expected = expected_variance(searching, begin, end, &share),
		     own = test.degrees, added = prior_degrees * (double)(end - begin),
		     all = own + added, alone = 1.0 - share,
		     variance = (added * expected +
				 own * test.variance * searching->calibration->inflation) /
				all,
		     degrees = 1.0 / (share * share / own + alone * alone / all),
		     half = sqrt(variance / (double)units) *
			    np_student_quantile(level, (unsigned)fmin(degrees, all));

	interval->low = fmin(interval->low, *mean - half);
	interval->high = fmax(interval->high, *mean + half);
	return true;
}

/* Returns true if the verdict of a size contradicts the verdict of its range. */
static bool is_contradicted(const struct searching *searching, size_t begin, size_t end,
			    enum np_verdict verdict)
{
	for (size_t i = begin; i < end; i++) {
		const enum np_verdict own = searching->proofs[searching->sizes[i]].verdict;

		if (verdict == NP_SAME ? np_verdict_is_sure(own) :
					 np_verdict_is_sure(verdict) &&
						 np_verdict_is_sure(own) && own != verdict)
			return true;
	}
	return false;
}

static struct np_range judge_range(const struct searching *searching, size_t begin,
				   size_t end, double q, double margin)
{
	const double level = np_scan_level(searching->count, q);
	struct np_range range = { .first = searching->sizes[begin],
				  .last = searching->sizes[end - 1],
				  .sizes = end - begin,
				  .low = (double)NAN,
				  .high = (double)NAN };
	struct np_interval interval, control;
	double mean, ignored, off = 0.0;

	if (find_interval(searching, begin, end, true, level, &control, &ignored) &&
	    (control.low > 0.0 || control.high < 0.0))
		off = fmax(control.high, -control.low);
	if (find_interval(searching, begin, end, false, level, &interval, &mean)) {
		range.low = exp(interval.low - off);
		range.high = exp(interval.high + off);
	}
	range.ratio = exp(mean);
	range.verdict = np_verdict_of_interval(range.low, range.high, margin);
	if (is_contradicted(searching, begin, end, range.verdict))
		range.verdict = NP_UNCLEAR;
	return range;
}

/* Least weight of the sizes at both ends of a part, relative to its mean weight. */
static const double telling = 0.25;

/* Finds the part [*begin, *end) of a range whose ratio differs most from 1 in standard
 * errors, without sizes of too little weight at its ends. */
static void find_part(const struct searching *searching, size_t *begin, size_t *end)
{
	const size_t first = *begin, last = *end;
	double most = -1.0;

	for (size_t from = first; from < last; from++) {
		for (size_t to = from + 1; to <= last; to++) {
			const double weight = weight_of(&searching->sums, from, to),
				     sum = searching->sums.values[to] -
					   searching->sums.values[from];

			if (weight > 0.0 && sum * sum > most * weight) {
				most = sum * sum / weight;
				*begin = from;
				*end = to;
			}
		}
	}
	const double least = telling * weight_of(&searching->sums, *begin, *end) /
			     (double)(*end - *begin);

	while (weight_of(&searching->sums, *begin, *begin + 1) < least)
		++*begin;
	while (weight_of(&searching->sums, *end - 1, *end) < least)
		--*end;
}

/* Appends a range of the partition, or its slower or faster part and the sizes before and
 * behind this part, which join it if they have the same verdict.  Returns the number of
 * ranges. */
static size_t split_range(const struct searching *searching, size_t begin, size_t end,
			  double q, double margin, struct np_range *ranges)
{
	size_t from = begin, to = end, count = 0;

	ranges[0] = judge_range(searching, begin, end, q, margin);
	if (ranges[0].verdict == NP_SAME)
		return 1;
	find_part(searching, &from, &to);
	const struct np_range part = judge_range(searching, from, to, q, margin);

	if (!np_verdict_is_sure(part.verdict))
		return 1;
	if (from > begin)
		ranges[0] = judge_range(searching, begin, from, q, margin);
	if (from > begin && ranges[0].verdict != part.verdict)
		count++;
	else
		from = begin;
	if (to < end)
		ranges[count + 1] = judge_range(searching, to, end, q, margin);
	if (to == end || ranges[count + 1].verdict == part.verdict) {
		ranges[count] = judge_range(searching, from, end, q, margin);
		return count + 1;
	}
	ranges[count] = judge_range(searching, from, to, q, margin);
	return count + 2;
}

/* Lists the ranges of the best partition of the sizes. */
static int take_ranges(struct searching *searching, double q, double margin,
		       struct np_range *ranges, size_t *range_count)
{
	struct np_part *parts = calloc(searching->count, sizeof(*parts));
	size_t count = 0;
	const int rc =
		parts == NULL ? -ENOMEM : np_ratio_parts(&searching->sums, parts, &count);

	for (size_t i = 0; i < count; i++)
		*range_count += split_range(searching, parts[i].first, parts[i].end, q,
					    margin, ranges + *range_count);
	free(parts);
	return rc;
}

/* Collects the sizes that have an interval; returns an upper bound of the number of their
 * units. */
static size_t take_sizes(struct searching *searching, size_t count)
{
	size_t units = 0;

	for (size_t i = 0; i < count; i++) {
		if (isnan(searching->proofs[i].low) || isnan(searching->proofs[i].variance))
			continue;
		searching->sizes[searching->count++] = i;
		units += searching->trials[i].count + searching->trials[i].control_count;
	}
	return units;
}

int np_find_ranges(const struct np_size_test *trials, const struct np_mode_test *proofs,
		   size_t count, const struct np_calibration *calibration, double q,
		   double margin, struct np_range *ranges, size_t *range_count)
{
	struct searching searching = { .trials = trials,
				       .proofs = proofs,
				       .calibration = calibration,
				       .sizes = calloc(count + 1, sizeof(size_t)) };
	double *sums = calloc(3 * (count + 1), sizeof(*sums));
	int rc = searching.sizes == NULL || sums == NULL ? -ENOMEM : 0;

	*range_count = 0;
	if (rc == 0) {
		const size_t units = take_sizes(&searching, count);

		searching.sums =
			(struct np_ratio_sums){ .weights = sums,
						.values = sums + count + 1,
						.squares = sums + 2 * (count + 1) };
		searching.unit_logs = calloc(units + 1, sizeof(double));
		rc = searching.unit_logs == NULL ? -ENOMEM : 0;
	}
	if (rc == 0 && searching.count >= 2) {
		sum_up(&searching);
		rc = take_ranges(&searching, q, margin, ranges, range_count);
	}
	free(searching.sizes);
	free(sums);
	free(searching.unit_logs);
	return rc;
}
