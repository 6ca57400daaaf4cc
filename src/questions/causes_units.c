/*
 * causes_units.c - from the visits of --why to units.
 *
 * Visits are sorted by unit, condition and mode, so that each is looked at once, however
 * many passes there are.
 */
#include "questions/causes_units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

static const enum np_mode factorial[] = { NP_MODE_REUSE, NP_MODE_ROTATE, NP_MODE_EVICTED,
					  NP_MODE_TOUCHED };

/* A selected visit. */
struct entry {
	const struct np_visit *visit;
	unsigned unit;
	size_t place; /* in order of time */
};

static bool same_figure(const struct entry *one, const struct entry *other)
{
	return one->unit == other->unit && one->visit->factor == other->visit->factor &&
	       one->visit->mode == other->visit->mode;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->unit != right->unit)
		return left->unit < right->unit ? -1 : 1;
	if (left->visit->factor != right->visit->factor)
		return left->visit->factor < right->visit->factor ? -1 : 1;
	if (left->visit->mode != right->visit->mode)
		return left->visit->mode < right->visit->mode ? -1 : 1;
	return (left->place > right->place) - (left->place < right->place);
}

static int compare_units(const void *a, const void *b)
{
	const struct np_causes_unit *left = a, *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

static struct entry *collect(const struct np_results *results, size_t variant,
			     size_t *count, size_t *length)
{
	const struct np_selection selection = { .purposes = NP_FOR_CURVE | NP_FOR_CONDITION,
						.variant = variant };
	struct np_visit **visits = np_visits_select(results, &selection, count);
	struct entry *entries =
		visits != NULL ? malloc((*count + 1) * sizeof(*entries)) : NULL;

	for (size_t i = 0; i < *count && entries != NULL; i++) {
		const struct np_visit *visit = visits[i];

		entries[i] = (struct entry){ visit, np_unit_of(results, visit), i };
		if (visit->factor == NP_FACTOR_NONE)
			*length = visit->length;
	}
	free(visits);
	return entries;
}

/* Stores the median of a mode or of a condition. */
static void set_figure(struct np_causes_unit *unit, const struct entry *first,
		       double seconds)
{
	const enum np_factor factor = first->visit->factor;
	const enum np_mode mode = first->visit->mode;

	if (factor == NP_FACTOR_NONE) {
		unit->seconds[mode] = seconds;
		if (first->place < unit->first)
			unit->first = first->place;
	} else if (mode == NP_MODE_REUSE || mode == NP_MODE_ROTATE) {
		unit->varied[factor][mode == NP_MODE_ROTATE ? 1 : 0] = seconds;
	}
}

/* Fills the unit of the first entry.  Returns the number of its entries. */
static size_t take_unit(const struct entry *entries, size_t count, double *values,
			struct np_causes_unit *unit)
{
	size_t end = 0;

	unit->first = SIZE_MAX;
	for (enum np_mode mode = 0; mode < NP_MODES; mode++)
		unit->seconds[mode] = (double)NAN;
	for (enum np_factor factor = 0; factor < NP_FACTORS; factor++)
		unit->varied[factor][0] = unit->varied[factor][1] = (double)NAN;
	while (end < count && entries[end].unit == entries[0].unit) {
		const struct entry *first = &entries[end];
		size_t found = 0;

		for (; end < count && same_figure(first, &entries[end]); end++)
			values[found++] = entries[end].visit->median_s;
		set_figure(unit, first, np_median(values, found));
	}
	return end;
}

static bool is_whole(const struct np_causes_unit *unit)
{
	for (size_t i = 0; i < sizeof(factorial) / sizeof(*factorial); i++) {
		if (!(unit->seconds[factorial[i]] > 0))
			return false;
	}
	return true;
}

int np_causes_gather(const struct np_results *results, size_t variant,
		     struct np_causes_units *units)
{
	size_t count;

	*units = (struct np_causes_units){ .count = 0 };
	struct entry *entries = collect(results, variant, &count, &units->length);
	double *values = malloc((count + 1) * sizeof(*values));
	units->list = malloc((count + 1) * sizeof(*units->list));
	if (entries == NULL || values == NULL || units->list == NULL) {
		free(entries);
		free(values);
		return -ENOMEM;
	}
	qsort(entries, count, sizeof(*entries), compare_entries);
	for (size_t at = 0; at < count;) {
		struct np_causes_unit *unit = &units->list[units->count];

		at += take_unit(&entries[at], count - at, values, unit);
		units->count += is_whole(unit) ? 1 : 0;
	}
	qsort(units->list, units->count, sizeof(*units->list), compare_units);
	free(entries);
	free(values);
	return 0;
}
