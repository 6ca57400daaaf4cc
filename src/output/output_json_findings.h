/*
 * output_json_findings.h - the findings of a run as a result line: netpong-results(5).
 */
#pragma once

#include <jansson.h>

#include "results/findings.h"

/* Builds the line of findings.  reason: why the run ended early, or NULL.  Returns NULL
 * without memory. */
json_t *np_json_findings(const struct np_results *results, const struct np_findings *found,
			 const struct np_error *reason);
