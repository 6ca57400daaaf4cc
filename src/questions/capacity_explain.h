/*
 * capacity_explain.h - the sizes that a knee agrees with, and its cause.
 */
#ifndef NP_CAPACITY_EXPLAIN_H
#define NP_CAPACITY_EXPLAIN_H

#include "questions/capacity.h"

/* Sets label, cause and verdict of each knee, and whether each expected size was found. */
void np_capacity_explain(struct np_capacity *capacity);

/* "cache", "translation", "registration", "unknown". */
const char *np_knee_cause_name(enum np_knee_cause cause);

#endif
