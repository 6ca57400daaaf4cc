/*
 * pairs_prove.h - the verdicts of pairs.
 */
#ifndef NP_PAIRS_PROVE_H
#define NP_PAIRS_PROVE_H

#include "results/rows.h"

/* Gives pairs their controls and verdicts, each kind of pair by itself over all sizes,
 * and takes out those of the control mode.  If their causes are asked for beside, the
 * pairs have half of what may be wrong, and their adjusted chances are twice as large; the
 * axes of a sweep divide it.  Returns 0 or -ENOMEM. */
int np_pairs_prove(struct np_table *table, bool causes_beside);

#endif
