/*
 * capacity_explain.h - what a knee agrees with, and what it comes from.
 */
#ifndef NP_CAPACITY_EXPLAIN_H
#define NP_CAPACITY_EXPLAIN_H

#include "questions/capacity.h"

/* Says of each knee what it agrees with, what it comes from and why; and of each expected
 * size whether it was found. */
void np_capacity_explain(struct np_capacity *capacity);

/* "cache", "translation", "registration", "unknown". */
const char *np_knee_cause_name(enum np_knee_cause cause);

#endif
