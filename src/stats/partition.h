/*
 * partition.h - optimal partition of a sequence into parts.
 *
 * Exact minimum of the sum of the costs of all parts, by dynamic programming: B. Jackson et
 * al., "An algorithm for optimal partitioning of data on an interval", IEEE Signal
 * Processing Letters 12(2), 2005.  The caller supplies cost and penalty: ranges of ratios
 * (ranges.h), plateaus of a sweep (knees.h), smooth segments of a curve (fewest.h).
 */
#pragma once

#include <stddef.h>

/* Values [first, end) of one part. */
struct np_part {
	size_t first, end;
};

struct np_partition {
	size_t count; /* number of values */
	/* Returns the cost of a part with its penalty, 0 or more; INFINITY if these values
	 * are no part, or if the cost exceeds `most`.  Parts with the same end are tried
	 * from the shortest to the longest. */
	double (*cost)(void *context, struct np_part part, double most);
	void *context;
	/* Cost of each value between two parts; INFINITY: every value is in a part. */
	double between;
	size_t longest; /* most values of a part; 0: any number */
};

/* Sets parts, room for one per value, to the partition of least cost, ascending; among
 * equal ones to the one with the shortest last part.  The first part begins with the first
 * value and the last part ends with the last one.  Returns 0 or -ENOMEM. */
int np_partition_find(const struct np_partition *partition, struct np_part *parts,
		      size_t *part_count);
