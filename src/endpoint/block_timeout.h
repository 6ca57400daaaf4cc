/*
 * block_timeout.h - block timeout: when a message must have been lost.
 *
 * A late message and a lost one differ only in time. The time for which a main thread was
 * runnable but not running (schedstat) does not count, so that a process without a CPU is
 * not taken for a loss. Each process reads its own time, and heartbeats carry it to the
 * peer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most seconds by which starvation extends a timeout. */
enum { NP_STARVED_MOST_S = 60 };

/* Returns the timeout, ns, of `messages` messages of `length` bytes over a path of unknown
 * speed: 7 s, plus 10 ms a message, plus their bytes at 50 kB/s. */
uint64_t np_block_timeout_unknown(size_t length, uint64_t messages);

/* Returns the timeout, ns, of a block that is expected to take expected_ns: 7 s, plus 50
 * times expected_ns. */
uint64_t np_block_timeout_expected(double expected_ns);

/* The block that is watched.  Zeroed: none. */
struct np_block_timeout {
	uint64_t deadline;
	uint64_t starved[2]; /* run-queue waits at the begin of the block, ns */
	uint64_t seen[2];    /* run-queue waits at the last check, ns */
	uint64_t checked_ns; /* the last check */
	uint64_t stopped_ns; /* time without checks since the begin of the block */
	bool over;	     /* overdue at the last check */
	/* Most ns by which the peer's waits extend a deadline: they are not verified. */
	uint64_t excuse_ns;
};

/*
 * Returns true if the block with this deadline (monotonic ns; 0: none) has lost a message.
 * Call it twice a second, at time now (monotonic ns). starved: nanoseconds for which the
 * main thread of each process has waited for a CPU since its start. The longer of both
 * waits since the begin of the block extends the deadline: its own by NP_STARVED_MOST_S at
 * most, that of rank [1], the peer, by timeout->excuse_ns. Their sum would extend it
 * without end where two polling processes share a core. Two seconds or more without a check
 * extend it, too: this process or the peer was stopped, as by Ctrl-Z. Returns true only at
 * the second overdue check in a row: the first after a short stop is overdue though no
 * message is lost.
 */
bool np_block_timeout_is_over(struct np_block_timeout *timeout, uint64_t deadline,
			      uint64_t now, const uint64_t starved[2]);

/* Opens the schedstat of the calling thread, for use by any thread; -1 where the kernel
 * does not count (CONFIG_SCHED_INFO). */
int np_starved_open(void);

/* Returns the time, ns, for which the thread of np_starved_open() has waited for a CPU; 0
 * for fd -1. */
uint64_t np_starved_ns(int fd);
