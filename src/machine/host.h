/*
 * host.h - facts of the host for the header, warnings (governor, load), quality of the
 * clock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/facts.h"

/* Adds facts: host, kernel, cpu, governor, clock source, huge pages, date and available
 * memory. */
void np_host_describe(struct np_facts *facts);

/* Returns the available memory in bytes, within the limits of the control groups; 0 if not
 * reported. */
size_t np_host_memory_available(void);

/* As np_host_memory_available(), from the files below root (kernel_files.h). */
size_t np_host_memory_below(const char *root);

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
};

/* Measures the clock; takes a few milliseconds. */
struct np_clock_quality np_clock_measure(void);
