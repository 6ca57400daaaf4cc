/*
 * changes.h - counts that differ between two modes or variants whose times differ.
 *
 * Counts are tested only where the times differ significantly; all counts at all such
 * sizes of one kind of pair are one family of tests, with a false discovery rate of q.  A
 * count per message in one unit, a pass or a run, is a rate; a test is Student's t of the
 * differences of rates, paired by unit:
 *
 * - the standard error is at least that of independent events (Poisson): a few events,
 *   equal in each unit by chance, are not significant;
 * - p is corrected by np_adjust_p();
 * - a count is reported only if the nonparametric interval of the median difference
 *   agrees, and if the difference is above a tenth and above one in a thousand messages.
 *
 * A count that differs need not be the cause of the difference in time: a thread that
 * works longer is interrupted more often.
 */
#pragma once

#include <stdbool.h>

#include "base/facts.h"

struct np_results;
struct np_table;

struct np_change {
	char name[NP_COUNTER_NAME];
	double base, over; /* per message, means over units */
	double p, adjusted;
	bool clear; /* interval of the median excludes 0, effect above the minimum */
	bool sure;  /* clear and significant */
};

/* A count in one unit, for base and over; messages are above 0. */
struct np_change_unit {
	double base, over;
	double base_messages, over_messages;
};

/* Sets base, over, p and clear; p is NAN if there are too few units or no counts. */
void np_change_test(const struct np_change_unit *units, size_t count,
		    struct np_change *change);

/* Sets adjusted and sure of a family of tests, at false discovery rate q.  Returns 0 or
 * -ENOMEM. */
int np_changes_judge(struct np_change *changes, size_t count, double q);

/* Sets the changes of a table's pairs, whose verdicts are known.  Returns 0 or -ENOMEM. */
int np_changes_find(const struct np_results *results, struct np_table *table);
