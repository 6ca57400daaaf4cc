/*
 * output_json_findings.h - the findings of a run as a result line: netpong-results(5).
 */
#pragma once

#include <jansson.h>

#include "results/findings.h"

/* Reason: why the run is not complete; NULL: it is.  NULL: no memory. */
json_t *np_json_findings(const struct np_results *results, const struct np_findings *found,
			 const struct np_error *reason);
