/*
 * fleet_looks.h - measures a fleet: a tournament of all pairs, then further looks at the
 * pairs that stand out, until each is slow, or is not.
 *
 * Pairs of a round are measured at once, so a pair may have been slow because of the
 * others. Those that stand out are measured again, if they are many as often as it takes
 * until few do; these are measured alone, in turn with ordinary pairs, and a pair is slow
 * if it is slower than those by more than the margin (stats/sequential.h).  One that is not
 * slow alone is measured in its round again: if it is slow there, the others crowd it.
 */
#pragma once

#include <stdint.h>

#include "stats/fleet_judge.h"

/* Two hosts to be measured; log: the logarithm of their time, NAN if it cannot be known. */
struct np_fleet_timing {
	size_t one, other;
	double log;
};

/* Measures pairs of different hosts at once.  Returns 0 or -errno. */
typedef int np_fleet_measure(void *context, struct np_fleet_timing *timings, size_t count);

enum np_fleet_outcome {
	NP_FLEET_SLOW,	    /* alone, too */
	NP_FLEET_CROWDED,   /* beside others only */
	NP_FLEET_BY_CHANCE, /* neither alone nor beside others */
	NP_FLEET_UNDECIDED,
	NP_FLEET_UNSEEN, /* more stand out than are looked at alone */
	NP_FLEET_OUTCOMES
};

struct np_fleet_suspect {
	struct np_fleet_pair pair; /* as it stood out */
	enum np_fleet_outcome outcome;
	double slower, low, high; /* than ordinary pairs, as a logarithm; NAN: not known */
	size_t repeats;
};

struct np_fleet_search {
	np_fleet_measure *measure;
	void *context;
	uint64_t seed;
	size_t rounds_most; /* then what is open stays undecided; 0: no limit */
	/* found */
	struct np_fleet_suspect *suspects;
	size_t suspect_count;
	size_t rounds; /* calls of measure */
};

/* As many rounds as the looks at a size may take, where each of some hosts is measured. */
size_t np_fleet_rounds_most(size_t hosts);

/* All rounds of the tournament.  Returns 0 or -errno. */
int np_fleet_tournament(struct np_fleet_search *search, struct np_fleet *fleet);

/* Looks again at what stands out of a fleet that was fitted. */
int np_fleet_remeasure(struct np_fleet_search *search, const struct np_fleet *fleet);

/* Adds a suspect that another process has looked at.  Returns 0 or -ENOMEM. */
int np_fleet_search_add(struct np_fleet_search *search,
			const struct np_fleet_suspect *suspect);

void np_fleet_search_free(struct np_fleet_search *search);

/* "slow", "crowded", "chance", "undecided", "unseen". */
const char *np_fleet_outcome_name(enum np_fleet_outcome outcome);
