/*
 * host.h - what this host is and what may spoil a measurement on it.
 */
#ifndef NP_HOST_H
#define NP_HOST_H

#include <stddef.h>

#include "base/facts.h"

/* host, kernel, cpu, governor, load, transparent huge pages, date ... */
void np_host_describe(struct np_facts *facts);

/* Bytes that can be had without swapping; 0 where the system does not say. */
size_t np_host_memory_available(void);

/* Adds "warning_governor" and "warning_load" for a governor or a load that
 * spoils numbers.  Watches the processors for a tenth of a second: the load
 * average would still tell of what ran a minute ago, perhaps this program. */
void np_host_warn(struct np_facts *facts);

#endif
