/*
 * output_connection.h - cost of a new connection, for the findings of a result file.
 */
#pragma once

#include <jansson.h>

#include "results/findings.h"

/* Returns an array of one object; empty without an interval. */
json_t *np_json_new_connection(const struct np_new_connection *found);
