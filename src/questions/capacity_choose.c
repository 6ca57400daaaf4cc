/* capacity_choose.c - selects capacities by weighted least squares of the ratios of a
 * sweep. */
#include "questions/capacity_choose.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "questions/capacity_trial.h"

/* Ratio of neighbouring numbers of a sweep: a knee may be off by one.  Sizes are tried in
 * PARTS of it, then in FINER parts of those. */
static const double spacing = 1.5;
enum { PARTS = 4, FINER = 5, ROUNDS = 4 };

/* 95 % point of the likelihood ratio of a place (Hansen 2000, table 1), and the limit for
 * another unit that fits as well. */
static const double rejected_above = 7.35, as_well = 9;

static bool is_within(const struct np_capacity *capacity, const struct np_knee *knee,
		      enum np_capacity_unit unit, double count)
{
	const double low =
		np_capacity_unit_touched(&capacity->host, unit, knee->axis, knee->low);
	const double high =
		np_capacity_unit_touched(&capacity->host, unit, knee->axis, knee->high);

	return high > low && count * spacing >= low && count <= high * spacing;
}

/* Returns true if the interval of some knee contains that many units. */
static bool is_at_a_knee(const struct np_capacity *capacity, enum np_capacity_unit unit,
			 double count)
{
	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *knee = &capacity->knees[i];

		if (knee->effect > 1 && knee->next > 2 &&
		    is_within(capacity, knee, unit, count))
			return true;
	}
	return false;
}

static int add_sizes(const struct np_capacity *capacity, enum np_capacity_unit unit,
		     struct np_trials *trials)
{
	const double factor = pow(spacing, 1.0 / PARTS);
	double most = 1;

	for (size_t i = 0; i < capacity->point_count; i++)
		most = fmax(most, np_capacity_unit_touched(&capacity->host, unit,
							   capacity->points[i].axis,
							   capacity->points[i].buffers));
	const unsigned sizes = (unsigned)ceil(log(most) / log(factor));

	for (unsigned i = 0; i < sizes; i++) {
		const double count = pow(factor, i);

		if (!is_at_a_knee(capacity, unit, count))
			continue;
		for (enum np_replacement by = 0; by < NP_REPLACEMENTS; by++) {
			const int rc = np_trials_add(
				trials, &(struct np_chosen){ .unit = unit,
							     .axis = np_capacity_unit_axis(
								     capacity, unit),
							     .count = count,
							     .replacement = by });
			if (rc != 0)
				return rc;
		}
	}
	return 0;
}

/* Adds sizes of caches whose set is selected by the address.  Buffers at the same offset of
 * their pages share few sets, which only matters at the size of a cache. */
static int add_caches(const struct np_capacity *capacity, struct np_trials *trials)
{
	const double line = capacity->host.line != 0 ? (double)capacity->host.line : 64;
	int rc = 0;

	for (size_t i = 0; i < 3 && rc == 0; i++) {
		const double count = (double)capacity->host.caches[i] / line;

		if (count >= 1 && is_at_a_knee(capacity, NP_HOLDS_SET_LINES, count))
			rc = np_trials_add(
				trials,
				&(struct np_chosen){ .unit = NP_HOLDS_SET_LINES,
						     .axis = NP_AXIS_LINES,
						     .count = count,
						     .replacement = NP_REPLACES_IN_SETS });
	}
	return rc;
}

static int add_all(const struct np_capacity *capacity, struct np_trials *trials)
{
	int rc = add_sizes(capacity, NP_HOLDS_LINES, trials);

	if (rc == 0)
		rc = add_caches(capacity, trials);
	if (rc == 0)
		rc = add_sizes(capacity, NP_HOLDS_PAGES, trials);
	if (rc == 0 && capacity->host.page > 4096)
		rc = add_sizes(capacity, NP_HOLDS_SMALL_PAGES, trials);
	if (rc == 0 && capacity->axes[NP_AXIS_REGISTRATIONS].counts != 0)
		rc = add_sizes(capacity, NP_HOLDS_REGISTRATIONS, trials);
	if (rc == 0 && capacity->axes[NP_AXIS_QUEUE_PAIRS].counts != 0)
		rc = add_sizes(capacity, NP_HOLDS_QUEUE_PAIRS, trials);
	for (size_t i = 0; i < capacity->knee_count && rc == 0; i++)
		rc = np_trials_add(trials, &(struct np_chosen){
						   .unit = NP_HOLDS_NONE,
						   .axis = capacity->knees[i].axis,
						   .buffers = capacity->knees[i].buffers });
	return rc;
}

static double price_of(const struct np_trials *trials, size_t at)
{
	return trials->list[at].unit == NP_HOLDS_NONE ? NP_CHOICE_STEP_PRICE : 0;
}

/* Indices of the selected candidates; misfit plus the prices of steps. */
struct selection {
	size_t at[NP_CHOICE_MOST];
	size_t count;
	double error;
};

static double error_of(const struct np_trials *trials, const struct selection *selection)
{
	struct np_trial_fit fit;
	double price = 0;

	for (size_t i = 0; i < selection->count; i++)
		price += price_of(trials, selection->at[i]);
	np_trials_fit(trials, selection->at, selection->count, &fit);
	return fit.squares + price * fit.scale;
}

/* Puts the best candidate at a place of the selection.  Returns true if it changed. */
static bool seek_place(const struct np_trials *trials, struct selection *selection,
		       size_t place)
{
	struct selection tried = *selection;
	bool found = false;

	for (size_t i = 0; i < trials->count; i++) {
		tried.at[place] = i;
		tried.error = error_of(trials, &tried);
		if (tried.error < selection->error - 1e-6) {
			*selection = tried;
			found = true;
		}
	}
	return found;
}

static void seek_all(const struct np_trials *trials, struct selection *selection)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		bool found = false;

		for (size_t place = 0; place < selection->count; place++)
			found |= seek_place(trials, selection, place);
		if (!found)
			return;
	}
}

/* Adds finer sizes around the selected ones: the misfit of a wrong size would look like a
 * further capacity. */
static int refine(struct np_trials *trials, struct selection *selection)
{
	for (size_t place = 0; place < selection->count; place++) {
		const struct np_chosen near = trials->list[selection->at[place]];

		for (int part = -FINER; part <= FINER && near.unit != NP_HOLDS_NONE;
		     part++) {
			struct np_chosen trial = near;

			trial.count *= pow(spacing, (double)part / (PARTS * FINER));
			const int rc = part == 0 ? 0 : np_trials_add(trials, &trial);
			if (rc != 0)
				return rc;
		}
	}
	const int rc = np_trials_seal(trials);
	if (rc == 0)
		seek_all(trials, selection);
	return rc;
}

static double scale_of(const struct np_trials *trials, const struct selection *selection)
{
	struct np_trial_fit fit;

	np_trials_fit(trials, selection->at, selection->count, &fit);
	return fit.scale;
}

static bool is_worth(const struct np_trials *trials, const struct selection *without,
		     const struct selection *with)
{
	return without->error - with->error >= NP_CHOICE_PRICE * scale_of(trials, with);
}

static int choose_forward(struct np_trials *trials, struct selection *selection)
{
	while (selection->count < NP_CHOICE_MOST) {
		struct selection more = *selection;
		int rc;

		more.at[more.count++] = 0;
		more.error = (double)INFINITY;
		if (!seek_place(trials, &more, selection->count))
			break;
		seek_all(trials, &more);
		rc = refine(trials, &more);
		if (rc != 0)
			return rc;
		if (!is_worth(trials, selection, &more))
			break;
		*selection = more;
	}
	return 0;
}

static struct selection without(const struct np_trials *trials,
				const struct selection *selection, size_t place)
{
	struct selection fewer = *selection;

	fewer.count--;
	memmove(fewer.at + place, fewer.at + place + 1,
		(fewer.count - place) * sizeof(*fewer.at));
	fewer.error = error_of(trials, &fewer);
	return fewer;
}

/* Backward elimination: drops a term if the rest, refitted, explains it. */
static void choose_backward(const struct np_trials *trials, struct selection *selection)
{
	for (size_t i = 0; i < selection->count;) {
		struct selection fewer = without(trials, selection, i);

		seek_all(trials, &fewer);
		if (is_worth(trials, &fewer, selection)) {
			i++;
			continue;
		}
		*selection = fewer;
		i = 0;
	}
}

/* Sets the size of a term: the mean of the logarithms of all sizes, weighted by their
 * likelihood over all replacements; its interval; and the units that fit nearly as well. */
static void seek_size(const struct np_trials *trials, const struct selection *selection,
		      size_t place, double scale, struct np_chosen *term)
{
	struct selection tried = *selection;
	double all = 0, sum = 0;

	term->low = term->high = term->count;
	for (size_t i = 0; i < trials->count; i++) {
		const struct np_chosen *other = &trials->list[i];

		tried.at[place] = i;
		const double worse = (error_of(trials, &tried) - selection->error) / scale;
		if (worse <= as_well && other->unit != NP_HOLDS_NONE)
			term->others |= 1u << other->unit;
		if (other->unit != term->unit || term->unit == NP_HOLDS_NONE)
			continue;
		all += exp(-worse / 2);
		sum += exp(-worse / 2) * log(other->count);
		if (worse <= rejected_above) {
			term->low = fmin(term->low, other->count);
			term->high = fmax(term->high, other->count);
		}
	}
	if (all > 0)
		term->count = exp(sum / all);
}

static double worth_of(const struct np_trials *trials, const struct selection *selection,
		       size_t place, double scale)
{
	return (without(trials, selection, place).error - selection->error) / scale;
}

static void write_choice(const struct np_trials *trials, const struct selection *selection,
			 struct np_choice *choice)
{
	struct np_trial_fit fit;

	np_trials_fit(trials, selection->at, selection->count, &fit);
	choice->count = selection->count;
	choice->base = fit.base;
	for (size_t i = 0; i < selection->count; i++) {
		choice->list[i] = trials->list[selection->at[i]];
		choice->list[i].cost = fit.costs[i];
		choice->list[i].worth = worth_of(trials, selection, i, fit.scale);
		seek_size(trials, selection, i, fit.scale, &choice->list[i]);
	}
}

/* Merges the second term into the first: mean size, weighted by squared costs. */
static void merge_two(struct np_chosen *one, const struct np_chosen *other)
{
	const double weight = one->cost * one->cost, more = other->cost * other->cost;

	one->count = exp((weight * log(one->count) + more * log(other->count)) /
			 (weight + more));
	one->low = fmin(one->low, one->count);
	one->high = fmax(one->high, one->count);
	one->replacement = NP_REPLACES_IN_SETS;
	one->cost += other->cost;
	one->worth = fmax(one->worth, other->worth);
	one->others |= other->others;
}

static int by_cost(const void *a, const void *b)
{
	const struct np_chosen *left = a, *right = b;

	return (left->cost < right->cost) - (left->cost > right->cost);
}

/* Merges neighbouring terms of one unit: they are one capacity with a replacement policy
 * that capacity_model.h does not have. */
static void merge(struct np_choice *choice)
{
	struct np_chosen *list = choice->list;

	qsort(list, choice->count, sizeof(*list), by_cost);
	for (size_t i = 0; i < choice->count; i++) {
		for (size_t other = i + 1; other < choice->count;) {
			if (!np_chosen_is_same(&list[i], &list[other])) {
				other++;
				continue;
			}
			merge_two(&list[i], &list[other]);
			choice->count--;
			memmove(list + other, list + other + 1,
				(choice->count - other) * sizeof(*list));
		}
	}
}

int np_capacity_choose(const struct np_capacity *capacity, struct np_choice *choice)
{
	struct selection selection = { .count = 0 };
	struct np_trials trials;

	*choice = (struct np_choice){ .base = 1 };
	if (capacity->knee_count == 0)
		return 0;
	int rc = np_trials_make(capacity, &trials);
	if (rc == 0)
		rc = add_all(capacity, &trials);
	if (rc == 0)
		rc = np_trials_seal(&trials);
	if (rc == 0 && trials.count != 0) {
		selection.error = error_of(&trials, &selection);
		rc = choose_forward(&trials, &selection);
		if (rc == 0)
			rc = np_trials_doubt(&trials, selection.at, selection.count);
		if (rc == 0) {
			selection.error = error_of(&trials, &selection);
			rc = choose_forward(&trials, &selection);
		}
		if (rc == 0) {
			choose_backward(&trials, &selection);
			write_choice(&trials, &selection, choice);
			merge(choice);
		}
	}
	np_trials_free(&trials);
	return rc;
}
