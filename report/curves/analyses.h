/*
 * analyses.h - breaks, segments and lines of each curve of a run.
 */
#pragma once

#include "curve/analysis.h"
#include "report/curves/run.h"
#include "results/limit.h"

/* Returns an analysis of each series, in their order, to be freed with np_analyses_free();
 * NULL and an error without memory. */
struct np_analysis *np_analyse_run(const struct np_run *run, struct np_error *error);
void np_analyses_free(struct np_analysis *analyses, size_t count);
