/*
 * analyses.h - what each curve of a run shows, for text and pictures.
 */
#pragma once

#include "curve/analysis.h"
#include "report/curves/run.h"
#include "results/limit.h"

/* Analyses all series of a run, in their order; the caller frees with np_analyses_free().
 * NULL and an error without memory. */
struct np_analysis *np_analyse_run(const struct np_run *run, struct np_error *error);
void np_analyses_free(struct np_analysis *analyses, size_t count);
