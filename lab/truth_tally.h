/*
 * truth_tally.h - how many of how many: what truth.c prints and truth.sh adds up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct tally {
	size_t hits, of;
};

static inline void count_in(struct tally *tally, bool hit)
{
	tally->hits += hit;
	tally->of++;
}

static inline void print_tally(const char *name, const struct tally *tally)
{
	if (tally->of != 0)
		printf("%s %zu %zu\n", name, tally->hits, tally->of);
}
