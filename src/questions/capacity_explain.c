/*
 * capacity_explain.c - identifies the capacity of each knee.
 *
 * Each selected capacity (capacity_choose.h) has one knee, on the axis of its unit.  Any
 * other knee at which its miss rate grows repeats it.
 */
#include "questions/capacity_explain.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "questions/capacity_choose.h"
#include "questions/capacity_name.h"
#include "questions/capacity_trial.h"

/* Ratio of neighbouring numbers of a sweep: two places within it are the same. */
static const double spacing = 1.5;

/* Share of a knee's step that capacities must predict to explain it. */
static const double enough = 0.5;

/* Tolerance of a size, as a ratio. */
static const double within = 1.05;

/* Widest interval of a named capacity, as a ratio; least worth, in residual variances, of a
 * capacity without a knee of its own. */
static const double placed_within = 2.6, alone_worth = 48;

/* Last point of the axis of a term, except the final one, at which `count` units fit. */
static const struct np_capacity_point *
last_fitting(const struct np_capacity *capacity, const struct np_chosen *term, double count)
{
	const struct np_capacity_point *first = NULL, *last = NULL;

	for (size_t i = 0; i < capacity->point_count; i++) {
		const struct np_capacity_point *point = &capacity->points[i];

		if (point->axis != term->axis)
			continue;
		if (first == NULL)
			first = point;
		if (point->buffers < capacity->axes[term->axis].most &&
		    np_capacity_unit_touched(&capacity->host, term->unit, point->axis,
					     point->buffers) <= count * within)
			last = point;
	}
	return last != NULL ? last : first;
}

/* Moves the knee of a term to the place that all axes together give. */
static void place_knee(const struct np_capacity *capacity, const struct np_choice *choice,
		       const struct np_chosen *term, struct np_knee *knee)
{
	const struct np_capacity_point *fits = last_fitting(capacity, term, term->count);
	const struct np_capacity_point *low = last_fitting(capacity, term, term->low);
	const struct np_capacity_point *high = last_fitting(capacity, term, term->high);
	const double before = np_choice_ratio(capacity, choice, term->axis, fits->buffers);
	const double unit = np_capacity_unit_bytes(&capacity->host, term->unit);

	knee->axis = term->axis;
	knee->buffers = fits->buffers;
	knee->next = fits[1].buffers;
	knee->low = low->buffers;
	knee->high = high[1].buffers;
	knee->touched = fits->touched;
	knee->touched_low = low->touched;
	knee->touched_high = high[1].touched;
	knee->effect = 1 + term->cost / before;
	knee->gradual = term->replacement != NP_REPLACES_OLDEST;
	knee->unit = term->unit;
	knee->count = term->count * unit;
	knee->count_low = term->low * unit;
	knee->count_high = term->high * unit;
}

/* Term that explains most of a knee; NULL if all together do not explain enough. */
static const struct np_chosen *owner_of(const struct np_capacity *capacity,
					const struct np_choice *choice,
					const struct np_knee *knee)
{
	const struct np_chosen *owner = NULL;
	double most = 0, all = 0;

	for (size_t i = 0; i < choice->count; i++) {
		const struct np_chosen *term = &choice->list[i];
		const double grows =
			np_chosen_part(capacity, term, knee->axis, knee->high) -
			np_chosen_part(capacity, term, knee->axis, knee->low);

		if (term->unit == NP_HOLDS_NONE)
			continue;
		all += grows;
		if (grows > most) {
			most = grows;
			owner = term;
		}
	}
	return all >= enough * (knee->effect - 1) *
				       np_choice_ratio(capacity, choice, knee->axis,
						       knee->low) ?
		       owner :
		       NULL;
}

/* Distance between a knee and the place of a term, as a logarithm. */
static double distance(const struct np_capacity *capacity, const struct np_chosen *term,
		       const struct np_knee *knee)
{
	return fabs(log((double)knee->buffers /
			(double)last_fitting(capacity, term, term->count)->buffers));
}

/* The term that explains a knee, or NULL. */
struct owner {
	const struct np_chosen *term;
};

/* Nearest knee on the axis of a term that the term explains, or NULL. */
static struct np_knee *own_knee(struct np_capacity *capacity, const struct np_chosen *term,
				const struct owner *owners, size_t count)
{
	struct np_knee *own = NULL;

	for (size_t i = 0; i < count; i++) {
		struct np_knee *knee = &capacity->knees[i];

		if (owners[i].term == term && knee->axis == term->axis &&
		    (own == NULL ||
		     distance(capacity, term, knee) < distance(capacity, term, own)))
			own = knee;
	}
	return own;
}

static int compare_knees(const void *a, const void *b)
{
	const struct np_knee *left = a, *right = b;

	if (left->axis != right->axis)
		return left->axis < right->axis ? -1 : 1;
	return (left->buffers > right->buffers) - (left->buffers < right->buffers);
}

/* Without a knee of its own, a term needs evidence as strong as a test of a knee.  A wide
 * interval would agree with any size. */
static bool is_sure(const struct np_chosen *term, bool has_knee)
{
	if (term->unit == NP_HOLDS_NONE || term->high > placed_within * term->low)
		return false;
	return has_knee || (term->unit != NP_HOLDS_SET_LINES && term->worth >= alone_worth);
}

/* Assigns its knee to each term, and marks other knees that the term explains as repeats.
 */
static void share_knees(struct np_capacity *capacity, const struct np_choice *choice,
			struct owner *owners)
{
	const size_t found = capacity->knee_count;
	struct np_knee *named[NP_CHOICE_MOST] = { NULL };
	double p = 0;

	for (size_t i = 0; i < found; i++) {
		struct np_knee *knee = &capacity->knees[i];

		p = fmax(p, knee->p);
		owners[i].term = knee->effect > 1 && knee->next > 2 ?
					 owner_of(capacity, choice, knee) :
					 NULL;
		np_knee_say_unexplained(knee);
	}
	for (size_t i = 0; i < choice->count; i++) {
		const struct np_chosen *term = &choice->list[i];
		struct np_knee *own = own_knee(capacity, term, owners, found);

		if (!is_sure(term, own != NULL))
			continue;
		if (own == NULL) {
			own = &capacity->knees[capacity->knee_count++];
			*own = (struct np_knee){ .p = p };
		}
		place_knee(capacity, choice, term, own);
		named[i] = own;
	}
	for (size_t i = 0; i < choice->count; i++) {
		if (named[i] != NULL)
			np_knee_name(capacity, &choice->list[i], named[i]);
	}
	for (size_t i = 0; i < found; i++) {
		const struct np_knee *own = owners[i].term != NULL ?
						    named[owners[i].term - choice->list] :
						    NULL;

		if (own != NULL && own != &capacity->knees[i])
			np_knee_say_repeats(&capacity->knees[i], own);
	}
	qsort(capacity->knees, capacity->knee_count, sizeof(*capacity->knees),
	      compare_knees);
}

static enum np_expected_state state_of(const struct np_capacity *capacity, size_t at)
{
	const struct np_expected *expected = &capacity->expected[at];
	const enum np_knee_cause cause =
		expected->is_translation ? NP_KNEE_PAGE_WALK : NP_KNEE_CACHE;

	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *knee = &capacity->knees[i];

		/* A knee with an unknown cause agrees with both a cache and a TLB. */
		if ((knee->agrees & 1u << at) != 0 &&
		    (knee->cause == cause || knee->cause == NP_KNEE_UNKNOWN))
			return NP_EXPECTED_FOUND;
	}
	return (double)capacity->axes[expected->axis].most <
			       spacing * (double)expected->from ?
		       NP_EXPECTED_NOT_REACHED :
		       NP_EXPECTED_NOT_SEEN;
}

int np_capacity_explain(struct np_capacity *capacity)
{
	struct np_choice choice;
	int rc = np_capacity_choose(capacity, &choice);
	struct owner *owners = calloc(capacity->knee_count + 1, sizeof(*owners));
	struct np_knee *knees = reallocarray(
		capacity->knees, capacity->knee_count + NP_CHOICE_MOST, sizeof(*knees));

	if (knees != NULL)
		capacity->knees = knees;
	if (rc == 0 && (owners == NULL || knees == NULL))
		rc = -ENOMEM;
	if (rc == 0) {
		share_knees(capacity, &choice, owners);
		for (size_t i = 0; i < capacity->expected_count; i++)
			capacity->expected[i].state = state_of(capacity, i);
	}
	free(owners);
	return rc;
}
