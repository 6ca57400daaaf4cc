/*
 * counts.c - adding counts up.
 */
#include "counts.h"

#include <stdio.h>
#include <string.h>

void np_counts_add(struct np_counts *sum, const char *name, uint64_t value)
{
	for (size_t i = 0; i < sum->count; i++) {
		/* A name that is too long was cut when it was stored. */
		if (strncmp(sum->list[i].name, name, NP_COUNTER_NAME - 1) == 0) {
			sum->list[i].value += value;
			return;
		}
	}
	if (sum->count == NP_BLOCK_COUNTS)
		return;
	struct np_counter *counter = &sum->list[sum->count++];
	snprintf(counter->name, sizeof(counter->name), "%s", name);
	counter->value = value;
}
