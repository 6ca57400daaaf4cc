/*
 * patience.h - when a block has taken so long that a message must have been
 * lost.
 *
 * A message that is late and one that never comes look alike, but for the time.
 * So that an end that merely gets no processor is not taken for a loss, the time
 * for which a main thread was ready to run and another ran instead does not
 * count; each end knows its own, and its heartbeats tell the other.
 */
#ifndef NP_PATIENCE_H
#define NP_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nanoseconds that `messages` of `length` bytes may take over a path of which
 * nothing is known: 7 s, and as long as 50 kB/s and 10 ms a message take. */
uint64_t np_patience_unknown(size_t length, uint64_t messages);

/* And those that a block may take that is expected to take expected_ns: fifty
 * times as long, and 7 s. */
uint64_t np_patience_expected(double expected_ns);

/* The block that a watcher has in sight.  Zeroed: none. */
struct np_patience {
	uint64_t deadline;
	uint64_t starved[2]; /* at the last look before it was there */
	uint64_t seen[2];    /* at the last look */
	bool over;	     /* then */
};

/*
 * Whether the block that should be over by `deadline` (monotonic ns; 0: none)
 * has lost a message, at the time now; to be asked twice a second.  starved: for
 * how long, of all time, each end's main thread has waited for a processor.  The
 * longer of the two waits since the block began is added to the deadline (not both:
 * they may wait at the same time).  True at the second look in a row that finds it
 * over: at the first, whoever was kept from looking may have been kept from all.
 */
bool np_patience_is_over(struct np_patience *patience, uint64_t deadline, uint64_t now,
			 const uint64_t starved[2]);

/* A descriptor that tells of the calling thread, whichever thread reads it; -1
 * where the kernel does not count (CONFIG_SCHED_INFO). */
int np_starved_open(void);

/* Nanoseconds for which that thread has waited for a processor; 0 for -1. */
uint64_t np_starved_ns(int fd);

#endif
