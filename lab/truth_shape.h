/*
 * truth_shape.h - what the summary of a run names, held against what is planted.
 */
#pragma once

#include "truth_read.h"

/* How many of its steps and dropouts are right, and whether all of a run are. */
void truth_judge_shape(const struct truth *truth, const json_t *lines);
