/*
 * sequential.c - interim analyses of a growing number of values.
 */
#include "stats/sequential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "stats/tails.h"

enum { TRIMMED_FROM = 10, TRIMMED_SHARE = 5 /* a fifth at either end */ };

/* Share of the error rates for a single look.  Student's interval of the trimmed mean of 10
 * to 30 normal values errs up to 1.28 times its rate (100,000 draws per number); the shares
 * of several looks have a reserve for that. */
static const double trimmed_share = 0.75;

struct location {
	double estimate, error;
	unsigned degrees;
};

/* Winsorized value: one of the `cut` at either end becomes the nearest kept one. */
static double winsorized(const double *sorted, size_t count, size_t cut, size_t at)
{
	return sorted[at < cut ? cut : at >= count - cut ? count - cut - 1 : at];
}

/* Trimmed mean of sorted values, without `cut` at either end, and its standard error from
 * the winsorized variance. */
static struct location trimmed(const double *sorted, size_t count, size_t cut)
{
	const size_t kept = count - 2 * cut;
	const double mean = np_mean(sorted + cut, kept);
	double middle = 0, squares = 0;

	for (size_t i = 0; i < count; i++)
		middle += winsorized(sorted, count, cut, i);
	middle /= (double)count;
	for (size_t i = 0; i < count; i++) {
		const double value = winsorized(sorted, count, cut, i);

		squares += (value - middle) * (value - middle);
	}
	return (struct location){
		.estimate = mean,
		.error = sqrt(squares / ((double)kept * (double)(kept - 1))),
		.degrees = (unsigned)(kept - 1),
	};
}

static const struct np_interim undecided = { .estimate = (double)NAN,
					     .low = (double)NAN,
					     .high = (double)NAN };

/* One interim analysis of all values, with a share of the error rates.  sorted: scratch for
 * `count` values. */
static struct np_interim look(const struct np_sequential *test, const double *values,
			      size_t count, double share, double *sorted)
{
	struct np_interim seen = { .count = count };

	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), np_compare_doubles);
	const size_t cut = count < TRIMMED_FROM ? 0 : count / TRIMMED_SHARE;
	const struct location at = trimmed(sorted, count, cut);
	const double error = fmax(at.error, test->resolution);

	seen.estimate = at.estimate;
	/* np_student_quantile() is two-sided. */
	seen.low = at.estimate -
		   error * np_student_quantile(2 * share * test->error_above, at.degrees);
	seen.high = at.estimate +
		    error * np_student_quantile(2 * share * test->error_below, at.degrees);
	const bool below = seen.high < test->bound + test->margin;
	const bool above = seen.low > test->bound - test->margin;

	if (below && above)
		seen.side = at.estimate <= test->bound ? NP_SIDE_BELOW : NP_SIDE_ABOVE;
	else
		seen.side = below ? NP_SIDE_BELOW : above ? NP_SIDE_ABOVE : NP_SIDE_UNKNOWN;
	return seen;
}

struct np_interim np_sequential_decide(const struct np_sequential *test,
				       const double *values, size_t count)
{
	struct np_interim seen = undecided;
	double *sorted = malloc((count + 1) * sizeof(*sorted));
	size_t many = NP_SEQUENTIAL_FIRST;

	/* Undecided without memory. */
	for (unsigned number = 1;
	     sorted != NULL && many <= count && seen.side == NP_SIDE_UNKNOWN; number++) {
		seen = look(test, values, many, 1 / ((double)number * (number + 1)),
			    sorted);
		many += many / 4 + 1;
	}
	free(sorted);
	return seen;
}

struct np_interim np_sequential_once(const struct np_sequential *test, const double *values,
				     size_t count)
{
	struct np_interim seen = undecided;
	double *sorted = malloc((count + 1) * sizeof(*sorted));

	if (sorted != NULL && count >= NP_SEQUENTIAL_FIRST)
		seen = look(test, values, count, count < TRIMMED_FROM ? 1 : trimmed_share,
			    sorted);
	free(sorted);
	return seen;
}

/* ---- Interim analyses of the width of an interval ------------------------ */

static const double level = 0.95, level_if_looked = 0.98;

bool np_look_is_due(unsigned passes, unsigned least)
{
	unsigned due = least > NP_LOOK_FIRST ? least : NP_LOOK_FIRST;

	while (due < passes)
		due += (due + 2) / 3;
	return due == passes;
}

double np_look_level(size_t units, bool looked)
{
	return looked && units >= NP_LOOK_FIRST ? level_if_looked : level;
}
