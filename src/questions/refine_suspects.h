/*
 * refine_suspects.h - in which gaps the passes show a step, or exclude one: where --refine
 * searches first, and where not at all.
 */
#pragma once

#include "questions/steps.h"
#include "results/results.h"

/* Sets the evidence of the passes for a step in each gap between neighbouring sizes, for a
 * mode, or for its ratio to base.  suspicion has `count` elements.  Returns 0 or -ENOMEM.
 */
int np_refine_suspect(const struct np_results *results, const size_t *sizes, size_t count,
		      enum np_mode mode, const enum np_mode *base,
		      struct np_suspicion *suspicion);
