/*
 * core_latency.h - core-to-core latency: time of one cache line between two cores.
 *
 * Two processes on one host pass a token back and forth in a shared line. On a virtual
 * machine the latency shows on which cores of its host the two virtual CPUs run at the
 * moment, which changes all figures: a measurement in another state than the most frequent
 * one is marked and, if the time limit allows, repeated.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "boot/channel.h"

struct np_core_latency; /* the shared line */

/*
 * Shares a line between the processes; both call it.  *core_latency is NULL where the
 * probe is not `useful` (two hosts, one core) or not possible (no /dev/shm, two users): it
 * is then skipped.  Returns 0, or -errno if the control channel failed.
 */
int np_core_latency_open(struct np_boot *boot, bool useful,
			 struct np_core_latency **core_latency, struct np_error *error);

/* Measures the core-to-core latency; both processes call it at about the same time. Returns
 * the nanoseconds of one transfer, the median of several rounds; 0 if core_latency is NULL
 * or the peer did not answer. */
double np_core_latency_probe(struct np_core_latency *core_latency, int rank,
			     const atomic_bool *stop);

void np_core_latency_close(struct np_core_latency *core_latency);
