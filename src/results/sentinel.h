/*
 * sentinel.h - what the size that is measured at the start of each pass says of a run.
 *
 * Where its times fall into two groups that are a factor of 1.5 and more apart, as host
 * states are (host_state.h), with hardly any between them, the host was in two states,
 * whether or not the core-to-core latency shows them.  A size whose passes all fell into
 * one of them looks like a step or dropout beside another, as certain as its interval is
 * narrow.
 */
#pragma once

#include "results/results.h"

struct np_sentinel {
	size_t length; /* bytes */
	/* Last third of the visits over the first third; 0: too few. */
	double drift;
	double apart;	       /* the slower state over the other; 1: there is one */
	size_t visits, slower; /* all; those in the slower state */
};

/* Of the first run and its first mode, and of visits in the usual host state. */
struct np_sentinel np_sentinel_of(const struct np_results *results);
