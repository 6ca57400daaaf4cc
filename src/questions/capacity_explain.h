/*
 * capacity_explain.h - the sizes that a knee agrees with, and its cause.
 */
#ifndef NP_CAPACITY_EXPLAIN_H
#define NP_CAPACITY_EXPLAIN_H

#include "questions/capacity.h"

/* Sets label, cause and verdict of each knee, and whether each expected size was found.
 * Adds the knee of a capacity that only other axes show.  Returns 0 or -ENOMEM. */
int np_capacity_explain(struct np_capacity *capacity);

#endif
