/*
 * findings_costs.h - costs of modes over all sizes.
 */
#pragma once

#include "results/findings.h"

/* Fills found->costs from the table's pairs. */
void np_findings_costs(const struct np_table *table, struct np_findings *found);

/* Number of sizes with this verdict, over all modes. */
size_t np_findings_verdicts(const struct np_findings *findings, enum np_verdict verdict);

/* Implements --fail-on slower.  Returns -EDOM with NP_ERROR_VERDICT if a mode is slower
 * than its base at any size; else 0. */
int np_findings_fail(const struct np_findings *findings, struct np_error *error);
