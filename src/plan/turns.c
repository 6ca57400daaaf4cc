/*
 * turns.c - Williams squares, row by row.
 */
#include "plan/turns.h"

size_t np_turns_cycle(size_t count)
{
	return count % 2 == 0 ? count : 2 * count;
}

/* Row 0 of a square is 0, 1, n - 1, 2, n - 2 ...; each further one adds 1. */
size_t np_turn_at(size_t count, size_t round, size_t turn)
{
	const size_t in_cycle = round % np_turns_cycle(count);
	const size_t row = in_cycle / 2, at = in_cycle % 2 == 0 ? turn : count - 1 - turn;
	const size_t first = at % 2 == 1 ? (at + 1) / 2 : count - at / 2;

	return (first + row) % count;
}
