/*
 * precise.c - test of a size, or a point of a sweep, against the requested precision.
 */
#include "results/precise.h"

bool np_pair_is_precise(const struct np_pair *pair, double precision)
{
	/* False also without an interval. */
	return (pair->alone_high - pair->alone_low) / 2 <= precision * pair->ratio;
}

bool np_table_is_precise(const struct np_table *table, double precision, size_t length,
			 enum np_axis axis, uint64_t buffers)
{
	bool found = false;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->length != length || row->axis != axis || row->buffers != buffers)
			continue;
		if ((row->flags & (NP_ROW_IMPRECISE | NP_ROW_NO_INTERVAL)) != 0)
			return false;
		found = true;
	}
	for (size_t i = 0; i < table->pair_count && found; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (pair->length == length && pair->axis == axis &&
		    pair->buffers == buffers && !np_pair_is_precise(pair, precision))
			return false;
	}
	return found;
}
