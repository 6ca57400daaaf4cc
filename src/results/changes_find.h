/*
 * changes_find.h - the counts that changed, of the pairs of a table.
 */
#ifndef NP_CHANGES_FIND_H
#define NP_CHANGES_FIND_H

#include "results/rows.h"

/* Gives the pairs of a table, whose verdicts are known, their changes.  Returns 0 or
 * -ENOMEM. */
int np_changes_find(const struct np_results *results, struct np_table *table);

#endif
