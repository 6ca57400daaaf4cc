/*
 * counters.h - page faults, context switches and perf events of the measuring thread.
 *
 * Page faults and context switches are from getrusage(2), migrations from
 * proc_pid_sched(5).  Misses of the last-level cache and of the data TLB, and migrations
 * where proc_pid_sched(5) lacks them, are events of perf_event_open(2): opened once for the
 * thread and read before and after a block, outside the timed loop.  An event that the
 * processor lacks or the system does not permit is left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/facts.h"

enum np_counters_kind {
	NP_COUNTERS_MIGRATIONS,
	NP_COUNTERS_LLC_MISSES,
	NP_COUNTERS_DTLB_MISSES,
	NP_COUNTERS_KINDS
};

/* A reading of an event: its count, and the nanoseconds for which it was enabled and
 * running; the kernel multiplexes events that share a hardware counter. */
struct np_counters_reading {
	uint64_t value, enabled, running;
};

/* Totals of the thread since its start, from getrusage(2). */
struct np_counters_usage {
	uint64_t page_faults, voluntary_switches, involuntary_switches;
	bool known;
};

/* Zeroed: no event is open, and only getrusage(2) is read. */
struct np_counters {
	bool open;
	int events[NP_COUNTERS_KINDS]; /* descriptors; -1: not counted */
	int sched;		       /* proc_pid_sched(5) for migrations, or -1 */
	/* Readings at the start of the block. */
	struct np_counters_reading start[NP_COUNTERS_KINDS];
	bool has_start[NP_COUNTERS_KINDS];
	struct np_counters_usage usage;
};

/* Opens the available events for the calling thread; only this thread may call the other
 * functions. */
void np_counters_open(struct np_counters *counters);
void np_counters_close(struct np_counters *counters);

/* Reads the counters that are slow to read (some 20 us: migrations), before the block
 * begins. */
void np_counters_prepare(struct np_counters *counters);

/* Reads the other counters (some 3 us), immediately before the first clock reading. */
void np_counters_start(struct np_counters *counters);

/* Reads again after the block and adds the differences: page_faults,
 * voluntary_switches, involuntary_switches, and, where counted, migrations, llc_misses
 * and dtlb_misses. */
void np_counters_finish(struct np_counters *counters, struct np_counts *counts);

/* Computes the count between two readings, extrapolated to the time enabled if the event
 * was multiplexed.  Returns false if it never ran. */
bool np_counters_between(const struct np_counters_reading *start,
			 const struct np_counters_reading *now, uint64_t *value);

/* Parses nr_migrations in a text of proc_pid_sched(5); returns false if it is missing. */
bool np_counters_migrations(const char *text, uint64_t *value);
