/*
 * changes.c - Student's t test of counts per message, paired by unit.
 */
#include "results/changes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "results/rows.h"
#include "stats/adjust.h"
#include "stats/mode_test.h"
#include "stats/stats.h"
#include "stats/tails.h"

/* Minimum effect: relative difference, and counts per message; level of the interval. */
static const double apart_least = 0.1, rate_least = 1e-3, confidence = 0.95;

/* Passes or runs beyond this number are not read: they do not change the mean. */
enum { UNITS_MOST = 256 };

/* Variance of the difference of two Poisson rates, of equal mean under the null hypothesis:
 * the variance of a Poisson count is its mean. */
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

/* All tests of one kind of pair, corrected together. */
struct family {
	struct np_change *changes;
	size_t *pairs; /* index of the pair of each change */
	size_t count;
};

/* Iterator over the visits of a row, unit by unit. */
struct side {
	const struct np_row *row;
	size_t at;
};

static bool find_count(const struct np_visit *visit, size_t name, uint64_t *value)
{
	for (size_t i = 0; i < visit->count_count; i++) {
		if (visit->counts[i].name == name) {
			*value = visit->counts[i].value;
			return true;
		}
	}
	return false;
}

/* Sums the visits of the next unit.  Returns false if one of them lacks the count. */
static bool sum_unit(const struct np_results *results, struct side *side, size_t name,
		     double *sum, double *messages)
{
	const unsigned unit = np_unit_of(results, side->row->visits[side->at]);
	bool known = true;

	*sum = *messages = 0.0;
	for (; side->at < side->row->visit_count; side->at++) {
		const struct np_visit *visit = side->row->visits[side->at];
		uint64_t value = 0;

		if (np_unit_of(results, visit) != unit)
			break;
		known &= find_count(visit, name, &value);
		*sum += (double)value;
		*messages += visit->counted_messages;
	}
	return known && *messages > 0.0;
}

/* Lists the units of both rows; units has space for those of base.  Returns their number.
 */
static size_t pair_units(const struct np_results *results, const struct np_row *base_row,
			 const struct np_row *over_row, size_t name,
			 struct np_change_unit *units)
{
	struct side base = { .row = base_row }, over = { .row = over_row };
	size_t count = 0;

	while (base.at < base_row->visit_count && over.at < over_row->visit_count) {
		const unsigned left = np_unit_of(results, base_row->visits[base.at]),
			       right = np_unit_of(results, over_row->visits[over.at]);
		struct np_change_unit *unit = &units[count];
		bool known = left == right;

		if (left <= right)
			known &= sum_unit(results, &base, name, &unit->base,
					  &unit->base_messages);
		if (right <= left)
			known &= sum_unit(results, &over, name, &unit->over,
					  &unit->over_messages);
		count += known;
	}
	return count;
}

/* Returns whether the name ends in "_ns": a time, redundant beside the times of
 * messages. */
static bool is_time(const char *name)
{
	const size_t length = strlen(name);

	return length > 3 && strcmp(name + length - 3, "_ns") == 0;
}

static int add_change(struct family *family, size_t pair, const struct np_change *change)
{
	size_t count = family->count;

	return np_list_add(&family->pairs, &count, &pair, sizeof(pair)) == 0 ?
		       np_list_add(&family->changes, &family->count, change,
				   sizeof(*change)) :
		       -ENOMEM;
}

/* Tests all counts of one pair. */
static int test_pair(const struct np_results *results, const struct np_table *table,
		     size_t at, struct family *family)
{
	const struct np_pair *pair = &table->pairs[at];
	const struct np_row *base = &table->rows[pair->base_row],
			    *over = &table->rows[pair->row];
	struct np_change_unit *units = calloc(base->visit_count + 1, sizeof(*units));
	int rc = units == NULL ? -ENOMEM : 0;

	for (size_t i = 0; i < base->count_count && rc == 0; i++) {
		const size_t name = base->counts[i].name;

		if (is_time(results->count_names[name]))
			continue;
		struct np_change change = { .base = 0.0 };

		memcpy(change.name, results->count_names[name], NP_COUNTER_NAME);
		np_change_test(units, pair_units(results, base, over, name, units),
			       &change);
		rc = add_change(family, at, &change);
	}
	free(units);
	return rc;
}

/* Moves the significant changes to their pairs. */
static int hand_out(const struct family *family, struct np_table *table)
{
	for (size_t i = 0; i < family->count; i++) {
		struct np_pair *pair = &table->pairs[family->pairs[i]];

		if (!family->changes[i].sure)
			continue;
		if (np_list_add(&pair->changes, &pair->change_count, &family->changes[i],
				sizeof(*pair->changes)) != 0)
			return -ENOMEM;
	}
	return 0;
}

int np_changes_find(const struct np_results *results, struct np_table *table)
{
	struct family family = { .changes = NULL };
	int rc = 0;

	for (size_t kind = 0; kind < table->kind_count && rc == 0; kind++) {
		family.count = 0;
		for (size_t i = 0; i < table->pair_count && rc == 0; i++) {
			if (table->pairs[i].kind == kind &&
			    np_verdict_is_sure(table->pairs[i].verdict))
				rc = test_pair(results, table, i, &family);
		}
		if (rc == 0)
			rc = np_changes_judge(family.changes, family.count, NP_MODE_TEST_Q);
		if (rc == 0)
			rc = hand_out(&family, table);
	}
	free(family.changes);
	free(family.pairs);
	return rc;
}
