/*
 * capacity_explain.h - the sizes that a knee agrees with, and its cause.
 */
#pragma once

#include "questions/capacity.h"

/* Sets label, cause and verdict of each knee, and the state of each expected size.  Adds
 * the knee of a capacity that only other axes show.  Returns 0 or -ENOMEM. */
int np_capacity_explain(struct np_capacity *capacity);
