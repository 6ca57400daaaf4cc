/*
 * counts.h - what was counted while messages moved, by name.
 */
#ifndef NP_COUNTS_H
#define NP_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A count that only grows (retransmitted segments, cache misses).  The driver
 * reads it before and after each block and stores the difference. */
enum { NP_COUNTERS_MAX = 48, NP_COUNTER_NAME = 40 };
struct np_counter {
	char name[NP_COUNTER_NAME]; /* lower case, words joined by "_" */
	uint64_t value;
};

/* What this side counts itself, both ends added (counters.h), then the module's own,
 * whose names may differ from end to end: they may be different devices. */
enum { NP_BLOCK_COUNTS = 2 * NP_COUNTERS_MAX + 6 };

struct np_counts {
	struct np_counter list[NP_BLOCK_COUNTS];
	size_t count;
};

/* Adds to the count of that name, of which a copy is appended if it is new. */
void np_counts_add(struct np_counts *sum, const char *name, uint64_t value);

/* Whether it could be the name of a count: what comes out of a file may be anything. */
bool np_counts_is_name(const char *name);

/* Whether it is named as nanoseconds: a time, which is summed like a count and says
 * nothing that the times of messages do not. */
bool np_counts_is_time(const char *name);

/* The count of that name; false if there is none. */
bool np_counts_find(const struct np_counts *counts, const char *name, uint64_t *value);

#endif
