/*
 * core_latency.h - what it costs to hand a cache line from one end to the other.
 *
 * Two ends on one host share one line and pass a token to and fro.  On a
 * virtual machine the answer tells where its host has put the two processors
 * at the moment, which moves every number that follows: a visit that was
 * measured in the rarer state is marked and, while the budget lasts, redone.
 */
#ifndef NP_CORE_LATENCY_H
#define NP_CORE_LATENCY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "contract/boot.h"

struct np_core_latency; /* the shared line */

/*
 * Shares a line between the ends; both call it.  *core-to-core latency is NULL where that
 * is of no use (two hosts, one core) or impossible (/dev/shm is missing): the
 * probe is then left out.  Returns 0, or -errno if the boot channel failed.
 */
int np_core_latency_open(struct np_boot *boot, bool useful,
			 struct np_core_latency **core_latency, struct np_error *error);

/* Both ends call it at about the same time.  Returns nanoseconds for one
 * core-to-core latency, the median of several rounds; 0 if core-to-core latency is NULL or
 * the other end did not come. */
double np_core_latency_probe(struct np_core_latency *core_latency, int rank,
			     const atomic_bool *stop);

void np_core_latency_close(struct np_core_latency *core_latency);

#endif
