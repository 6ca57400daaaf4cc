/*
 * pairs_prove.h - controls and verdicts of pairs.
 */
#pragma once

#include "results/rows.h"

/*
 * Sets controls, verdicts and ranges of sizes, for each kind of pair over all sizes, and
 * drops the pairs of the control.  With --why pairs have half of the false discovery rate,
 * and their adjusted p is doubled; the axes of a sweep divide the rate.  margin is the one
 * of "same"; looked: see proof.h.  Returns 0 or -ENOMEM.
 */
int np_pairs_prove(struct np_table *table, bool causes_beside, bool looked, double margin);
