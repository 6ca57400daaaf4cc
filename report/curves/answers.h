/*
 * answers.h - results of --capacity and --refine, derived from the visits of a file.
 */
#pragma once

#include "report/curves/run.h"

/* Sets run->capacity and run->refined.  Returns 0 or -ENOMEM. */
int np_answers_derive(struct np_run *run);
