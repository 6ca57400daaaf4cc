/*
 * order.c - keyed permutation of [0, count) without a table, by cycle walking; Williams
 * squares, row by row.
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
	/* Conditional, as a division costs more than the rest and is rarely needed. */
	if (position >= order->count)
		position %= order->count;
	if (order->mask == 0)
		return position;
	do
		position = permute(order, position);
	while (position >= order->count);
	return position;
}

/* Returns the number of rounds of a balanced cycle. */
static size_t balanced_cycle(size_t count)
{
	return count % 2 == 0 ? count : 2 * count;
}

/* Row 0 of a Williams square is 0, 1, n - 1, 2, n - 2 ...; each further row adds 1 modulo
 * n. */
size_t np_balanced_at(size_t count, size_t round, size_t turn)
{
	const size_t in_cycle = round % balanced_cycle(count);
	const size_t row = in_cycle / 2, at = in_cycle % 2 == 0 ? turn : count - 1 - turn;
	const size_t first = at % 2 == 1 ? (at + 1) / 2 : count - at / 2;

	return (first + row) % count;
}
