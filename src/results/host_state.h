/*
 * host_state.h - host states of a run, by the core-to-core latency probed before each
 * visit.
 *
 * The usual state is the range of a factor of 1.5 that holds the most visits.  A visit is
 * in another state if the latency before or after it lies beyond a factor of 1.5 of the
 * usual one; the latency after it is the one before the next visit.  A row uses visits in
 * another state only if it has no others (rows.c).
 *
 * The sentinel, the size measured at the start of each pass, shows further host states, of
 * the same core-to-core latency: its times fall into two groups at least a factor of 1.5
 * apart, with hardly any between them.  A size whose passes all fell into one state looks
 * like a step or dropout beside another, with a narrow interval.
 */
#pragma once

#include <stdbool.h>

#include "base/facts.h"
#include "results/results.h"

/* Sets other_state in all visits so far. */
void np_mark_host_states(struct np_results *results);

/* Returns whether a core-to-core latency is outside the usual state; false if either is
 * unknown (0). */
bool np_is_other_state(double core_latency_ns, double usual_ns);

/* Usual state compared with the bounds of the results. */
enum np_state_seen { NP_STATE_EXPECTED, NP_STATE_SLOWER, NP_STATE_FASTER };

struct np_host_states {
	double usual_ns, other_ns; /* medians, usual state and others; 0: not probed */
	size_t visits, other, redone;
	enum np_state_seen seen; /* NP_STATE_EXPECTED, too, without bounds or probes */
};

/* Summarizes the states of marked visits. */
struct np_host_states np_host_states_of(const struct np_results *results);

/* Converts bounds to facts of the client's host, which the header of result files has; and
 * back. */
void np_latency_bounds_to_facts(const struct np_latency_bounds *bounds,
				struct np_facts *facts);
struct np_latency_bounds np_latency_bounds_from_facts(const struct np_facts *facts);

/* Replaces bounds by a factor of 1.5 around the usual latency of an earlier run, unless
 * that run was itself slower than the bounds: then only the source mentions it. */
void np_latency_bounds_refer(struct np_latency_bounds *bounds, double usual_ns,
			     const char *file);

struct np_sentinel {
	size_t length; /* bytes */
	/* Last third of the visits over the first third; 0: too few. */
	double drift;
	double state_ratio;    /* ratio of both states; 1: one state */
	size_t visits, slower; /* all; in the slower state */
};

/* Derives the sentinel of the first run and its first mode, from visits in the usual host
 * state. */
struct np_sentinel np_sentinel_of(const struct np_results *results);
