/*
 * fields.h - labels, and validated fields of a JSON line: a file may contain anything.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the label of an operation, mode or variant, with its terminating zero. */
enum { NP_LABEL = 128 };

/* Replaces all but printable ASCII by "?": labels come from files and go to terminals,
 * pages and scripts. */
void np_label_clean(char *label);

/* Copies a string of less than NP_LABEL bytes; false, and label unchanged, if it is longer
 * or missing. */
bool np_field_label(const json_t *object, const char *name, char *label);

/* A finite number not below 0; else NAN. */
double np_field_number(const json_t *object, const char *name);

/* A positive integer; else 0. */
uint64_t np_field_whole(const json_t *object, const char *name);

/* An integer not below 0, in bytes; false otherwise. */
bool np_field_length(const json_t *object, const char *name, size_t *length);

/* True for 1e-12 to 1e9 s, the range that axes and sums are made for. */
bool np_time_is_valid(double seconds);
