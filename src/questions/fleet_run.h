/*
 * fleet_run.h - a tournament of hosts or ranks in measured times: of the smallest and of
 * the largest size, each with a fleet of its own (stats/fleet.h), and the looks that
 * follow (fleet_looks.h).
 */
#pragma once

#include "questions/fleet_looks.h"
#include "results/hosts.h"

enum { NP_FLEET_SIZES = 2, NP_FLEET_REASON = 300 };

/* A measurement of two hosts. */
struct np_pair_sample {
	size_t one, other;
	size_t size_count; /* the smallest size, then the largest; 0: not measured */
	size_t bytes[NP_FLEET_SIZES];
	double seconds[NP_FLEET_SIZES]; /* a message */
	double error[NP_FLEET_SIZES];	/* standard error of the logarithm; NAN: unknown */
	unsigned degrees;		/* what error is worth */
	char reason[NP_FLEET_REASON];	/* why not; "": as was said of a host before */
	bool absent;			/* it is all pairs of `one`; other is meaningless */
};

/* Measures pairs of different hosts at once.  Returns 0 or -errno. */
typedef int np_measure_round(void *context, struct np_pair_sample *samples, size_t count);

/* Two hosts that could not be measured, or all pairs of one: other is the same then. */
struct np_fleet_failure {
	size_t one, other;
	char reason[NP_FLEET_REASON];
};

struct np_fleet_run {
	const struct np_host_list *hosts;
	double directions; /* of messages at once: 1, or 2 */
	size_t size_count, bytes[NP_FLEET_SIZES];
	struct np_fleet fleets[NP_FLEET_SIZES];
	struct np_fleet_search searches[NP_FLEET_SIZES];
	size_t *measured; /* pairs of each host */
	size_t pairs;	  /* measured ones */
	size_t rounds;	  /* of the tournament, and of the looks */
	struct np_fleet_failure *failures;
	size_t failure_count;
	double errors[NP_FLEET_SIZES]; /* sums over all pairs, of their number */
	size_t error_count[NP_FLEET_SIZES];
	uint64_t degrees; /* of all pairs together */
};

/* slow: the margin.  Returns 0 or -ENOMEM; np_fleet_run_free() copes with both. */
int np_fleet_run_init(struct np_fleet_run *run, const struct np_host_list *hosts,
		      double slow);
void np_fleet_run_free(struct np_fleet_run *run);

/* Adds a measurement of the tournament.  Returns 0 or -ENOMEM. */
int np_fleet_run_take(struct np_fleet_run *run, const struct np_pair_sample *sample);

/* Finds what is slow among the measurements.  Returns 0 or -ENOMEM. */
int np_fleet_run_judge(struct np_fleet_run *run);

/* The tournament, the judgement, and repeated measurements.  Returns 0 or -errno. */
int np_fleet_run_measure(struct np_fleet_run *run, np_measure_round *measure_round,
			 void *context, uint64_t seed);

/* Whether it is of a host, of which no pair was measured, rather than of a pair. */
bool np_fleet_run_is_of_host(const struct np_fleet_run *run,
			     const struct np_fleet_failure *failure);

/* How many hosts, pairs and groups are slow; pairs that are crowded, too.  Undecided are
 * those of all kinds that seem to be, each size by itself. */
struct np_fleet_counts {
	size_t hosts, pairs, groups, undecided;
};
struct np_fleet_counts np_fleet_run_slow(const struct np_fleet_run *run);

/* Whether a pair is slow or crowded, or slow by a host or a group. */
bool np_fleet_run_is_slow(const struct np_fleet_run *run, size_t size, size_t one,
			  size_t other);

/* Seconds of a host with an ordinary partner, at a size; NAN: none. */
double np_fleet_run_typical(const struct np_fleet_run *run, size_t size, size_t host);

/* Seconds of a pair at a size; NAN: none. */
double np_fleet_run_seconds(const struct np_fleet_run *run, size_t size, size_t one,
			    size_t other);
