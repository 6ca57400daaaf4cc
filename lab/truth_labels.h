/*
 * truth_labels.h - the names that a capacity sweep gives to knees, held against what is
 * planted.
 */
#pragma once

#include "truth_read.h"

void truth_judge_labels(const struct truth *truth, json_t *lines);
