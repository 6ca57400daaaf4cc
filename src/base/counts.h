/*
 * counts.h - named counts of a block or visit: page faults, retransmissions, cache
 * misses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A monotonic counter of a module, read before and after each block for the
 * difference. */
enum { NP_COUNTERS_MAX = 48, NP_COUNTER_NAME = 40 };
struct np_counter {
	char name[NP_COUNTER_NAME]; /* lower case, words joined by "_" */
	uint64_t value;
};

/* The counts of machine/counters.h, summed over both processes, then those of both
 * modules, whose names may differ: their devices may. */
enum { NP_BLOCK_COUNTS = 2 * NP_COUNTERS_MAX + 6 };

struct np_counts {
	struct np_counter list[NP_BLOCK_COUNTS];
	size_t count;
};

/* Adds to the count of that name; a new name is appended. */
void np_counts_add(struct np_counts *sum, const char *name, uint64_t value);

/* Whether text from a file is a valid name of a count. */
bool np_counts_is_name(const char *name);

/* Whether the name ends in "_ns": a time, redundant beside the times of
 * messages. */
bool np_counts_is_time(const char *name);

/* The count of that name; false if there is none. */
bool np_counts_find(const struct np_counts *counts, const char *name, uint64_t *value);
