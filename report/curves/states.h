/*
 * states.h - host states of a run: derived from the visits of its file, or as its findings
 * tell them.
 */
#pragma once

#include "report/curves/run.h"

/* Sets run->sentinel and run->states, once run->visits is known.  Of a file without visits
 * run->searched_to becomes 0: no one knows what the search found. */
void np_states_derive(struct np_run *run);
