/*
 * cpu_cache.h - bringing bytes into the processor's data cache, and out of it.
 */
#ifndef NP_CPU_CACHE_H
#define NP_CPU_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Loads every line of [base, base + length). */
void np_cpu_cache_touch(const unsigned char *base, size_t length);

/* Writes every line of it back and drops it from all caches of all cores; waits
 * until that is done.  Does nothing where np_cpu_cache_can_evict() is false. */
void np_cpu_cache_evict(const unsigned char *base, size_t length);

/* Whether this kind of processor has an instruction for it. */
bool np_cpu_cache_can_evict(void);

#endif
