/*
 * order.h - order of the slots of the pool: a permutation computed without a table.
 *
 * A random order is a fixed permutation: each slot occurs once in a full rotation, and the
 * reuse distance of a line is the whole pool.  A table of ten million entries would evict
 * the buffers that are measured.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { NP_ORDER_ROUNDS = 5 };

struct np_order {
	uint64_t count;			  /* positions and slots: [0, count) */
	uint64_t mask;			  /* 2^b - 1 >= count - 1; 0: sequential */
	unsigned shift;			  /* half of b, rounded up */
	uint64_t factor[NP_ORDER_ROUNDS]; /* odd */
	uint64_t offset[NP_ORDER_ROUNDS];
};

/* Makes an order.  Equal count and key give the same order on all hosts.  Without random
 * the order is 0, 1, 2, ...  for any key. */
struct np_order np_order_make(uint64_t count, uint64_t key, bool random);

/*
 * Returns the slot at a position, taken modulo count; 0 for a count of 0.  Every slot of
 * [0, count) occurs once in count positions.
 */
uint64_t np_order_at(const struct np_order *order, uint64_t position);
