/*
 * precise.h - whether a size, or a point of a sweep, has the precision that was asked for.
 */
#pragma once

#include "results/rows.h"

/* Whether a ratio has an interval, within `precision` of its middle. */
bool np_pair_is_precise(const struct np_pair *pair, double precision);

/* Whether all rows of a point have an interval, each of them and of each ratio within
 * `precision` of its middle; false without a row. */
bool np_table_is_precise(const struct np_table *table, double precision, size_t length,
			 enum np_axis axis, uint64_t buffers);
