/*
 * turns.h - balanced order of modes and variants in the rounds of a visit.
 *
 * A block leaves its state in caches and elsewhere to the next one.  Over a cycle of rounds
 * each mode follows each other equally often, and the control has the same neighbours as
 * rotate: E. J. Williams, "Experimental Designs Balanced for the Estimation of Residual
 * Effects of Treatments", Australian Journal of Scientific Research A 2(2), 1949.  An even
 * number has one square; an odd number has two, the second a reversal of the first.
 *
 * Each row is followed by its reversal (of an even number, both are rows of the square): a
 * drift that is linear over two rounds affects all modes alike.
 */
#pragma once

#include <stddef.h>

/* Returns the number of rounds of a balanced cycle: 2, 6, 4, 10, 6 ...  for 2, 3, 4, 5,
 * 6. */
size_t np_turns_cycle(size_t count);

/* Returns the member of [0, count) at place `turn` of a round; both count from 0. */
size_t np_turn_at(size_t count, size_t round, size_t turn);
