/*
 * output_connection.h - what a new connection costs, for the findings of a result file.
 */
#pragma once

#include <jansson.h>

#include "results/findings.h"

/* An array of one object; empty without an interval.  NULL: no memory. */
json_t *np_json_new_connection(const struct np_new_connection *found);
