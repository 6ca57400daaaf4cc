/*
 * sentinel.h - drift and host states, by the size measured at the start of each pass.
 *
 * The host was in two states if the times of the sentinel fall into two groups at least a
 * factor of 1.5 apart (host_state.h), with hardly any between them, even if the
 * core-to-core latency does not show it.  A size whose passes all fell into one state looks
 * like a step or dropout beside another, with a narrow interval.
 */
#pragma once

#include "results/results.h"

struct np_sentinel {
	size_t length; /* bytes */
	/* Last third of the visits over the first third; 0: too few. */
	double drift;
	double apart;	       /* ratio of both states; 1: one state */
	size_t visits, slower; /* all; in the slower state */
};

/* Derives the sentinel of the first run and its first mode, from visits in the usual host
 * state. */
struct np_sentinel np_sentinel_of(const struct np_results *results);
