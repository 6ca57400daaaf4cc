/*
 * capacity_explain.c - the cause of a knee, in a word and in a sentence.
 *
 * Each buffer has as many lines on every axis, so a knee at the same number of buffers on
 * all axes is a capacity of lines, or of buffers.  A knee only where each buffer has a page
 * of its own is a capacity of pages.
 */
#include "questions/capacity_explain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "questions/capacity_host.h"
#include "stats/stats.h"

/* Factor from one number of buffers to the next: places on two axes are alike within it. */
static const double spacing = 1.5;

/* Factor of tolerance: a size is no round number of buffers, and other data use it, too. */
static const double tolerance = 1.1;

const char *np_knee_cause_name(enum np_knee_cause cause)
{
	static const char *const names[] = {
		[NP_KNEE_CACHE] = "cache",
		[NP_KNEE_TRANSLATION] = "translation",
		[NP_KNEE_REGISTRATION] = "registration",
		[NP_KNEE_UNKNOWN] = "unknown",
	};

	return names[cause];
}

/* Buffers on this axis for each of those on the axis on which a size is expected: a buffer
 * has as many lines on each axis, but not as many pages. */
static double buffers_for(const struct np_capacity *capacity,
			  const struct np_expected *expected, enum np_axis axis)
{
	const uint64_t many = 1 << 20;

	if (!expected->is_translation)
		return 1;
	return (double)np_footprint_of(&capacity->host, expected->axis, many).pages /
	       (double)np_footprint_of(&capacity->host, axis, many).pages;
}

/* The sizes that lie between these numbers of buffers of an axis, as bits. */
static unsigned sizes_between(const struct np_capacity *capacity, enum np_axis axis,
			      uint64_t low, uint64_t high)
{
	unsigned bits = 0;

	for (size_t i = 0; i < capacity->expected_count; i++) {
		const struct np_expected *expected = &capacity->expected[i];
		const double each = buffers_for(capacity, expected, axis);

		if ((double)low <= tolerance * each * (double)expected->to &&
		    tolerance * (double)high >= each * (double)expected->from)
			bits |= 1u << i;
	}
	return bits;
}

/* A knee agrees with the sizes in its interval.  But a size at the place of another knee of
 * the axis belongs to that one alone. */
static unsigned sizes_like(const struct np_capacity *capacity, const struct np_knee *knee)
{
	unsigned others = 0;

	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *other = &capacity->knees[i];

		if (other != knee && other->axis == knee->axis && other->effect > 1)
			others |= sizes_between(capacity, other->axis, other->buffers,
						other->next);
	}
	return sizes_between(capacity, knee->axis, knee->low, knee->high) &
	       (~others | sizes_between(capacity, knee->axis, knee->buffers, knee->next));
}

/* Whether the place of one lies in the interval of the other. */
static bool may_be_at(const struct np_knee *one, const struct np_knee *other)
{
	return spacing * (double)one->buffers >= (double)other->low &&
	       (double)one->buffers <= spacing * (double)other->high;
}

/* A knee of another axis at the same number of buffers, or NULL. */
static const struct np_knee *same_at(const struct np_capacity *capacity,
				     const struct np_knee *knee, enum np_axis axis)
{
	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *other = &capacity->knees[i];

		if (other->axis == axis && other->effect > 1 && may_be_at(knee, other) &&
		    may_be_at(other, knee))
			return other;
	}
	return NULL;
}

/* Numbers of buffers on either side of a knee that a rise is taken from. */
enum { BESIDE = 3 };

static const struct np_capacity_point *point_at(const struct np_capacity *capacity,
						enum np_axis axis, uint64_t buffers)
{
	for (size_t i = 0; i < capacity->point_count; i++) {
		if (capacity->points[i].axis == axis &&
		    capacity->points[i].buffers == buffers)
			return &capacity->points[i];
	}
	return NULL;
}

/* The rise of an axis from the last numbers before a knee of another axis to the first
 * after it; in logarithms.  NAN if it has none of them. */
static double rise_of(const struct np_capacity *capacity, const struct np_knee *knee,
		      enum np_axis axis)
{
	double before[BESIDE], behind[BESIDE];
	size_t fit = 0, not_fit = 0;

	for (size_t i = 0; i < capacity->point_count && not_fit < BESIDE; i++) {
		const struct np_capacity_point *own = &capacity->points[i], *other;

		if (own->axis != knee->axis ||
		    (own->buffers > knee->low && own->buffers <= knee->buffers))
			continue;
		other = point_at(capacity, axis, own->buffers);
		if (other == NULL)
			continue;
		if (own->buffers > knee->buffers)
			behind[not_fit++] = log(other->ratio);
		else
			before[fit++ % BESIDE] = log(other->ratio);
	}
	fit = fit < BESIDE ? fit : BESIDE;
	return np_median(behind, not_fit) - np_median(before, fit);
}

/* A knee of another axis at the same place explains a knee if that axis rises there at
 * least half as much: wide intervals may touch by chance. */
static const struct np_knee *explained_by(const struct np_capacity *capacity,
					  const struct np_knee *knee, enum np_axis axis)
{
	const double other = rise_of(capacity, knee, axis);

	if (other < 0.5 * rise_of(capacity, knee, knee->axis))
		return NULL;
	return same_at(capacity, knee, axis);
}

static bool reached(const struct np_capacity *capacity, const struct np_knee *knee,
		    enum np_axis axis)
{
	return (double)capacity->axes[axis].most >= spacing * (double)knee->next;
}

/* Which of the bits are of caches, or of TLBs. */
static unsigned of_kind(const struct np_capacity *capacity, unsigned bits,
			bool is_translation)
{
	for (size_t i = 0; i < capacity->expected_count; i++) {
		if (capacity->expected[i].is_translation != is_translation)
			bits &= ~(1u << i);
	}
	return bits;
}

/* "second-level cache, 1048576 bytes or first-level TLB, 72 pages". */
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
		snprintf(knee->label, sizeof(knee->label), "library or device");
}

static void say(struct np_knee *knee, enum np_knee_cause cause, const char *verdict)
{
	knee->cause = cause;
	snprintf(knee->verdict, sizeof(knee->verdict), "%s", verdict);
}

static void explain_lines(const struct np_capacity *capacity, struct np_knee *knee)
{
	const unsigned caches = of_kind(capacity, knee->agrees, false);
	/* Where many buffers share a page, page walks cost a message next to nothing. */
	const unsigned translations = capacity->host.length >= capacity->host.page ?
					      of_kind(capacity, knee->agrees, true) :
					      0;
	const bool everywhere = explained_by(capacity, knee, NP_AXIS_PAGES) != NULL;

	if (caches != 0 && translations != 0 && !everywhere) {
		say(knee, NP_KNEE_UNKNOWN,
		    "agrees with the size of a cache and with the pages that a TLB holds");
	} else if (caches != 0 && everywhere) {
		knee->agrees = caches;
		say(knee, NP_KNEE_CACHE,
		    "comes with as many lines wherever they lie, at the size of a cache");
	} else if (caches != 0) {
		knee->agrees = caches;
		say(knee, NP_KNEE_CACHE, "agrees with the size of a cache");
	} else if (translations != 0 && !everywhere) {
		say(knee, NP_KNEE_TRANSLATION,
		    "agrees with the pages that a TLB holds, and with no cache");
	} else if (everywhere) {
		knee->agrees = 0;
		say(knee, NP_KNEE_UNKNOWN,
		    "comes with as many buffers wherever they lie: what holds them counts "
		    "buffers or lines, and the machine reports no cache of this size");
	} else {
		knee->agrees = 0;
		say(knee, NP_KNEE_UNKNOWN,
		    "agrees with no cache or TLB that the machine reports");
	}
}

/* A knee at the same number of buffers on another axis: both have one cause. */
static void take_over(struct np_knee *knee, const struct np_knee *other,
		      const char *verdict)
{
	knee->agrees = other->agrees;
	say(knee, other->cause, verdict);
}

static void explain_pages(const struct np_capacity *capacity, struct np_knee *knee)
{
	const struct np_knee *lines = explained_by(capacity, knee, NP_AXIS_LINES);
	const struct np_knee *pages = knee->axis != NP_AXIS_PAGES ?
					      explained_by(capacity, knee, NP_AXIS_PAGES) :
					      NULL;

	if (lines != NULL) {
		take_over(knee, lines,
			  "comes with as many lines packed into few pages, too: it is not "
			  "pages that count");
	} else if (pages != NULL && pages->cause == NP_KNEE_TRANSLATION) {
		take_over(knee, pages,
			  "comes with as many pages close together, too: it is the number "
			  "of pages that counts");
	} else if (!reached(capacity, knee, NP_AXIS_LINES)) {
		say(knee, NP_KNEE_UNKNOWN,
		    "was not compared with as many lines in few pages");
	} else if (knee->axis == NP_AXIS_REGISTRATIONS) {
		knee->agrees = 0;
		say(knee, NP_KNEE_REGISTRATION,
		    "as many buffers in one registration do not show it, or far less: it "
		    "is registrations that count");
	} else {
		knee->agrees = of_kind(capacity, knee->agrees, true);
		say(knee, NP_KNEE_TRANSLATION,
		    "as many lines packed into few pages do not show it, or far less: it "
		    "is pages that count");
	}
}

static void explain(const struct np_capacity *capacity, struct np_knee *knee)
{
	if (knee->effect < 1) {
		knee->agrees = 0;
		say(knee, NP_KNEE_UNKNOWN,
		    "more buffers are faster than fewer: this is no capacity");
	} else if (knee->next == 2) {
		knee->agrees = 0;
		say(knee, NP_KNEE_UNKNOWN,
		    "one buffer is faster than any two: what has been used just before is "
		    "used again");
	} else if (knee->axis == NP_AXIS_LINES) {
		explain_lines(capacity, knee);
	} else {
		explain_pages(capacity, knee);
	}
	write_label(capacity, knee);
}

static enum np_expected_state state_of(const struct np_capacity *capacity, size_t at)
{
	const struct np_expected *expected = &capacity->expected[at];
	const enum np_knee_cause cause =
		expected->is_translation ? NP_KNEE_TRANSLATION : NP_KNEE_CACHE;

	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *knee = &capacity->knees[i];

		/* A knee that agrees with a cache and a TLB is of either. */
		if ((knee->agrees & 1u << at) != 0 &&
		    (knee->cause == cause || knee->cause == NP_KNEE_UNKNOWN))
			return NP_EXPECTED_FOUND;
	}
	return (double)capacity->axes[expected->axis].most <
			       spacing * (double)expected->from ?
		       NP_EXPECTED_NOT_REACHED :
		       NP_EXPECTED_NOT_SEEN;
}

void np_capacity_explain(struct np_capacity *capacity)
{
	for (size_t i = 0; i < capacity->knee_count; i++)
		capacity->knees[i].agrees = sizes_like(capacity, &capacity->knees[i]);
	/* By axis: those of lines are explained before others refer to them. */
	for (size_t i = 0; i < capacity->knee_count; i++)
		explain(capacity, &capacity->knees[i]);
	for (size_t i = 0; i < capacity->expected_count; i++)
		capacity->expected[i].state = state_of(capacity, i);
}
