/*
 * changes.c - Student's t of counts a message, unit by unit.
 */
#include "results/changes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "stats/tails.h"
#include "stats/verdicts.h"

/* What is worth a line: this much apart, of the larger, in so many messages at least. */
static const double apart_least = 0.1, rate_least = 1e-3, confidence = 0.95;

/* More units than the largest run has are cut: a mean of these is as sure. */
enum { UNITS_MOST = 256 };

/* What a rate's difference varies by if each event comes by itself: the variance of a
 * Poisson count is its mean, which is taken to be the same in both. */
static double single_variance(const struct np_change_unit *unit)
{
	const double rate =
		(unit->base + unit->over) / (unit->base_messages + unit->over_messages);

	return rate / unit->base_messages + rate / unit->over_messages;
}

static double standard_error(const double *differences, const struct np_change_unit *units,
			     size_t count)
{
	const double mean = np_mean(differences, count), number = (double)count;
	double squares = 0.0, single = 0.0;

	for (size_t i = 0; i < count; i++) {
		const double apart = differences[i] - mean;

		squares += apart * apart;
		single += single_variance(&units[i]);
	}
	return sqrt(fmax(squares / (number - 1.0) / number, single / number / number));
}

static bool is_clear(const struct np_change *change, const double *differences,
		     size_t count)
{
	const double larger = fmax(change->base, change->over);
	struct np_interval interval;

	return larger >= rate_least &&
	       fabs(change->over - change->base) >= apart_least * larger &&
	       np_median_interval(differences, count, confidence, &interval) &&
	       (interval.low > 0.0 || interval.high < 0.0);
}

void np_change_test(const struct np_change_unit *units, size_t count,
		    struct np_change *change)
{
	double differences[UNITS_MOST];
	size_t used = UNITS_MOST;

	if (count < used)
		used = count;
	change->base = change->over = 0.0;
	change->p = (double)NAN;
	change->clear = false;
	for (size_t i = 0; i < used; i++) {
		const double base = units[i].base / units[i].base_messages,
			     over = units[i].over / units[i].over_messages;

		differences[i] = over - base;
		change->base += base / (double)used;
		change->over += over / (double)used;
	}
	if (used < 2 || !(change->base + change->over > 0.0))
		return;
	const double error = standard_error(differences, units, used);
	change->p = np_student_p(np_mean(differences, used) / error, (unsigned)used - 1);
	change->clear = is_clear(change, differences, used);
}

int np_changes_judge(struct np_change *changes, size_t count, double q)
{
	double *p = calloc(count + 1, sizeof(*p));

	if (p == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		p[i] = changes[i].p;
	const int rc = np_adjust_p(p, count, p);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		changes[i].adjusted = p[i];
		changes[i].sure = changes[i].clear && p[i] <= q;
	}
	free(p);
	return rc;
}
