/*
 * host.h - facts of the host for the header, and warnings (governor, load).
 */
#pragma once

#include <stddef.h>

#include "base/facts.h"

/* Adds host, kernel, cpu, governor, clock source, huge pages, date and available
 * memory. */
void np_host_describe(struct np_facts *facts);

/* Available memory in bytes, within the limit of the control group; 0 if not reported. */
size_t np_host_memory_available(void);

/* Adds "warning_governor" for a CPU frequency governor other than performance, and
 * "warning_load" if the processors are busy.  Samples /proc/stat for 100 ms: the load
 * average still includes the minute before, and possibly this program. */
void np_host_warn(struct np_facts *facts);
