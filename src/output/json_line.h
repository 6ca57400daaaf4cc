/*
 * json_line.h - JSON Lines: writes and reads a record by the table of its fields, and
 * writes a line.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "output/json_kinds.h"
#include "results/findings.h"
#include "results/results.h"
#include "results/rows.h"

/* Converts a record to an object, with null for what its writer sets.  results: of OP,
 * VARIANT and UNITS; else NULL.  NULL without memory. */
json_t *np_json_record(const struct np_field *fields, const void *record,
		       const struct np_results *results);

/* Reads members of a record.  A value that is missing or wrong becomes NAN, 0, "" or the
 * number of words.  Returns the name of the first such field that has to be there, or
 * NULL. */
const char *np_json_read_record(const struct np_field *fields, const json_t *object,
				void *record);

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
