/*
 * changes_find.h - counts that differ, for the pairs of a table.
 */
#pragma once

#include "results/rows.h"

/* Sets the changes of a table's pairs, whose verdicts are known.  Returns 0 or -ENOMEM. */
int np_changes_find(const struct np_results *results, struct np_table *table);
