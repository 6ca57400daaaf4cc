/*
 * pairs.h - ratios of visits and of rows.
 */
#ifndef NP_PAIRS_H
#define NP_PAIRS_H

#include "results/rows.h"

/* Whether one mode and variant of a size is set against another: an mode over reuse,
 * fresh over rotate, a variant over the first; but not what --why takes apart. */
bool np_pair_is_wanted(enum np_mode mode, size_t variant, enum np_mode base_mode,
		       size_t base_variant);

/* Gives pairs their controls and verdicts, each kind of pair by itself over all sizes,
 * and takes out those of the control mode.  If their causes are asked for beside, the
 * pairs have half of what may be wrong, and their adjusted chances are twice as large; the
 * axes of a sweep divide it.  Returns 0 or -ENOMEM. */
int np_pairs_prove(struct np_table *table, bool causes_beside);

/* How many times as long it took in one visit as in the other of the same serial:
 * the median over pairs of blocks; NAN of no blocks. */
double np_visit_ratio(const struct np_visit *base, const struct np_visit *over);

#endif
