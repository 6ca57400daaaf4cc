/*
 * pairs.h - ratios of visits and of rows.
 */
#ifndef NP_PAIRS_H
#define NP_PAIRS_H

#include "results/rows.h"

/* Pairs of the rows that nobody has judged, among them those of the control.  Returns 0
 * or -ENOMEM. */
int np_table_pairs(const struct np_results *results, struct np_table *table);

/* True for rotate over reuse, which is what -I is about. */
bool np_pair_is_rotation(const struct np_pair *pair);

/* True for a mode over another, false for a variant over the first. */
bool np_pair_is_of_modes(const struct np_pair *pair);

/* What is over what: "rotate/reuse", "event/poll". */
void np_pair_name(const struct np_results *results, const struct np_pair *pair, char *text,
		  size_t size);

/* Whether one mode and variant of a size is set against another: a mode over reuse,
 * fresh over rotate, a variant over the first; but not what --why takes apart. */
bool np_pair_is_wanted(enum np_mode mode, size_t variant, enum np_mode base_mode,
		       size_t base_variant);

/* How many times as long it took in one visit as in the other of the same serial:
 * the median over pairs of blocks; NAN of no blocks. */
double np_visit_ratio(const struct np_visit *base, const struct np_visit *over);

#endif
