/*
 * pairs.h - ratios of rows, for rows.c alone.
 */
#ifndef NP_PAIRS_H
#define NP_PAIRS_H

#include "rows.h"

/*
 * Fills table->pairs from its rows, which are there already; visits[begins[i] ..
 * begins[i + 1]) are those of row i, sorted by unit.  Returns 0 or -ENOMEM.
 */
int np_pairs_derive(const struct np_results *results, struct np_visit *const *visits,
		    const size_t *begins, struct np_table *table);

#endif
