/*
 * fleet_looks.h - a tournament of all pairs, then repeated measurements of pairs that stand
 * out.
 *
 * Pairs of a round are measured at once, so others may have slowed a pair down.  Suspects,
 * the pairs that stand out, are measured again: while there are many, with as many at once
 * as possible; then alone, in turn with ordinary pairs.  A pair is slow if it is slower
 * than these by more than the margin (stats/sequential.h).  A pair that is not slow alone
 * is measured in its round again: if it is slow there, the others crowd it.
 */
#pragma once

#include <stdint.h>

#include "stats/fleet_judge.h"

/* A measurement of two hosts; log: logarithm of the time, NAN if it failed. */
struct np_fleet_timing {
	size_t one, other;
	double log;
};

/* Measures pairs of disjoint hosts at once.  Returns 0 or -errno. */
typedef int np_fleet_measure(void *context, struct np_fleet_timing *timings, size_t count);

enum np_fleet_outcome {
	NP_FLEET_SLOW,	    /* even alone */
	NP_FLEET_CROWDED,   /* only beside others */
	NP_FLEET_BY_CHANCE, /* neither alone nor beside others */
	NP_FLEET_UNDECIDED,
	NP_FLEET_UNSEEN, /* too many suspects to be measured alone */
	NP_FLEET_OUTCOMES
};

struct np_fleet_suspect {
	struct np_fleet_pair pair; /* with its residual in the tournament */
	enum np_fleet_outcome outcome;
	double slower, low, high; /* than ordinary pairs, as a logarithm; NAN: unknown */
	size_t repeats;
};

struct np_fleet_search {
	np_fleet_measure *measure;
	void *context;
	uint64_t seed;
	size_t rounds_most; /* then open suspects stay undecided; 0: no limit */
	/* Results. */
	struct np_fleet_suspect *suspects;
	size_t suspect_count;
	size_t rounds; /* number of calls of measure */
};

/* Limit of rounds for the suspects of one size: as many as measure each host 12 times. */
size_t np_fleet_rounds_most(size_t hosts);

/* Measures all rounds of the tournament.  Returns 0 or -errno. */
int np_fleet_tournament(struct np_fleet_search *search, struct np_fleet *fleet);

/* Measures the suspects of a fitted fleet again.  Returns 0 or -errno. */
int np_fleet_remeasure(struct np_fleet_search *search, const struct np_fleet *fleet);

/* Adds a suspect measured by another process.  Returns 0 or -ENOMEM. */
int np_fleet_search_add(struct np_fleet_search *search,
			const struct np_fleet_suspect *suspect);

void np_fleet_search_free(struct np_fleet_search *search);

/* "slow", "crowded", "chance", "undecided", "unseen". */
const char *np_fleet_outcome_name(enum np_fleet_outcome outcome);
