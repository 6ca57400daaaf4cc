/*
 * changes_find.c - the counts of a table's visits, side by side.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/pairs.h"
#include "stats/proof.h"

/* All tests of one kind of pair. */
struct family {
	struct np_change *changes;
	size_t *pairs; /* of each change, which pair it is of */
	size_t count, room;
};

/* Visits of one row, sorted by unit. */
struct side {
	const struct np_row *row;
	struct np_visit *const *visits;
	size_t count, at;
};

static struct side side_of(const struct np_table *table, struct np_visit *const *visits,
			   const size_t *begins, const struct np_pair *pair,
			   enum np_mode mode, size_t variant)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->length == pair->length && row->mode == mode &&
		    row->variant == variant && row->axis == pair->axis &&
		    row->buffers == pair->buffers)
			return (struct side){ .row = row,
					      .visits = visits + begins[i],
					      .count = begins[i + 1] - begins[i] };
	}
	return (struct side){ .row = NULL };
}

/* Sums the visits of the next unit up.  False where not all of them have the count. */
static bool sum_unit(const struct np_results *results, struct side *side, const char *name,
		     double *sum, double *messages)
{
	const unsigned unit = np_unit_of(results, side->visits[side->at]);
	bool known = true;

	*sum = *messages = 0.0;
	for (; side->at < side->count; side->at++) {
		const struct np_visit *visit = side->visits[side->at];
		uint64_t value = 0;

		if (np_unit_of(results, visit) != unit)
			break;
		known &= np_counts_find(&visit->counts, name, &value);
		*sum += (double)value;
		*messages += np_visit_messages(results, visit);
	}
	return known && *messages > 0.0;
}

/* Units that both have; units has room for those of base.  Returns how many. */
static size_t pair_units(const struct np_results *results, struct side base,
			 struct side over, const char *name, struct np_change_unit *units)
{
	size_t count = 0;

	while (base.at < base.count && over.at < over.count) {
		const unsigned left = np_unit_of(results, base.visits[base.at]),
			       right = np_unit_of(results, over.visits[over.at]);
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

static struct np_change *new_change(struct family *family, size_t pair, const char *name)
{
	if (family->count == family->room) {
		const size_t room = family->room != 0 ? 2 * family->room : 64;
		struct np_change *changes =
			reallocarray(family->changes, room, sizeof(*changes));
		size_t *pairs;

		if (changes == NULL)
			return NULL;
		family->changes = changes;
		pairs = reallocarray(family->pairs, room, sizeof(*pairs));
		if (pairs == NULL)
			return NULL;
		family->pairs = pairs;
		family->room = room;
	}
	struct np_change *change = &family->changes[family->count];
	family->pairs[family->count++] = pair;
	*change = (struct np_change){ .base = 0.0 };
	memcpy(change->name, name, NP_COUNTER_NAME);
	return change;
}

/* Tests all counts of one pair. */
static int test_pair(const struct np_results *results, struct np_visit *const *visits,
		     const size_t *begins, const struct np_table *table, size_t at,
		     struct family *family)
{
	const struct np_pair *pair = &table->pairs[at];
	const struct side base = side_of(table, visits, begins, pair, pair->base_mode,
					 pair->base_variant),
			  over = side_of(table, visits, begins, pair, pair->mode,
					 pair->variant);
	int rc = 0;

	if (base.row == NULL || over.row == NULL)
		return 0;
	struct np_change_unit *units = calloc(base.count + 1, sizeof(*units));
	if (units == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < base.row->counts.count && rc == 0; i++) {
		const char *name = base.row->counts.list[i].name;

		if (np_counts_is_time(name))
			continue;
		struct np_change *change = new_change(family, at, name);
		if (change == NULL)
			rc = -ENOMEM;
		else
			np_change_test(units, pair_units(results, base, over, name, units),
				       change);
	}
	free(units);
	return rc;
}

/* Those that are sure become the pairs'. */
static int hand_out(const struct family *family, struct np_table *table)
{
	for (size_t i = 0; i < family->count; i++) {
		struct np_pair *pair = &table->pairs[family->pairs[i]];

		if (!family->changes[i].sure)
			continue;
		struct np_change *changes = reallocarray(
			pair->changes, pair->change_count + 1, sizeof(*changes));
		if (changes == NULL)
			return -ENOMEM;
		pair->changes = changes;
		changes[pair->change_count++] = family->changes[i];
	}
	return 0;
}

int np_changes_find(const struct np_results *results, struct np_visit *const *visits,
		    const size_t *begins, struct np_table *table)
{
	struct family family = { .changes = NULL };
	int rc = 0;

	for (size_t first = 0; first < table->pair_count && rc == 0; first++) {
		if (!np_pair_is_first(table, first))
			continue;
		family.count = 0;
		for (size_t i = first; i < table->pair_count && rc == 0; i++) {
			const struct np_pair *pair = &table->pairs[i];

			if (np_verdict_is_sure(pair->verdict) &&
			    np_pair_same_kind(pair, &table->pairs[first]))
				rc = test_pair(results, visits, begins, table, i, &family);
		}
		if (rc == 0)
			rc = np_changes_judge(family.changes, family.count, NP_PROOF_Q);
		if (rc == 0)
			rc = hand_out(&family, table);
	}
	free(family.changes);
	free(family.pairs);
	return rc;
}
