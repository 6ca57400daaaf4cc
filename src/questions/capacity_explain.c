/*
 * capacity_explain.c - identifies the capacity of each knee.
 *
 * Each selected capacity (capacity_choose.h) has one knee, on the axis of its unit.  Any
 * other knee at which the miss rate of this capacity grows is marked as a repeat.
 */
#include "questions/capacity_explain.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "questions/capacity_choose.h"

/* Sets of np_capacity_unit, as bits. */
enum {
	LINES = 1u << NP_HOLDS_LINES,
	SET_LINES = 1u << NP_HOLDS_SET_LINES,
	PAGES = 1u << NP_HOLDS_PAGES | 1u << NP_HOLDS_SMALL_PAGES,
	REGISTRATIONS = 1u << NP_HOLDS_REGISTRATIONS
};

const char *np_capacity_unit_name(enum np_capacity_unit unit)
{
	static const char *const names[NP_HOLDS_UNITS] = {
		[NP_HOLDS_LINES] = "bytes",
		[NP_HOLDS_SET_LINES] = "bytes",
		[NP_HOLDS_PAGES] = "pages",
		[NP_HOLDS_SMALL_PAGES] = "pages",
		[NP_HOLDS_REGISTRATIONS] = "registrations",
		[NP_HOLDS_QUEUE_PAIRS] = "queue_pairs",
	};

	return names[unit];
}

/* Returns the caches (or TLBs) that `low` buffers of each process fit into and `high` do
 * not, as bits of expected[].  A cache holds the lines of one process, or of all that share
 * it. */
static unsigned sizes_between(const struct np_capacity *capacity, enum np_axis axis,
			      uint64_t low, uint64_t high, bool is_translation)
{
	const struct np_footprint from = np_footprint_of(&capacity->host, axis, low),
				  to = np_footprint_of(&capacity->host, axis, high);
	const uint64_t least = is_translation ? from.pages : from.bytes;
	const uint64_t most = is_translation ? to.pages : to.bytes;
	unsigned bits = 0;

	for (size_t i = 0; i < capacity->expected_count; i++) {
		const struct np_expected *expected = &capacity->expected[i];
		const size_t own = expected->size, part = own / expected->processes;

		if (expected->is_translation == is_translation &&
		    ((least <= own && own <= most) || (least <= part && part <= most)))
			bits |= 1u << i;
	}
	return bits;
}

/* Returns the bits of `among` whose sizes are within half an octave of the estimate of a
 * knee: caches are at least an octave apart, so that other levels are farther. */
static unsigned sizes_near(const struct np_capacity *capacity, const struct np_knee *knee,
			   unsigned among)
{
	for (size_t i = 0; i < capacity->expected_count; i++) {
		const struct np_expected *expected = &capacity->expected[i];
		const double off = log((double)expected->size / knee->count),
			     shared = off - log(expected->processes);

		if (fmin(fabs(off), fabs(shared)) > M_LN2 / 2)
			among &= ~(1u << i);
	}
	return among;
}

/* Returns the caches (or TLBs) within the 95 % interval of a knee, as bits of expected[].
 * Excludes a size at the place of another capacity's knee, unless it is at the place of
 * this one too. */
static unsigned sizes_like(const struct np_capacity *capacity, const struct np_knee *knee,
			   bool is_translation)
{
	const unsigned own = sizes_between(capacity, knee->axis, knee->buffers, knee->next,
					   is_translation);
	unsigned others = 0;

	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *other = &capacity->knees[i];

		if (other != knee && other->axis == knee->axis && !other->repeats &&
		    other->unit != NP_HOLDS_NONE)
			others |= sizes_between(capacity, other->axis, other->buffers,
						other->next, is_translation);
	}
	return sizes_between(capacity, knee->axis, knee->low, knee->high, is_translation) &
	       (~others | own);
}

/* Returns true if a knee whose capacity counts cache lines agrees with a cache of `size`
 * bytes. */
static bool has_knee_of_lines(const struct np_capacity *capacity, double size)
{
	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *knee = &capacity->knees[i];

		if ((1u << knee->unit & (LINES | SET_LINES)) != 0 && !knee->repeats &&
		    size >= knee->count_low && size <= knee->count_high)
			return true;
	}
	return false;
}

/* Returns the caches that the pages at a knee fill if the set index comes from the address,
 * as bits of expected[]; without caches that a knee of lines agrees with. */
static unsigned caches_in_sets(const struct np_capacity *capacity,
			       const struct np_knee *knee)
{
	const struct np_capacity_host *host = &capacity->host;
	const double line = np_capacity_unit_bytes(host, NP_HOLDS_SET_LINES);
	const double low = line * np_capacity_unit_touched(host, NP_HOLDS_SET_LINES,
							   knee->axis, knee->low);
	const double high = line * np_capacity_unit_touched(host, NP_HOLDS_SET_LINES,
							    knee->axis, knee->high);
	unsigned bits = 0;

	for (size_t i = 0; i < capacity->expected_count; i++) {
		const struct np_expected *expected = &capacity->expected[i];
		const double size = (double)expected->size;

		if (!expected->is_translation && low <= size && high >= size &&
		    !has_knee_of_lines(capacity, size))
			bits |= 1u << i;
	}
	return bits;
}

/* Returns false if messages fill whole pages, so that no axis of pages is swept: bytes,
 * pages and registrations grow in proportion. */
static bool has_page_axis(const struct np_capacity *capacity)
{
	return capacity->axes[NP_AXIS_PAGES].counts != 0 ||
	       capacity->axes[NP_AXIS_LARGE_PAGES].counts != 0;
}

bool np_knee_is_ambiguous(const struct np_capacity *capacity, const struct np_knee *knee)
{
	return knee->agrees != 0 && knee->cause == NP_KNEE_UNKNOWN &&
	       !has_page_axis(capacity) && !capacity->host.copies;
}

/* Writes e.g. "second-level cache or first-level TLB". */
static void write_label(const struct np_capacity *capacity, struct np_knee *knee)
{
	size_t used = 0;

	for (size_t i = 0; i < capacity->expected_count; i++) {
		const struct np_expected *expected = &capacity->expected[i];

		if ((knee->agrees & 1u << i) == 0 || used >= sizeof(knee->label))
			continue;
		used += (size_t)snprintf(knee->label + used, sizeof(knee->label) - used,
					 "%s%s", used != 0 ? " or " : "", expected->name);
	}
	if (used == 0)
		snprintf(knee->label, sizeof(knee->label), "%s",
			 knee->cause == NP_KNEE_QUEUE_PAIR ? "queue pairs" :
			 knee->cause == NP_KNEE_PAGE_WALK  ? "page walks of the CPU" :
			 capacity->host.copies		   ? "cause unknown" :
							     "library or device");
	else if (np_knee_is_ambiguous(capacity, knee) && used < sizeof(knee->label))
		snprintf(knee->label + used, sizeof(knee->label) - used,
			 ", or library or device");
}

static void set_verdict(struct np_knee *knee, enum np_knee_cause cause, const char *verdict)
{
	knee->cause = cause;
	snprintf(knee->verdict, sizeof(knee->verdict), "%s", verdict);
}

/* Sets the cause where the axes do not distinguish lines from pages.  A reported cache or
 * TLB size decides, unless messages fill whole pages: an adapter's capacity lies near one
 * of the five sizes too often by chance. */
static void name_ambiguous(const struct np_capacity *capacity, struct np_knee *knee,
			   unsigned caches, unsigned tlbs)
{
	knee->agrees = caches | tlbs;
	if (knee->agrees != 0 && !has_page_axis(capacity))
		set_verdict(knee, NP_KNEE_UNKNOWN,
			    "bytes, pages and registrations grow together in messages that "
			    "fill pages: --why with this size separates the CPU from an "
			    "adapter or a library");
	else if (caches != 0 && tlbs != 0)
		set_verdict(knee, NP_KNEE_UNKNOWN,
			    "agrees with the size of a cache and with the pages that a TLB "
			    "holds");
	else if (caches != 0)
		set_verdict(knee, NP_KNEE_CACHE, "agrees with the size of a cache");
	else if (tlbs != 0)
		set_verdict(knee, NP_KNEE_PAGE_WALK,
			    "agrees with the pages that a TLB holds, and with no cache");
	else
		set_verdict(knee, NP_KNEE_UNKNOWN,
			    "these axes do not distinguish bytes, pages and registrations, "
			    "and no cache or TLB that the machine reports has this size");
}

static void name_lines(struct np_knee *knee, unsigned caches)
{
	knee->agrees = caches;
	if (caches != 0)
		set_verdict(knee, NP_KNEE_CACHE,
			    "begins at the same number of lines at any address, the size "
			    "of a cache");
	else
		set_verdict(knee, NP_KNEE_UNKNOWN,
			    "begins at the same number of buffers at any address: a "
			    "capacity in buffers or lines, and the machine reports no "
			    "cache of this size");
}

/* Names pages where neither an adapter nor a library translates addresses. */
static void name_page_walk(const struct np_capacity *capacity, struct np_knee *knee)
{
	const struct np_capacity_host *host = &capacity->host;
	const bool small =
		host->page <= NP_SMALL_PAGE || knee->unit == NP_HOLDS_SMALL_PAGES;
	const size_t entries = small ? host->tlb.level2_4k : host->tlb.level2_2m;
	char reach[64] = "not reported";

	if (entries != 0)
		snprintf(reach, sizeof(reach), "%zu pages", entries);
	knee->cause = NP_KNEE_PAGE_WALK;
	snprintf(knee->verdict, sizeof(knee->verdict),
		 "pages of %s count, and neither an adapter nor a library translates "
		 "addresses: page walks of the CPU (second-level TLB: %s)",
		 small ? "4 KiB" : "2 MiB or more", reach);
}

static void name_pages(const struct np_capacity *capacity, struct np_knee *knee,
		       unsigned tlbs)
{
	knee->agrees = tlbs;
	if (tlbs != 0)
		set_verdict(knee, NP_KNEE_PAGE_WALK,
			    "it is pages that count, as many as a TLB of the CPU holds: "
			    "page walks of the CPU");
	else if (capacity->host.copies)
		name_page_walk(capacity, knee);
	else
		set_verdict(
			knee, NP_KNEE_TRANSLATION,
			"it is pages that count, and the machine reports no TLB that holds "
			"so many: address translation of an adapter or a library");
}

void np_knee_name(const struct np_capacity *capacity, const struct np_chosen *term,
		  struct np_knee *knee)
{
	const unsigned units = term->others | 1u << term->unit;
	const bool pages = (units & PAGES) != 0,
		   registrations = (units & REGISTRATIONS) != 0;
	const bool in_sets = (1u << term->unit & PAGES) != 0 &&
			     (units & (LINES | SET_LINES)) == SET_LINES;
	bool lines = (units & (LINES | SET_LINES)) != 0;
	const unsigned like = in_sets ? caches_in_sets(capacity, knee) :
			      lines   ? sizes_like(capacity, knee, false) :
					0,
		       pages_like = pages ? sizes_like(capacity, knee, true) : 0;
	/* The estimate of a knee is in the unit of its term alone. */
	const unsigned unit = 1u << term->unit,
		       caches = (unit & (LINES | SET_LINES)) != 0 ?
					sizes_near(capacity, knee, like) :
					like,
		       tlbs = (unit & PAGES) != 0 ? sizes_near(capacity, knee, pages_like) :
						    pages_like;
	/* Without an adapter and a library, only the CPU translates addresses. */
	const bool unsure = (like | pages_like) != 0 && (caches | tlbs) == 0 &&
			    (lines || !capacity->host.copies);

	lines = lines && (caches != 0 || !in_sets);
	/* Queue pairs are the only unit that grows along their axis. */
	if (term->unit == NP_HOLDS_QUEUE_PAIRS)
		set_verdict(knee, NP_KNEE_QUEUE_PAIR,
			    "it is queue pairs that count: all messages use one buffer");
	else if (unsure) {
		knee->agrees = 0;
		set_verdict(
			knee, NP_KNEE_UNKNOWN,
			"a cache or TLB that the machine reports lies within the interval "
			"of this knee, but more than half an octave from its size");
	} else if (lines + pages + registrations > 1)
		name_ambiguous(capacity, knee, caches, tlbs);
	else if (lines)
		name_lines(knee, caches);
	else if (pages)
		name_pages(capacity, knee, tlbs);
	else
		set_verdict(knee, NP_KNEE_REGISTRATION, "it is registrations that count");
	write_label(capacity, knee);
	if (unsure)
		snprintf(knee->label, sizeof(knee->label), "cause unknown");
}

void np_knee_set_unexplained(struct np_knee *knee)
{
	knee->agrees = 0;
	if (knee->effect < 1)
		set_verdict(knee, NP_KNEE_UNKNOWN,
			    "more buffers are faster than fewer: this is no capacity");
	else if (knee->next == 2)
		set_verdict(knee, NP_KNEE_UNKNOWN,
			    knee->axis == NP_AXIS_QUEUE_PAIRS ?
				    "one queue pair is faster than any two" :
				    "one buffer is faster than any two: the message before "
				    "used it");
	else
		set_verdict(knee, NP_KNEE_UNKNOWN,
			    knee->axis == NP_AXIS_QUEUE_PAIRS ?
				    "no number of queue pairs explains the knee: the time "
				    "grows with queue pairs in another way" :
				    "no number of bytes, pages or registrations explains "
				    "the knee on all axes");
	snprintf(knee->label, sizeof(knee->label), "cause unknown");
}

/* Marks a knee as a repeat: the capacity reported at knee `own` causes it too. */
static void mark_repeat(struct np_knee *knee, const struct np_knee *own)
{
	knee->repeats = true;
	knee->unit = own->unit;
	knee->count = own->count;
	knee->count_low = own->count_low;
	knee->count_high = own->count_high;
	knee->cause = own->cause;
	knee->agrees = own->agrees;
	snprintf(knee->label, sizeof(knee->label), "%s", own->label);
	snprintf(knee->verdict, sizeof(knee->verdict),
		 "by the %s of the knee of %s: it is the same capacity",
		 np_capacity_unit_name(own->unit), np_axis_name(own->axis));
}

/* Share of the increase of time at a knee that the selected capacities must predict to
 * explain the knee. */
static const double enough = 0.5;

/* Conditions for a capacity to be reported: its 95 % interval is at most this wide, high
 * over low; without a knee on its axis, dropping it costs at least this many residual
 * variances (np_chosen.worth). */
static const double placed_within = 2.6, alone_worth = 48;

/* Returns the last point of a term's axis, except the final one, whose buffers occupy at
 * most `count` units; the first point if none does. */
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
					     point->buffers) <= count)
			last = point;
	}
	return last != NULL ? last : first;
}

/* Moves a knee to the size of its term, which was fitted to all axes together. */
static void place_knee(const struct np_capacity *capacity, const struct np_choice *choice,
		       const struct np_chosen *term, struct np_knee *knee)
{
	const struct np_capacity_point *fits =
		last_fitting(capacity, term, term->count * NP_SIZE_ERROR);
	const struct np_capacity_point *low =
		last_fitting(capacity, term, term->low / NP_SIZE_ERROR);
	const struct np_capacity_point *high =
		last_fitting(capacity, term, term->high * NP_SIZE_ERROR);
	const double before = np_choice_ratio(capacity, choice, term->axis, fits->buffers);
	const double unit = np_capacity_unit_bytes(&capacity->host, term->unit);
	/* The interval is no narrower than the distance of two swept numbers. */
	const double fit = np_capacity_unit_touched(&capacity->host, term->unit, term->axis,
						    low->buffers);
	const double exceed = np_capacity_unit_touched(&capacity->host, term->unit,
						       term->axis, high[1].buffers);

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
	knee->count_low = fmin(term->low, fit) * unit;
	knee->count_high = fmax(term->high, exceed) * unit;
}

/* Returns the capacity that predicts most of the increase of time at a knee; NULL if all
 * capacities together predict too little of it. */
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

/* Distance between a knee and the size of a term: absolute log ratio of buffers. */
static double distance(const struct np_capacity *capacity, const struct np_chosen *term,
		       const struct np_knee *knee)
{
	return fabs(log((double)knee->buffers /
			(double)last_fitting(capacity, term, term->count * NP_SIZE_ERROR)
				->buffers));
}

/* Returns the knee nearest to the size of a term, among those on its axis that it explains
 * (owner_of()); NULL: none. */
static struct np_knee *own_knee(struct np_capacity *capacity, const struct np_chosen *term,
				const struct np_chosen *const *owners, size_t count)
{
	struct np_knee *own = NULL;

	for (size_t i = 0; i < count; i++) {
		struct np_knee *knee = &capacity->knees[i];

		if (owners[i] == term && knee->axis == term->axis &&
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

/* Returns true if a term is reported as a capacity.  A wide interval would agree with any
 * cache or TLB.  A term without a knee on its axis needs evidence as strong as the test of
 * a knee. */
static bool is_sure(const struct np_chosen *term, bool has_knee)
{
	if (term->unit == NP_HOLDS_NONE || term->high > placed_within * term->low)
		return false;
	return has_knee || (term->unit != NP_HOLDS_SET_LINES && term->worth >= alone_worth);
}

/* Moves the nearest knee of each term to its size, or adds one, and marks other knees that
 * the term explains as repeats. */
static void share_knees(struct np_capacity *capacity, const struct np_choice *choice,
			const struct np_chosen **owners)
{
	const size_t found = capacity->knee_count;
	struct np_knee *named[NP_CHOICE_MOST] = { NULL };
	double p = 0;

	for (size_t i = 0; i < found; i++) {
		struct np_knee *knee = &capacity->knees[i];

		p = fmax(p, knee->p);
		owners[i] = knee->effect > 1 && knee->next > 2 ?
				    owner_of(capacity, choice, knee) :
				    NULL;
		np_knee_set_unexplained(knee);
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
		const struct np_knee *own =
			owners[i] != NULL ? named[owners[i] - choice->list] : NULL;

		if (own != NULL && own != &capacity->knees[i])
			mark_repeat(&capacity->knees[i], own);
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

		/* A knee with an unknown cause may agree with both a cache and a TLB. */
		if ((knee->agrees & 1u << at) != 0 &&
		    (knee->cause == cause || knee->cause == NP_KNEE_UNKNOWN))
			return NP_EXPECTED_FOUND;
	}
	return (double)capacity->axes[expected->axis].most <
			       NP_SWEEP_SPACING * (double)expected->from ?
		       NP_EXPECTED_NOT_REACHED :
		       NP_EXPECTED_NOT_SEEN;
}

int np_capacity_explain(struct np_capacity *capacity)
{
	struct np_choice choice;
	int rc = np_capacity_choose(capacity, &choice);
	const struct np_chosen **owners =
		calloc(capacity->knee_count + 1, sizeof(struct np_chosen *));
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
