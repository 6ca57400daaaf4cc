/*
 * fields.h - fields of a result line, as far as they can be trusted.
 */
#ifndef NP_FIELDS_H
#define NP_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/reading/run.h"

/* Copies a text of less than NP_LABEL bytes; false, and label is as it was, for a longer
 * one, or none. */
bool np_field_label(const json_t *object, const char *name, char *label);

/* A number that is finite and not negative; else NAN. */
double np_field_number(const json_t *object, const char *name);

/* A whole number above 0; else 0. */
uint64_t np_field_whole(const json_t *object, const char *name);

/* A number of bytes, "bytes" or another name; false if it is none. */
bool np_field_length(const json_t *object, const char *name, size_t *length);

#endif
