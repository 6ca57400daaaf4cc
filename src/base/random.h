/*
 * random.h - pseudo-random numbers, reproducible by seed: SplitMix64.
 *
 * A run prints its seed: every random order can be repeated on any machine and with any C
 * library.  SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom
 * Number Generators", OOPSLA 2014, with the mixing constants of S. Vigna's reference code.
 * SplitMix64 passes BigCrush, and is not for secrets.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct np_random {
	uint64_t state; /* any value is a good seed, 0 too */
};

/* Returns the next of 2^64 values; each occurs once in a period of 2^64. */
uint64_t np_random_next(struct np_random *random);

/* Returns a value of [0, bound), each equally likely; 0 for a bound of 0. */
uint64_t np_random_below(struct np_random *random, uint64_t bound);

/* Shuffles `count` items; each order is equally likely. */
void np_shuffle(struct np_random *random, size_t *items, size_t count);
