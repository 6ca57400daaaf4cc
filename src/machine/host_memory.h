/*
 * host_memory.h - what the driver needs of np_host_memory (contract/memory.h) beside its
 * hooks.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Fills a range with pseudo-random data. */
void np_host_memory_fill(unsigned char *base, size_t length, uint64_t seed);
