/*
 * handover.h - what it costs to hand a cache line from one end to the other.
 *
 * Two ends on one host share one line and pass a token to and fro.  On a
 * virtual machine the answer tells where its host has put the two processors
 * at the moment, which moves every number that follows: a visit that was
 * measured in the rarer state is marked and, while the budget lasts, redone.
 */
#ifndef NP_HANDOVER_H
#define NP_HANDOVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "contract/boot.h"

struct np_handover; /* the shared line */

/*
 * Shares a line between the ends; both call it.  *handover is NULL where that
 * is of no use (two hosts, one core) or impossible (/dev/shm is missing): the
 * probe is then left out.  Returns 0, or -errno if the boot channel failed.
 */
int np_handover_open(struct np_boot *boot, bool useful, struct np_handover **handover,
		     struct np_error *error);

/* Both ends call it at about the same time.  Returns nanoseconds for one
 * handover, the median of several rounds; 0 if handover is NULL or the other
 * end did not come. */
double np_handover_probe(struct np_handover *handover, int rank, const atomic_bool *stop);

void np_handover_close(struct np_handover *handover);

#endif
