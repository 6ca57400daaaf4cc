/*
 * changes.c - Student's t test of counts per message, paired by unit.
 */
#include "results/changes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "stats/adjust.h"
#include "stats/t_test.h"

/* Minimum effect: relative difference, and counts per message. */
static const double apart_least = 0.1, rate_least = 1e-3, confidence = 0.95;

/* Units beyond these are not read: they do not change the mean. */
enum { UNITS_MOST = 256 };

/* Variance of the difference of two Poisson rates: the variance of a Poisson count is its
 * mean, assumed equal in both. */
static double single_variance(const struct np_change_unit *unit)
{
	const double rate =
		(unit->base + unit->over) / (unit->base_messages + unit->over_messages);

	return rate / unit->base_messages + rate / unit->over_messages;
}

/* Standard error of the mean difference of Poisson rates. */
static double single_error(const struct np_change_unit *units, size_t count)
{
	double variance = 0.0;

	for (size_t i = 0; i < count; i++)
		variance += single_variance(&units[i]);
	return sqrt(variance) / (double)count;
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
	struct np_t_test test = np_t_test(differences, used);
	test.error = fmax(test.error, single_error(units, used));
	change->p = np_t_test_p(&test);
	change->clear = is_clear(change, differences, used);
}

int np_changes_judge(struct np_change *changes, size_t count, double q)
{
	double *p = calloc(count + 1, sizeof(*p));

	if (p == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		p[i] = changes[i].p;
	const int rc = np_adjust_p(p, count, 0, NP_ADJUST_FDR, p);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		changes[i].adjusted = p[i];
		changes[i].sure = changes[i].clear && p[i] <= q;
	}
	free(p);
	return rc;
}
