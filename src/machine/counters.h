/*
 * counters.h - what the machine counts of the thread that moves messages.
 *
 * Page faults and context switches are the system's own account of a thread,
 * getrusage(2).  Migrations, and misses of the last-level cache and of the data TLB, are
 * events of perf_event_open(2): opened once for the thread, counting ever after, and read
 * before and after a block.  The timed loop knows nothing of them.  What the processor
 * does not have, or the system does not let be counted, is left out, each by itself;
 * migrations are then asked for at proc_pid_sched(5).
 */
#ifndef NP_COUNTERS_H
#define NP_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/counts.h"

enum np_counters_kind {
	NP_COUNTERS_MIGRATIONS,
	NP_COUNTERS_LLC_MISSES,
	NP_COUNTERS_DTLB_MISSES,
	NP_COUNTERS_KINDS
};

/* What an event has counted, and for how many nanoseconds it wanted to and could:
 * several events may have to share what counts them. */
struct np_counters_reading {
	uint64_t value, enabled, running;
};

/* Of the thread, since it began. */
struct np_counters_usage {
	uint64_t page_faults, voluntary_switches, involuntary_switches;
	bool known;
};

/* Zeroed: nothing is open, and what needs no opening is counted. */
struct np_counters {
	bool open;
	int events[NP_COUNTERS_KINDS]; /* descriptors; -1: not counted */
	int sched;		       /* of migrations, where there is no event; or -1 */
	/* When the block began. */
	struct np_counters_reading begun[NP_COUNTERS_KINDS];
	bool has_begun[NP_COUNTERS_KINDS];
	struct np_counters_usage usage;
};

/* Opens what there is, for the calling thread, which alone may call the others. */
void np_counters_open(struct np_counters *counters);
void np_counters_close(struct np_counters *counters);

/* A block is to begin: asks for what takes long to ask for, some 20 us. */
void np_counters_prepare(struct np_counters *counters);

/* The clock is to run: asks for the rest, some 3 us. */
void np_counters_start(struct np_counters *counters);

/* The block is over.  Adds page_faults, voluntary_switches and involuntary_switches, and
 * what there is of migrations, llc_misses and dtlb_misses. */
void np_counters_finish(struct np_counters *counters, struct np_counts *counts);

/* What the event counted between two readings, or would have if it could always. False
 * if it never could. */
bool np_counters_between(const struct np_counters_reading *begun,
			 const struct np_counters_reading *now, uint64_t *value);

/* The migrations that a text of proc_pid_sched(5) tells of; false if it does not. */
bool np_counters_migrations(const char *text, uint64_t *value);

#endif
