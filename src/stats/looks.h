/*
 * looks.h - interim analyses that end the measurement of a size when its interval is narrow
 * enough, and the level of such intervals that keeps 95 % coverage.
 *
 * Stopping at a narrow interval selects intervals that are narrow by chance: at a level of
 * 95 %, with looks after 6, 9, 12 ... units, intervals covered the median in 90 to 93 %.
 * Hence few and late looks and a higher level; bench/stopping.c simulates the coverage
 * (doc/results.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Units before the first look. */
enum { NP_LOOK_FIRST = 8 };

/* True if a look is due after `passes` passes: the first at the greater of NP_LOOK_FIRST
 * and `least`, each further one after a third more. */
bool np_look_is_due(unsigned passes, unsigned least);

/*
 * Level of an interval over `units` units that covers the median in at least 95 % of cases;
 * looked: measurement may have ended because the interval was narrow.
 */
double np_look_level(size_t units, bool looked);
