/*
 * pairs.h - ratios of rows, for rows.c, and for whoever gathers visits otherwise.
 */
#ifndef NP_PAIRS_H
#define NP_PAIRS_H

#include "results/rows.h"

/*
 * Fills table->pairs from its rows, which are there already; visits[begins[i] ..
 * begins[i + 1]) are those of row i, sorted by unit.  Returns 0 or -ENOMEM.
 */
int np_pairs_derive(const struct np_results *results, struct np_visit *const *visits,
		    const size_t *begins, struct np_table *table);

/* Whether one mode and variant of a size is set against another: an mode over reuse,
 * fresh over rotate, a variant over the first; but not what --why takes apart. */
bool np_pair_is_wanted(enum np_mode mode, size_t variant, enum np_mode base_mode,
		       size_t base_variant);

/* Gives pairs their nulls and verdicts, each kind of pair by itself over all sizes,
 * and takes out those of the null mode.  If their causes are asked for beside, the pairs
 * have half of what may be wrong, and their adjusted chances are twice as large; the axes
 * of a sweep divide it.  Returns 0 or -ENOMEM. */
int np_pairs_prove(struct np_table *table, bool causes_beside);

/* Whether two pairs are of the same modes and variants, at different sizes. */
bool np_pair_same_kind(const struct np_pair *a, const struct np_pair *b);

/* Whether no pair before it is of its kind: what is done for a kind begins there. */
bool np_pair_is_first(const struct np_table *table, size_t index);

/* How many times as long it took in one visit as in the other of the same serial:
 * the median over pairs of blocks; NAN of no blocks. */
double np_visit_ratio(const struct np_results *results, const struct np_visit *base,
		      const struct np_visit *over);

#endif
