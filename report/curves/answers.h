/*
 * answers.h - what a run was asked beside curves, said again from its visits: the
 * capacities of a sweep, and the steps of --refine.
 */
#ifndef NP_ANSWERS_H
#define NP_ANSWERS_H

#include "report/curves/run.h"

/* Fills in run->capacity and run->refined.  Returns 0 or -ENOMEM. */
int np_answers_derive(struct np_run *run);

#endif
