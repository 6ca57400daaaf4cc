/*
 * gather_changes.c - counts of visits that belong together, kept until all verdicts are
 * known: then as changes_find.c has it of a run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/curves/gather.h"
#include "stats/proof.h"

static int keep_tally(struct np_cell *cell, const struct np_tally *tally)
{
	if (cell->tally_count == NP_GATHER_UNITS)
		return 0;
	if (cell->tally_count == cell->tally_room) {
		const size_t room = cell->tally_room != 0 ? 2 * cell->tally_room : 16;
		struct np_tally *tallies =
			reallocarray(cell->tallies, room, sizeof(*tallies));

		if (tallies == NULL)
			return -ENOMEM;
		cell->tallies = tallies;
		cell->tally_room = room;
	}
	cell->tallies[cell->tally_count++] = *tally;
	return 0;
}

static const struct np_count *find_count(const struct np_visit *visit, size_t name)
{
	for (size_t i = 0; i < visit->count_count; i++) {
		if (visit->counts[i].name == name)
			return &visit->counts[i];
	}
	return NULL;
}

int np_gather_tally(const struct np_gather *gather, struct np_cell *cell,
		    const struct np_visit *over, const struct np_visit *base, unsigned pass)
{
	int rc = 0;

	for (size_t i = 0; i < base->count_count && rc == 0; i++) {
		const struct np_count *below = &base->counts[i];
		const struct np_count *above = find_count(over, below->name);
		struct np_tally tally = { .run_index = over->run_index,
					  .pass = pass,
					  .serial = over->serial,
					  .name = below->name,
					  .unit = { .base = (double)below->value,
						    .base_messages = base->counted_messages,
						    .over_messages =
							    over->counted_messages } };

		if (above == NULL ||
		    np_counts_is_time(gather->results->count_names[below->name]) ||
		    !(tally.unit.base_messages > 0 && tally.unit.over_messages > 0))
			continue;
		tally.unit.over = (double)above->value;
		rc = keep_tally(cell, &tally);
	}
	return rc;
}

static int compare_tallies(const void *a, const void *b)
{
	const struct np_tally *l = a, *r = b;

	if (l->name != r->name)
		return l->name < r->name ? -1 : 1;
	if (l->run_index != r->run_index)
		return l->run_index < r->run_index ? -1 : 1;
	return (l->pass > r->pass) - (l->pass < r->pass);
}

static bool same_unit(const struct np_gather *gather, const struct np_tally *one,
		      const struct np_tally *other)
{
	return one->name == other->name && one->run_index == other->run_index &&
	       (gather->several_runs || one->pass == other->pass);
}

/* Leaves out what was superseded, sorts, and sums units up.  Returns how many are left. */
static size_t sum_up(const struct np_gather *gather, struct np_tally *tallies, size_t count)
{
	size_t kept = 0, units = 0;

	for (size_t i = 0; i < count; i++) {
		if (np_gather_counts(gather, tallies[i].run_index, tallies[i].serial))
			tallies[kept++] = tallies[i];
	}
	if (kept != 0)
		qsort(tallies, kept, sizeof(*tallies), compare_tallies);
	for (size_t i = 0; i < kept; i++) {
		if (units == 0 || !same_unit(gather, &tallies[units - 1], &tallies[i])) {
			tallies[units++] = tallies[i];
			continue;
		}
		struct np_change_unit *sum = &tallies[units - 1].unit;
		const struct np_change_unit *more = &tallies[i].unit;

		sum->base += more->base;
		sum->over += more->over;
		sum->base_messages += more->base_messages;
		sum->over_messages += more->over_messages;
	}
	return units;
}

int np_gather_changes(const struct np_gather *gather, struct np_cell *cell,
		      struct np_ratio *ratio)
{
	const size_t count = sum_up(gather, cell->tallies, cell->tally_count);
	struct np_change_unit *units = calloc(count + 1, sizeof(*units));
	struct np_change *changes =
		calloc(gather->results->count_names_count + 1, sizeof(*changes));

	free(ratio->changes);
	ratio->changes = changes;
	ratio->change_count = 0;
	for (size_t i = 0, end; units != NULL && changes != NULL && i < count; i = end) {
		struct np_change *change = &changes[ratio->change_count++];

		for (end = i;
		     end < count && cell->tallies[end].name == cell->tallies[i].name; end++)
			units[end - i] = cell->tallies[end].unit;
		memcpy(change->name, gather->results->count_names[cell->tallies[i].name],
		       NP_COUNTER_NAME);
		np_change_test(units, end - i, change);
	}
	const int rc = units == NULL || changes == NULL ? -ENOMEM : 0;
	free(units);
	return rc;
}

/* All tests of ratios that surely differ from 1, one after the other. */
static size_t flatten(const struct np_ratio_list *list, struct np_change *all)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct np_ratio *ratio = &list->ratios[i];

		for (size_t k = 0; k < ratio->change_count && np_ratio_is_sure(ratio);
		     k++) {
			if (all != NULL)
				all[count] = ratio->changes[k];
			count++;
		}
	}
	return count;
}

int np_gather_judge_changes(struct np_ratio_list *list)
{
	const size_t count = flatten(list, NULL);
	struct np_change *all = calloc(count + 1, sizeof(*all));
	size_t at = 0;

	if (all == NULL)
		return -ENOMEM;
	flatten(list, all);
	const int rc = np_changes_judge(all, count, NP_PROOF_Q);
	for (size_t i = 0; rc == 0 && i < list->count; i++) {
		struct np_ratio *ratio = &list->ratios[i];
		const size_t tests = np_ratio_is_sure(ratio) ? ratio->change_count : 0;

		ratio->change_count = 0;
		for (size_t k = 0; k < tests; k++, at++) {
			if (all[at].sure)
				ratio->changes[ratio->change_count++] = all[at];
		}
	}
	free(all);
	return rc;
}
