/*
 * truth_knees.h - knees of a capacity sweep, held against the capacities that are planted.
 */
#pragma once

#include "truth_read.h"

void truth_judge_knees(const struct truth *truth, json_t *lines, double least_effect);

/* Returns whether the sweep has numbers of buffers on both sides of a capacity, on its own
 * axis. */
bool truth_is_reached(json_t *lines, const struct planted *planted);

/* Returns whether two capacities of one unit are at most one step of the sweep apart. */
bool truth_is_one_knee(json_t *lines, const struct planted *one,
		       const struct planted *other);

/* Returns whether a knee is within one step of the sweep of a capacity, on the axis of the
 * knee. */
bool truth_knee_is(json_t *lines, const json_t *knee, const struct planted *planted);

/* How many times as long a message takes that misses a capacity. */
double truth_share_of(const struct truth *truth, const struct planted *planted);
