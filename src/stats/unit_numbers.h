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

/* The number of that unit, or NP_NO_UNIT. */
static inline unsigned np_unit_from(const unsigned *numbers, size_t count, unsigned least)
{
	const size_t place = np_place_from(numbers, count, least);

	if (place == count)
		return NP_NO_UNIT;
	return numbers != NULL ? numbers[place] : (unsigned)place;
}

/* The place of a unit; count: it is not there. */
static inline size_t np_place_of_unit(const unsigned *numbers, size_t count, unsigned unit)
{
	const size_t place = np_place_from(numbers, count, unit);

	return place < count && (numbers == NULL || numbers[place] == unit) ? place : count;
}
