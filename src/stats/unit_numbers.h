/*
 * unit_numbers.h - numbers of the passes or runs that values of a size belong to.  A size
 * may lack a unit, for example one in another host state.
 *
 * numbers ascend; NULL: 0, 1, 2 ...
 */
#pragma once

#include <limits.h>
#include <stddef.h>

#define NP_NO_UNIT UINT_MAX

/* Index of the first unit >= `least`, or count. */
static inline size_t np_place_from(const unsigned *numbers, size_t count, unsigned least)
{
	size_t low = 0, high = count;

	if (numbers == NULL)
		return least < count ? least : count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (numbers[middle] < least)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Smaller one of `next` and the first unit behind `unit`.  Called for all sizes, with
 * `next` from NP_NO_UNIT on, it returns the next unit of any size. */
static inline unsigned np_next_unit(const unsigned *numbers, size_t count, unsigned unit,
				    unsigned next)
{
	const size_t place = np_place_from(numbers, count, unit + 1);

	if (place == count)
		return next;
	const unsigned own = numbers != NULL ? numbers[place] : (unsigned)place;
	return own < next ? own : next;
}

/* Index of a unit, or count. */
static inline size_t np_place_of_unit(const unsigned *numbers, size_t count, unsigned unit)
{
	const size_t place = np_place_from(numbers, count, unit);

	return place < count && (numbers == NULL || numbers[place] == unit) ? place : count;
}
