/*
 * json_line.h - JSON Lines: writing a line, and values that several lines have.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "results/findings.h"
#include "results/results.h"
#include "results/rows.h"

/* Writes and flushes one line and releases the object; NULL: it could not be built for lack
 * of memory.  Returns 0 or -errno. */
int np_json_write_line(FILE *file, json_t *object, struct np_error *error);

/* Writes a line as np_json_write_line() does, with nine digits of each number. */
int np_json_write_short(FILE *file, json_t *object, struct np_error *error);

/* Returns -errno with the text of a failed write; does not return if the reader of a pipe
 * has gone: the process then ends by SIGPIPE, without a message. */
int np_json_unwritten(int code, struct np_error *error);

/* Converts a number; NaN and infinity, which JSON lacks, become null. */
json_t *np_json_number(double value);

/* Returns the name of a variant; null if the run compares none. */
json_t *np_json_variant(const struct np_results *results, size_t variant);

/* Lists the event counts that differ significantly between both sides of a pair. */
json_t *np_json_changes(const struct np_pair *pair);

/* Lists ranges of neighbouring sizes with one ratio (ranges.h). */
json_t *np_json_ranges(const struct np_pair_range *ranges, size_t count);

/* Adds axis and buffers of a point of a capacity sweep; nothing for NP_AXIS_NONE. */
void np_json_add_sweep(json_t *object, enum np_axis axis, uint64_t buffers);
