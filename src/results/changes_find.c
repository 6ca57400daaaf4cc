/*
 * changes_find.c - tests of the counts of all pairs of a table.
 */
#include "results/changes_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "stats/proof.h"

/* All tests of one kind of pair. */
struct family {
	struct np_change *changes;
	size_t *pairs; /* the pair of each change */
	size_t count, room;
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

		if (np_counts_is_time(results->count_names[name]))
			continue;
		struct np_change *change =
			new_change(family, at, results->count_names[name]);
		if (change == NULL)
			rc = -ENOMEM;
		else
			np_change_test(units, pair_units(results, base, over, name, units),
				       change);
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
			rc = np_changes_judge(family.changes, family.count, NP_PROOF_Q);
		if (rc == 0)
			rc = hand_out(&family, table);
	}
	free(family.changes);
	free(family.pairs);
	return rc;
}
