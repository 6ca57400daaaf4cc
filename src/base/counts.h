/*
 * counts.h - named counts of a block or visit: page faults, retransmissions, cache
 * misses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counter of a module that only grows: read before and after each block. */
enum { NP_COUNTERS_MAX = 48, NP_COUNTER_NAME = 40 };
struct np_counter {
	char name[NP_COUNTER_NAME]; /* lower case, words joined by "_" */
	uint64_t value;
};

/* Counts of machine/counters.h, summed over both processes, then the counters of both
 * modules.  Their names may differ, as their devices may. */
enum { NP_BLOCK_COUNTS = 2 * NP_COUNTERS_MAX + 6 };

struct np_counts {
	struct np_counter list[NP_BLOCK_COUNTS];
	size_t count;
};

/* Adds value to the count of that name, or appends a new one. */
void np_counts_add(struct np_counts *sum, const char *name, uint64_t value);

/* Returns whether text from a file is a valid name of a count. */
bool np_counts_is_name(const char *name);

/* Returns whether the name ends in "_ns": a time, redundant beside the times of
 * messages. */
bool np_counts_is_time(const char *name);

/* Sets *value to the count of that name.  Returns false if there is none. */
bool np_counts_find(const struct np_counts *counts, const char *name, uint64_t *value);
