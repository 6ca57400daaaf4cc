/*
 * states.h - host states of a run, derived from visits or read from its findings.
 */
#pragma once

#include "report/curves/run.h"

/* Sets run->sentinel and run->states; run->visits must be set.  Clears run->searched_to in
 * a file without visits, whose search results are unknown. */
void np_states_derive(struct np_run *run);
