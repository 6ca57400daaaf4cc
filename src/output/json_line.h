/*
 * json_line.h - JSON Lines: writing a line, and values that several lines have.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "results/findings.h"
#include "results/results.h"
#include "results/rows.h"

/* Writes and flushes one line and releases the object; NULL stands for a lack of memory
 * while it was built.  Returns 0 or -errno. */
int np_json_write_line(FILE *file, json_t *object, struct np_error *error);

/* The same with nine digits of a number, where there are very many. */
int np_json_write_short(FILE *file, json_t *object, struct np_error *error);

/* A number; null for NaN and infinity, which JSON lacks. */
json_t *np_json_number(double value);

/* The name of a variant; null if the run compares none. */
json_t *np_json_variant(const struct np_results *results, size_t variant);

/* The counts of a pair that differ significantly. */
json_t *np_json_changes(const struct np_pair *pair);

/* Ranges of sizes in which one ratio holds. */
json_t *np_json_ranges(const struct np_pair_range *ranges, size_t count);

/* Adds the point of a capacity sweep; nothing for NP_AXIS_NONE. */
void np_json_add_sweep(json_t *object, enum np_axis axis, uint64_t buffers);
