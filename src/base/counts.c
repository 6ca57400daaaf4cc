/*
 * counts.c - named counts, summed.
 */
#include "base/counts.h"

#include <stdio.h>
#include <string.h>

/* Index of a name; counts->count if it is new.  Names are compared as they are stored,
 * truncated. */
static size_t place_of(const struct np_counts *counts, const char *name)
{
	size_t at = 0;

	while (at < counts->count &&
	       strncmp(counts->list[at].name, name, NP_COUNTER_NAME - 1) != 0)
		at++;
	return at;
}

void np_counts_add(struct np_counts *sum, const char *name, uint64_t value)
{
	const size_t at = place_of(sum, name);

	if (at < sum->count) {
		sum->list[at].value += value;
		return;
	}
	if (sum->count == NP_BLOCK_COUNTS)
		return;
	struct np_counter *counter = &sum->list[sum->count++];
	snprintf(counter->name, sizeof(counter->name), "%s", name);
	counter->value = value;
}

bool np_counts_find(const struct np_counts *counts, const char *name, uint64_t *value)
{
	const size_t at = place_of(counts, name);

	if (at == counts->count)
		return false;
	*value = counts->list[at].value;
	return true;
}

bool np_counts_is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const size_t length = strspn(name, letters);

	return length != 0 && length < NP_COUNTER_NAME && name[length] == '\0';
}

bool np_counts_is_time(const char *name)
{
	const size_t length = strlen(name);

	return length > 3 && strcmp(name + length - 3, "_ns") == 0;
}
