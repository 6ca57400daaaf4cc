/*
 * capacity_name.c - what a knee comes from, in a word and in a sentence.
 */
#include "questions/capacity_name.h"

#include <stdio.h>

#include "questions/capacity_host.h"
#include "questions/capacity_model.h"

/* Units, as bits. */
enum {
	LINES = 1u << NP_HOLDS_LINES,
	SET_LINES = 1u << NP_HOLDS_SET_LINES,
	PAGES = 1u << NP_HOLDS_PAGES | 1u << NP_HOLDS_SMALL_PAGES,
	REGISTRATIONS = 1u << NP_HOLDS_REGISTRATIONS
};

/* Tolerance of a size, as a ratio: a size is no whole number of buffers, and is shared. */
static const double about = 1.1;

const char *np_knee_cause_name(enum np_knee_cause cause)
{
	static const char *const names[] = {
		[NP_KNEE_CACHE] = "cache",
		[NP_KNEE_PAGE_WALK] = "page_walk",
		[NP_KNEE_TRANSLATION] = "translation",
		[NP_KNEE_REGISTRATION] = "registration",
		[NP_KNEE_QUEUE_PAIR] = "queue_pair",
		[NP_KNEE_UNKNOWN] = "unknown",
	};

	return names[cause];
}

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

/* Buffers on an axis that occupy as much as one buffer of the axis of an expected size.
 * Lines are equal on all axes, pages are not. */
static double buffers_for(const struct np_capacity *capacity,
			  const struct np_expected *expected, enum np_axis axis)
{
	const uint64_t many = 1 << 20;

	if (!expected->is_translation)
		return 1;
	return (double)np_footprint_of(&capacity->host, expected->axis, many).pages /
	       (double)np_footprint_of(&capacity->host, axis, many).pages;
}

/* Caches, or TLBs, whose sizes lie between two numbers of buffers, as bits of expected[].
 * Each page of a message needs a TLB entry; one side's lines may be the only ones in a
 * cache. */
static unsigned sizes_between(const struct np_capacity *capacity, enum np_axis axis,
			      uint64_t low, uint64_t high, bool is_translation)
{
	unsigned bits = 0;

	for (size_t i = 0; i < capacity->expected_count; i++) {
		const struct np_expected *expected = &capacity->expected[i];
		const double each = buffers_for(capacity, expected, axis);
		const uint64_t most = is_translation ? expected->from : expected->to;

		if (expected->is_translation == is_translation &&
		    (double)low <= about * each * (double)most &&
		    about * (double)high >= each * (double)expected->from)
			bits |= 1u << i;
	}
	return bits;
}

/* Caches, or TLBs, within the interval of a knee, as bits of expected[].  A size at which
 * another capacity of the axis stands is excluded if only the interval reaches it. */
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

/* Returns true if a knee of lines agrees with a cache of `size` bytes. */
static bool has_knee_of_lines(const struct np_capacity *capacity, double size)
{
	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *knee = &capacity->knees[i];

		if ((1u << knee->unit & (LINES | SET_LINES)) != 0 && !knee->repeats &&
		    size * about >= knee->count_low && size <= about * knee->count_high)
			return true;
	}
	return false;
}

/* Caches with address-selected sets that this many pages fill, as bits of expected[];
 * without caches that a knee of lines explains. */
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

		if (!expected->is_translation && low <= about * size &&
		    about * high >= size && !has_knee_of_lines(capacity, size))
			bits |= 1u << i;
	}
	return bits;
}

/* Without an axis of pages, messages fill whole pages: bytes, pages and registrations grow
 * in proportion, and cannot be distinguished. */
static bool has_page_axis(const struct np_capacity *capacity)
{
	return capacity->axes[NP_AXIS_PAGES].counts != 0 ||
	       capacity->axes[NP_AXIS_LARGE_PAGES].counts != 0;
}

bool np_knee_is_ambiguous(const struct np_capacity *capacity, const struct np_knee *knee)
{
	return knee->agrees != 0 && knee->cause == NP_KNEE_UNKNOWN &&
	       !has_page_axis(capacity);
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
							     "library or device");
	else if (np_knee_is_ambiguous(capacity, knee) && used < sizeof(knee->label))
		snprintf(knee->label + used, sizeof(knee->label) - used,
			 ", or library or device");
}

static void say(struct np_knee *knee, enum np_knee_cause cause, const char *verdict)
{
	knee->cause = cause;
	snprintf(knee->verdict, sizeof(knee->verdict), "%s", verdict);
}

/* Sets the cause where the axes do not distinguish lines from pages.  A size of the machine
 * may decide, unless messages fill pages: an adapter's capacity lies near one of five sizes
 * too often. */
static void name_ambiguous(const struct np_capacity *capacity, struct np_knee *knee,
			   unsigned caches, unsigned tlbs)
{
	knee->agrees = caches | tlbs;
	if (knee->agrees != 0 && !has_page_axis(capacity))
		say(knee, NP_KNEE_UNKNOWN,
		    "messages that fill pages do not tell bytes, pages and registrations "
		    "apart: --why with this size tells the CPU from an adapter or a "
		    "library");
	else if (caches != 0 && tlbs != 0)
		say(knee, NP_KNEE_UNKNOWN,
		    "agrees with the size of a cache and with the pages that a TLB holds");
	else if (caches != 0)
		say(knee, NP_KNEE_CACHE, "agrees with the size of a cache");
	else if (tlbs != 0)
		say(knee, NP_KNEE_PAGE_WALK,
		    "agrees with the pages that a TLB holds, and with no cache");
	else
		say(knee, NP_KNEE_UNKNOWN,
		    "bytes, pages and registrations are not told apart by these axes, and "
		    "it agrees with no cache or TLB that the machine reports");
}

static void name_lines(struct np_knee *knee, unsigned caches)
{
	knee->agrees = caches;
	if (caches != 0)
		say(knee, NP_KNEE_CACHE,
		    "comes with as many lines wherever they lie, at the size of a cache");
	else
		say(knee, NP_KNEE_UNKNOWN,
		    "comes with as many buffers wherever they lie: what holds them counts "
		    "buffers or lines, and the machine reports no cache of this size");
}

static void name_pages(struct np_knee *knee, unsigned tlbs)
{
	knee->agrees = tlbs;
	if (tlbs != 0)
		say(knee, NP_KNEE_PAGE_WALK,
		    "it is pages that count, as many as a TLB of the CPU holds: page walks "
		    "of the CPU");
	else
		say(knee, NP_KNEE_TRANSLATION,
		    "it is pages that count, and the machine reports no TLB that holds so "
		    "many: address translation of an adapter or a library");
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
	const unsigned caches = in_sets ? caches_in_sets(capacity, knee) :
				lines	? sizes_like(capacity, knee, false) :
					  0;
	const unsigned tlbs = pages ? sizes_like(capacity, knee, true) : 0;

	lines = lines && (caches != 0 || !in_sets);
	/* Queue pairs are the only unit that grows along their axis. */
	if (term->unit == NP_HOLDS_QUEUE_PAIRS)
		say(knee, NP_KNEE_QUEUE_PAIR,
		    "it is queue pairs that count, for all messages are of one buffer");
	else if (lines + pages + registrations > 1)
		name_ambiguous(capacity, knee, caches, tlbs);
	else if (lines)
		name_lines(knee, caches);
	else if (pages)
		name_pages(knee, tlbs);
	else
		say(knee, NP_KNEE_REGISTRATION, "it is registrations that count");
	write_label(capacity, knee);
}

void np_knee_say_unexplained(struct np_knee *knee)
{
	knee->agrees = 0;
	if (knee->effect < 1)
		say(knee, NP_KNEE_UNKNOWN,
		    "more buffers are faster than fewer: this is no capacity");
	else if (knee->next == 2)
		say(knee, NP_KNEE_UNKNOWN,
		    knee->axis == NP_AXIS_QUEUE_PAIRS ?
			    "one queue pair is faster than any two" :
			    "one buffer is faster than any two: what has been used just "
			    "before is used again");
	else
		say(knee, NP_KNEE_UNKNOWN,
		    knee->axis == NP_AXIS_QUEUE_PAIRS ?
			    "no number of queue pairs explains it: the time grows with "
			    "them in another way" :
			    "no number of bytes, pages or registrations explains it on all "
			    "axes");
	snprintf(knee->label, sizeof(knee->label), "cause unknown");
}

void np_knee_say_repeats(struct np_knee *knee, const struct np_knee *own)
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
		 "as many %s as at the knee of %s: it is the same capacity",
		 np_capacity_unit_name(own->unit), np_axis_name(own->axis));
}
