/*
 * host.h - facts of the host for the header, warnings (governor, CPU quota, load), quality
 * of the clock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/facts.h"

/* Adds facts: host, kernel, cpu, governor, clock source, huge pages, date and available
 * memory. */
void np_host_describe(struct np_facts *facts);

/* Returns the available memory in bytes, within the limits of the control groups; 0 if not
 * reported.  root: as in kernel_files.h. */
size_t np_host_memory_available(const char *root);

/*
 * Returns the smallest CPU quota of the group of this process and its ancestors, in
 * processors, below 0 without a limit.  root: as in kernel_files.h.  group: set to the
 * folder of the group, below root.
 */
double np_cpu_quota(const char *root, char *group, size_t size);

/* Time of all processors since boot, in ticks; busy: neither idle nor in iowait.  Returns
 * false if not reported. */
struct np_host_ticks {
	unsigned long long busy, total;
};
bool np_host_ticks(const char *root, struct np_host_ticks *ticks);

/* Adds "warning_governor" for a CPU frequency governor other than performance,
 * "warning_quota" for a CPU quota below one core for each of `processes` of the run on this
 * host, and "warning_load" if the processors are busy.  Samples /proc/stat for 100 ms: the
 * load average still includes the minute before, and possibly this program. */
void np_host_warn(struct np_facts *facts, unsigned processes);

/* Cost and resolution of the clock, measured: clock_getres() reports 1 ns for a counter
 * that advances in larger steps. */
struct np_clock_quality {
	const char *name;
	double overhead_ns;   /* median cost of one reading */
	double resolution_ns; /* smallest step between different readings */
	double back_ns;	      /* largest step back; 0: none */
	bool stands_still;
};

/* Measures the clock: for a millisecond, or until a coarse clock has advanced a few times;
 * for half a second of CPU time at most. */
struct np_clock_quality np_clock_measure(void);

/* Returns the error of a sample's duration by cost and resolution of the clock, ns. */
static inline double np_clock_grain(const struct np_clock_quality *clock)
{
	return clock->overhead_ns > clock->resolution_ns ? clock->overhead_ns :
							   clock->resolution_ns;
}

/* Refuses a clock that goes back or stands still.  Returns 0 or -ERANGE. */
int np_clock_check(const struct np_clock_quality *clock, struct np_error *error);
