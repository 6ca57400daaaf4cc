/*
 * turns.h - whose turn it is: the order of modes and variants in the rounds of a visit.
 *
 * A block leaves caches, and whatever else remembers, to the one after it.  So over a
 * cycle of rounds each mode follows each other equally often, and the control has the same
 * neighbours as rotate: E. J. Williams, "Experimental Designs Balanced for the Estimation
 * of Residual Effects of Treatments", Australian Journal of Scientific Research A 2(2),
 * 1949; of an even number one square, of an odd number two, of which one is the other
 * reversed.
 *
 * Each row is followed by its reversal (of an even number, both are rows of the square), so
 * that a drift which is linear over two rounds falls on all alike.
 */
#pragma once

#include <stddef.h>

/* Rounds after which all has been in balance: 2, 6, 4, 10, 6 ... of 2, 3, 4, 5, 6. */
size_t np_turns_cycle(size_t count);

/* Which of `count`, from 0, has its turn in a round; both are counted from 0. */
size_t np_turn_at(size_t count, size_t round, size_t turn);
