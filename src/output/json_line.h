/*
 * json_line.h - what the writers of result lines share.
 */
#ifndef NP_JSON_LINE_H
#define NP_JSON_LINE_H

#include <jansson.h>
#include <stdio.h>

#include "results/results.h"

/* Writes one line, flushes it and gives the object back.  A NULL object is a lack
 * of memory somewhere while it was built.  Returns 0 or -errno. */
int np_json_write_line(FILE *file, json_t *object, struct np_error *error);

/* JSON has no NaN and no infinity: what there is no number for is null. */
json_t *np_json_number(double value);

/* The name of what is compared; null where nothing is. */
json_t *np_json_variant(const struct np_results *results, size_t variant);

/* Adds where on a capacity sweep a line belongs; of none, nothing is said. */
void np_json_add_sweep(json_t *object, enum np_axis axis, uint64_t buffers);

#endif
