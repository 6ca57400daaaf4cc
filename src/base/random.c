/*
 * random.c - pseudo-random numbers: SplitMix64, bounded values, shuffle.
 */
#include "base/random.h"

uint64_t np_random_next(struct np_random *random)
{
	uint64_t mixed = random->state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ (mixed >> 31);
}

uint64_t np_random_below(struct np_random *random, uint64_t bound)
{
	uint64_t value;

	if (bound == 0)
		return 0;
	/* Rejection of 2^64 mod bound values, against a bias to low remainders. */
	const uint64_t surplus = (0 - bound) % bound;
	do
		value = np_random_next(random);
	while (value < surplus);
	return value % bound;
}

/* R. A. Fisher and F. Yates, in the form of R. Durstenfeld, "Algorithm 235:
 * Random permutation", CACM 7(7), 1964. */
void np_shuffle(struct np_random *random, size_t *items, size_t count)
{
	for (size_t left = count; left > 1; left--) {
		size_t pick = (size_t)np_random_below(random, left);
		size_t item = items[pick];
		items[pick] = items[left - 1];
		items[left - 1] = item;
	}
}
