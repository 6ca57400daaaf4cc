/*
 * truth_labels.h - the names that a capacity sweep gives to knees, held against what is
 * planted.
 */
#ifndef BENCH_TRUTH_LABELS_H
#define BENCH_TRUTH_LABELS_H

#include "truth_read.h"

void truth_judge_labels(const struct truth *truth, json_t *lines);

#endif
