/*
 * host_state.h - which visits were measured in another host state than most of the run, by
 * the core-to-core latency.
 *
 * The usual state is the range of a factor of 1.5 that holds the most visits.  A visit is
 * of another state if the latency before it lies beyond a factor of 1.5 of the usual one;
 * or the latency after it, which is the one before the next visit: the state changed
 * meanwhile. Visits in another state are in no row that has some in the usual one (rows.c).
 */
#pragma once

#include <stdbool.h>

#include "base/facts.h"
#include "results/results.h"

/* Times of two states differ by this factor at least. */
extern const double np_states_apart;

/* Sets other_state in all visits so far. */
void np_mark_host_states(struct np_results *results);

/* Whether a core-to-core latency is of another state than the usual one; of latencies or
 * states that are not known (0) it is not. */
bool np_is_other_state(double core_latency_ns, double usual_ns);

/* The usual state against the bounds of the results. */
enum np_state_seen { NP_STATE_EXPECTED, NP_STATE_SLOWER, NP_STATE_FASTER };

struct np_host_states {
	double usual_ns, other_ns; /* median latency of either; 0: no visit was probed */
	size_t visits, other, redone;
	enum np_state_seen seen; /* expected, too, where nothing is known */
};

/* The states of visits that are marked. */
struct np_host_states np_host_states_of(const struct np_results *results);

/* Bounds to facts of the client's host, which go into the header of result files; and
 * back. */
void np_latency_bounds_tell(const struct np_latency_bounds *bounds, struct np_facts *facts);
struct np_latency_bounds np_latency_bounds_of(const struct np_facts *facts);

/* Replaces bounds by those of an earlier run, in a file: of the same state, within a factor
 * of 1.5.  But a run beyond them was in a slower state itself: they stay, and say so. */
void np_latency_bounds_refer(struct np_latency_bounds *bounds, double usual_ns,
			     const char *file);
