/*
 * precise.h - test of a size, or a point of a sweep, against the requested precision.
 */
#pragma once

#include "results/rows.h"

/* Returns whether a ratio has an interval within `precision` of its middle. */
bool np_pair_is_precise(const struct np_pair *pair, double precision);

/* Returns whether all rows and ratios of a point have an interval within `precision` of its
 * middle; false without a row. */
bool np_table_is_precise(const struct np_table *table, double precision, size_t length,
			 enum np_axis axis, uint64_t buffers);
