/*
 * looks.h - when the width of an interval is looked at, to end the measurement of a size
 * whose interval is narrow enough; and at which level intervals are taken so that they hold
 * the median in 95 % of cases all the same.
 *
 * To stop when an interval is narrow is to stop more often when it is narrow by chance: at
 * a level of 95 %, looked at after 6, 9, 12 ... units, an interval held the median in 90 to
 * 93 %.  Hence few looks, late, and a higher level: bench/stopping.c counts what that gives
 * (doc/results.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Before so many units nothing is looked at. */
enum { NP_LOOK_FIRST = 8 };

/* Whether a look is due after so many passes: at NP_LOOK_FIRST or, if that is more, at
 * `least`, and then each time that a third has been added. */
bool np_look_is_due(unsigned passes, unsigned least);

/*
 * The level of an interval over so many units that is to hold the median in at least 95 %
 * of cases; looked: measuring may have ended because it is narrow.
 */
double np_look_level(size_t units, bool looked);
