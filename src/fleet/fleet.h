/*
 * fleet.h - a round-robin tournament of hosts or ranks, then repeated measurements of
 * suspects; its text and its result lines.
 *
 * The smallest and the largest size each have a model (effects.h) and suspects.  Pairs of a
 * round are measured at once, so others may have slowed a pair down.  Suspects are the
 * pairs that stand out.  Many suspects are measured again with as many at once as
 * possible, and the last ones alone, in turn with ordinary pairs.  A pair is slow if it is
 * slower than these by more than the margin (stats/sequential.h).  A pair that is not slow
 * alone is measured in its round again: if it is slow there, the other pairs of the round
 * slow it down: crowded.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "contract/job.h"
#include "fleet/hosts.h"
#include "fleet/effects.h"

/* Measures pairs of disjoint hosts at once.  Returns 0 or -errno. */
typedef int np_fleet_measure(void *context, struct np_pair_sample *samples, size_t count);

struct np_fleet_suspects {
	struct np_fleet_suspect *list;
	size_t count;
};

struct np_fleet_run {
	const struct np_host_list *hosts;
	double directions; /* directions that carry messages at once: 1 or 2 */
	size_t size_count, bytes[NP_FLEET_SIZES];
	struct np_fleet fleets[NP_FLEET_SIZES];
	struct np_fleet_suspects suspects[NP_FLEET_SIZES];
	size_t *measured; /* number of measured pairs, by host */
	size_t pairs;	  /* number of measured pairs */
	size_t rounds;	  /* rounds of the tournament and of the search for slow pairs */
	/* Pairs without times, with the reason. */
	struct np_pair_sample *failures;
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

/* Adds a suspect that another process has judged.  Returns 0 or -ENOMEM. */
int np_fleet_run_suspect(struct np_fleet_run *run, size_t size,
			 const struct np_fleet_suspect *suspect);

/* Estimates and tests hosts and groups at each size (np_fleet_fit()).  Returns 0 or
 * -ENOMEM. */
int np_fleet_run_judge(struct np_fleet_run *run);

/* Measures the tournament, judges it, and measures suspects again.  Returns 0 or -errno. */
int np_fleet_run_measure(struct np_fleet_run *run, np_fleet_measure *measure, void *context,
			 uint64_t seed);

/* Returns true if a failure concerns a host, which has no measured pair, rather than a
 * pair. */
bool np_fleet_run_is_of_host(const struct np_fleet_run *run,
			     const struct np_pair_sample *failure);

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

/* ---- Rounds ------------------------------------------------------------------------- */

/* Number of rounds of a round-robin tournament by the circle method: each pair of hosts
 * meets once, as many pairs at once as possible.  With an odd number of hosts, one has no
 * partner in each round. */
static inline size_t np_round_robin_rounds(size_t hosts)
{
	return hosts < 2 ? 0 : hosts - 1 + hosts % 2;
}

/* Returns the partner of a host in a round, both from 0; `hosts` if it has none. */
static inline size_t np_round_robin_partner(size_t hosts, size_t round, size_t host)
{
	const size_t circle = np_round_robin_rounds(hosts);

	/* With an even number of hosts the last one stays outside the circle. */
	if (host == circle)
		return round;
	const size_t partner = (2 * round + circle - host) % circle;

	return partner != host ? partner : hosts % 2 == 0 ? circle : hosts;
}

/* Returns the round in which two hosts meet. */
static inline size_t np_round_robin_round(size_t hosts, size_t one, size_t other)
{
	/* Odd: 2 has an inverse modulo circle, (circle + 1) / 2. */
	const size_t circle = np_round_robin_rounds(hosts) | 1;

	if (one == circle || other == circle)
		return one == circle ? other : one;
	return (one + other) * ((circle + 1) / 2) % circle;
}

/* ---- Text and result lines (output.c) ------------------------------------------- */

/* np_text_fleet() prints a line for each host, the findings and the answer;
 * np_text_fleet_findings() prints slow hosts, groups and pairs, and failures. */
void np_text_fleet(FILE *file, const struct np_fleet_run *run);
void np_text_fleet_findings(FILE *file, const struct np_fleet_run *run);

/* "28 of 28 pairs measured; slow: 1 host, 2 pairs, 0 groups; undecided: 1". */
void np_text_fleet_answer(const struct np_fleet_run *run, char *text, size_t size);
enum { NP_FLEET_ANSWER = 240 };

/* Names of the first line of a file: "NPtcp", "0.4.0", "tcp", "pingpong". */
struct np_fleet_names {
	const char *program, *version, *module, *op;
};

/* Writes the first line, which lists the hosts.  Returns 0 or -errno. */
int np_json_hosts(FILE *file, const struct np_fleet_run *run,
		  const struct np_fleet_names *names, struct np_error *error);

/* Writes a round and the failures in it; look: the round measures suspects again, whose
 * failures are not written.  Returns 0 or -errno. */
int np_json_round(FILE *file, const struct np_fleet_run *run,
		  const struct np_pair_sample *samples, size_t count, bool look,
		  struct np_error *error);

/* Writes the effects of hosts and groups, the suspects, and the summary.  Returns 0 or
 * -errno. */
int np_json_fleet(FILE *file, const struct np_fleet_run *run, struct np_error *error);
