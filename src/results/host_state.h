/*
 * host_state.h - which visits were measured in another host state than most of the run, by
 * the core-to-core latency.
 *
 * The usual state is the range of a factor of 2 that holds the most visits.  A visit is of
 * another state if the latency before it lies beyond a factor of 2 of the usual one; or the
 * latency after it, which is the one before the next visit: the state changed meanwhile.
 * Visits in another state are in no row that has some in the usual one (rows.c).
 */
#pragma once

#include "results/results.h"

/* Sets other_state in all visits so far. */
void np_mark_host_states(struct np_results *results);

struct np_host_states {
	double usual_ns, other_ns; /* median latency of either; 0: no visit was probed */
	size_t visits, other, redone;
};

/* The states of visits that are marked. */
struct np_host_states np_host_states_of(const struct np_results *results);
