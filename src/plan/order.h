/*
 * order.h - two orders: a pseudo-random permutation of the slots of the pool, computed
 * without a table; a balanced order of modes and variants in the rounds of a visit.
 *
 * A random order is a fixed permutation: each slot occurs once in a full rotation, and the
 * reuse distance of a line is the whole pool.  A table of ten million entries would evict
 * the buffers that are measured.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NP_ORDER_ROUNDS = 5 };

struct np_order {
	uint64_t count; /* positions and slots: [0, count) */
	uint64_t mask;	/* 2^b - 1 >= count - 1; 0: the order is sequential */
	unsigned shift; /* half of b, rounded up */
	uint64_t factor[NP_ORDER_ROUNDS]; /* odd */
	uint64_t offset[NP_ORDER_ROUNDS];
};

/* Makes an order.  Equal count and key give the same order on all hosts.  Without random
 * the order is 0, 1, 2, ... for any key. */
struct np_order np_order_make(uint64_t count, uint64_t key, bool random);

/*
 * Returns the slot at a position, taken modulo count; 0 for a count of 0.  Every slot of
 * [0, count) occurs once in count positions.
 */
uint64_t np_order_at(const struct np_order *order, uint64_t position);

/*
 * Balanced order of modes and variants in the rounds of a visit.
 *
 * Carry-over: a block leaves caches in a state that affects the next block.  Over a cycle
 * of rounds each mode follows each other equally often, and the control has the same
 * neighbours as rotate: E. J. Williams, "Experimental Designs Balanced for the Estimation
 * of Residual Effects of Treatments", Australian Journal of Scientific Research A 2(2),
 * 1949.  An even number of members needs one Williams square; an odd number needs two, the
 * second a reversal of the first.
 *
 * Each row is followed by its reversal (of an even number, both are rows of the square): a
 * drift that is linear over two rounds affects all modes alike.
 */

/* Returns the member of [0, count) at place `turn` of a round; both count from 0.  A cycle
 * has `count` rounds if that is even, else twice as many. */
size_t np_balanced_at(size_t count, size_t round, size_t turn);
