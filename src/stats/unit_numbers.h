/*
 * unit_numbers.h - which passes or runs the values of a size are of.  A size may lack one
 * that another has, as when it was measured in another host state.
 *
 * numbers ascend; NULL stands for 0, 1, 2 ...
 */
#pragma once

#include <limits.h>
#include <stddef.h>

#define NP_NO_UNIT UINT_MAX

/* The place of the first unit from `least` on; count: there is none. */
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

/* The first unit behind `unit`, or `next` if that is less.  Called for size after size,
 * from NP_NO_UNIT on, it gives the first one of any size. */
static inline unsigned np_next_unit(const unsigned *numbers, size_t count, unsigned unit,
				    unsigned next)
{
	const size_t place = np_place_from(numbers, count, unit + 1);

	if (place == count)
		return next;
	const unsigned own = numbers != NULL ? numbers[place] : (unsigned)place;
	return own < next ? own : next;
}

/* The place of a unit; count: it is not there. */
static inline size_t np_place_of_unit(const unsigned *numbers, size_t count, unsigned unit)
{
	const size_t place = np_place_from(numbers, count, unit);

	return place < count && (numbers == NULL || numbers[place] == unit) ? place : count;
}
