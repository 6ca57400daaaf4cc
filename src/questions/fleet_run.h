/*
 * fleet_run.h - a round-robin tournament of hosts or ranks, then repeated measurements of
 * suspects.
 *
 * The smallest and the largest size each have a fleet (stats/fleet.h) and a search for slow
 * pairs. Pairs of a round are measured at once, so others may have slowed a pair down.
 * Suspects, the pairs that stand out, are measured again: while there are many, with as
 * many at once as possible; then alone, in turn with ordinary pairs.  A pair is slow if it
 * is slower than these by more than the margin (stats/sequential.h).  A pair that is not
 * slow alone is measured in its round again: if it is slow there, the other pairs of the
 * round slow it down: crowded.
 */
#pragma once

#include <stdint.h>

#include "results/hosts.h"
#include "stats/fleet.h"

/* A measurement of two hosts; log: logarithm of the time, NAN if it failed. */
struct np_fleet_timing {
	size_t one, other;
	double log;
};

/* Measures pairs of disjoint hosts at once.  Returns 0 or -errno. */
typedef int np_fleet_measure(void *context, struct np_fleet_timing *timings, size_t count);

enum np_fleet_outcome {
	NP_FLEET_SLOW,	    /* slow when measured alone */
	NP_FLEET_CROWDED,   /* slow only while other pairs are measured */
	NP_FLEET_BY_CHANCE, /* slow in neither case */
	NP_FLEET_UNDECIDED,
	NP_FLEET_UNSEEN, /* too many suspects to be measured alone */
	NP_FLEET_OUTCOMES
};

struct np_fleet_suspect {
	struct np_fleet_pair pair; /* with its residual in the tournament */
	enum np_fleet_outcome outcome;
	/* Log ratio of times, this pair over ordinary pairs, with interval; NAN: unknown.
	 */
	double slower, low, high;
	size_t repeats;
};

struct np_fleet_search {
	np_fleet_measure *measure;
	void *context;
	uint64_t seed;
	size_t rounds_most; /* limit, beyond which suspects stay undecided; 0: none */
	/* Results. */
	struct np_fleet_suspect *suspects;
	size_t suspect_count;
	size_t rounds; /* number of calls of measure */
};

/* Limit of rounds for the suspects of one size: 12 tournaments, in which each pair would be
 * measured 12 times. */
size_t np_fleet_rounds_most(size_t hosts);

/* Measures each pair once, in rounds of disjoint pairs, and sets the logarithms of the
 * fleet.  Returns 0 or -errno. */
int np_fleet_tournament(struct np_fleet_search *search, struct np_fleet *fleet);

/* Measures the suspects of a fitted fleet again.  Returns 0 or -errno. */
int np_fleet_remeasure(struct np_fleet_search *search, const struct np_fleet *fleet);

/* Adds a suspect measured by another process.  Returns 0 or -ENOMEM. */
int np_fleet_search_add(struct np_fleet_search *search,
			const struct np_fleet_suspect *suspect);

void np_fleet_search_free(struct np_fleet_search *search);

/* "slow", "crowded", "chance", "undecided", "unseen". */
const char *np_fleet_outcome_name(enum np_fleet_outcome outcome);

enum { NP_FLEET_SIZES = 2, NP_FLEET_REASON = 300 };

/* Measurement of two hosts at each size. */
struct np_pair_sample {
	size_t one, other;
	size_t size_count; /* smallest size, then largest; 0: not measured */
	size_t bytes[NP_FLEET_SIZES];
	double seconds[NP_FLEET_SIZES]; /* of a message */
	double error[NP_FLEET_SIZES];	/* standard error of the logarithm; NAN: unknown */
	unsigned degrees;		/* degrees of freedom of error */
	char reason[NP_FLEET_REASON];	/* why not measured; "": already reported for a host
					 */
	bool absent; /* reason holds for all pairs of `one`; `other` is unused */
};

/* Measures pairs of different hosts at once.  Returns 0 or -errno. */
typedef int np_measure_round(void *context, struct np_pair_sample *samples, size_t count);

/* Two hosts that could not be measured; equal if all pairs of a host could not. */
struct np_fleet_failure {
	size_t one, other;
	char reason[NP_FLEET_REASON];
};

struct np_fleet_run {
	const struct np_host_list *hosts;
	double directions; /* directions that carry messages at once: 1 or 2 */
	size_t size_count, bytes[NP_FLEET_SIZES];
	struct np_fleet fleets[NP_FLEET_SIZES];
	struct np_fleet_search searches[NP_FLEET_SIZES];
	size_t *measured; /* number of measured pairs, by host */
	size_t pairs;	  /* number of measured pairs */
	size_t rounds;	  /* rounds of the tournament and of the search for slow pairs */
	struct np_fleet_failure *failures;
	size_t failure_count;
	double errors[NP_FLEET_SIZES]; /* sum of the standard errors of pairs */
	size_t error_count[NP_FLEET_SIZES];
	uint64_t degrees; /* sum of the degrees of freedom of pairs */
};

/* slow: margin, as a ratio above 1.  Returns 0 or -ENOMEM; np_fleet_run_free() copes with
 * both. */
int np_fleet_run_init(struct np_fleet_run *run, const struct np_host_list *hosts,
		      double slow);
void np_fleet_run_free(struct np_fleet_run *run);

/* Adds a measurement of the tournament, or a failure.  Returns 0 or -ENOMEM. */
int np_fleet_run_take(struct np_fleet_run *run, const struct np_pair_sample *sample);

/* Estimates and tests hosts and groups at each size (np_fleet_fit()).  Returns 0 or
 * -ENOMEM. */
int np_fleet_run_judge(struct np_fleet_run *run);

/* Measures the tournament, judges it, and measures suspects again.  Returns 0 or -errno. */
int np_fleet_run_measure(struct np_fleet_run *run, np_measure_round *measure_round,
			 void *context, uint64_t seed);

/* Returns true if a failure concerns a host, which has no measured pair, rather than a
 * pair. */
bool np_fleet_run_is_of_host(const struct np_fleet_run *run,
			     const struct np_fleet_failure *failure);

/* Numbers of slow hosts, of slow or crowded pairs, and of slow groups; undecided: hosts,
 * pairs and groups, counted once per size. */
struct np_fleet_counts {
	size_t hosts, pairs, groups, undecided;
};
struct np_fleet_counts np_fleet_run_slow(const struct np_fleet_run *run);

/* Returns true if a pair is slow or crowded, or if one of its hosts or groups is slow. */
bool np_fleet_run_is_slow(const struct np_fleet_run *run, size_t size, size_t one,
			  size_t other);

/* Seconds of a message between a host and an ordinary partner; NAN if not measured. */
double np_fleet_run_typical(const struct np_fleet_run *run, size_t size, size_t host);

/* Seconds of a message of a pair; NAN if not measured. */
double np_fleet_run_seconds(const struct np_fleet_run *run, size_t size, size_t one,
			    size_t other);
