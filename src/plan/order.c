/*
 * order.c - keyed permutation of [0, count) without a table, by cycle walking.
 *
 * Multiplication by an odd number, addition, and xor with the upper half are invertible on
 * b bits; a few rounds give a pseudo-random permutation of [0, 2^b).  For [0, count) the
 * permutation is repeated until the value is inside ("cycle walking": J. Black and P.
 * Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002): fewer than two steps on
 * average, as count is above half of 2^b.
 */
#include "plan/order.h"

#include "base/random.h"

struct np_order np_order_make(uint64_t count, uint64_t key, bool random)
{
	struct np_order order = { .count = count };
	struct np_random generator = { key };
	unsigned bits = 0;

	if (!random || count < 2)
		return order;
	while (bits < 64 && (count - 1) >> bits != 0)
		bits++;
	order.mask = UINT64_MAX >> (64 - bits);
	order.shift = (bits + 1) / 2;
	for (int i = 0; i < NP_ORDER_ROUNDS; i++) {
		order.factor[i] = np_random_next(&generator) | 1;
		order.offset[i] = np_random_next(&generator);
	}
	return order;
}

static uint64_t permute(const struct np_order *order, uint64_t value)
{
	for (int i = 0; i < NP_ORDER_ROUNDS; i++) {
		value = (value * order->factor[i] + order->offset[i]) & order->mask;
		value ^= value >> order->shift;
	}
	return value;
}

uint64_t np_order_at(const struct np_order *order, uint64_t position)
{
	if (order->count == 0)
		return 0;
	/* Conditional: a division costs more than the rest, and is rarely needed. */
	if (position >= order->count)
		position %= order->count;
	if (order->mask == 0)
		return position;
	do
		position = permute(order, position);
	while (position >= order->count);
	return position;
}
