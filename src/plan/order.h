/*
 * order.h - in which order the slots of the pool are visited.
 *
 * A random order must be a fixed permutation (each slot comes once a round, so
 * the distance between two uses of a line is always the whole pool) and must
 * not cost a memory access of its own: a table of ten million entries would
 * itself evict what is being measured.  So position k is computed.
 */
#ifndef NP_ORDER_H
#define NP_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { NP_ORDER_ROUNDS = 5 };

struct np_order {
	uint64_t count; /* positions and slots are [0, count) */
	uint64_t mask;	/* the smallest 2^b - 1 that covers them; 0: sequential */
	unsigned shift; /* half of b, rounded up */
	uint64_t factor[NP_ORDER_ROUNDS]; /* odd */
	uint64_t offset[NP_ORDER_ROUNDS];
};

/* The same count and key give the same order everywhere.  Without random the
 * order is 0, 1, 2, ... and the key is not used. */
struct np_order np_order_make(uint64_t count, uint64_t key, bool random);

/*
 * The slot at a position, which is taken modulo count, so that a cursor may
 * run on for ever.  Every slot of [0, count) occurs once in count positions.
 * A count of 0 gives 0.
 */
uint64_t np_order_at(const struct np_order *order, uint64_t position);

#endif
