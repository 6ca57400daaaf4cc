/*
 * host_memory.h - memory of the host in the CPU cache: loading lines and evicting them;
 * np_host_memory is in contract/memory.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Loads every line of [base, base + length). */
void np_cpu_cache_touch(const unsigned char *base, size_t length);

/* Writes back and evicts every line of the range from all caches of all cores (clflush,
 * dc civac) and waits for completion.  No effect where np_cpu_cache_can_evict() is
 * false. */
void np_cpu_cache_evict(const unsigned char *base, size_t length);

/* Returns true if this architecture has an instruction that evicts a line. */
bool np_cpu_cache_can_evict(void);
