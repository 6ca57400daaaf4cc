/*
 * changes.h - which counts are others where one way of sending takes longer, or less,
 * than another.
 *
 * Only where the times surely differ is a count asked; all counts at all such sizes of
 * one kind of pair are one family of tests, of which at most a share q of those that are
 * named is wrong.  A count a message, in one unit, a pass or a run, is a rate; a test
 * is Student's t of the differences of rates, unit by unit:
 *
 * - with a standard error that is at least that of events which come singly and at
 *   random (Poisson), so that a handful of them, alike in each unit by chance, say
 *   nothing;
 * - corrected by np_adjust_p();
 * - and nothing is named against the interval of the median difference, which assumes
 *   nothing, or that is no more than a tenth, or one in a thousand messages, apart.
 *
 * What is named stands beside the difference in time; it need not be its cause.  A thread
 * that works longer is interrupted more often.
 */
#ifndef NP_CHANGES_H
#define NP_CHANGES_H

#include <stdbool.h>

#include "base/counts.h"

struct np_results;
struct np_table;

struct np_change {
	char name[NP_COUNTER_NAME];
	double base, over; /* a message, means over units */
	double p, adjusted;
	bool clear; /* the units agree, and it is no trifle */
	bool sure;  /* clear, and not by chance */
};

/* A count in one unit, of both: how many, in how many messages, which are above 0. */
struct np_change_unit {
	double base, over;
	double base_messages, over_messages;
};

/* Sets base, over, p and clear; p is NAN where there are too few units, or where nothing
 * was counted at all. */
void np_change_test(const struct np_change_unit *units, size_t count,
		    struct np_change *change);

/* Sets adjusted and sure of all of one family, at q.  Returns 0 or -ENOMEM. */
int np_changes_judge(struct np_change *changes, size_t count, double q);

#endif
