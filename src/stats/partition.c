/*
 * partition.c - dynamic programming over the prefixes of a sequence.
 */
#include "stats/partition.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Best partition of the values before an index. */
struct prefix {
	double cost;	  /* a part ends here */
	double open;	  /* a part begins here: values between two parts included */
	size_t first;	  /* first value of the last part */
	size_t open_ends; /* end of the part before one that begins here */
};

/* Sets the last part, and the cost, of the prefix that ends at `end`. */
static void close_prefix(const struct np_partition *partition, struct prefix *prefixes,
			 size_t end)
{
	struct prefix *prefix = &prefixes[end];
	const size_t stop = partition->longest != 0 && end > partition->longest ?
				    end - partition->longest :
				    0;

	prefix->cost = (double)INFINITY;
	for (size_t first = end; first-- > stop;) {
		const double before = prefixes[first].open;
		const double cost = before + partition->cost(partition->context,
							     (struct np_part){ first, end },
							     prefix->cost - before);

		if (cost < prefix->cost) {
			prefix->cost = cost;
			prefix->first = first;
		}
	}
}

/* Sets the end of the part before a part that begins at `end`: there, or earlier. */
static void open_prefix(const struct np_partition *partition, struct prefix *prefixes,
			size_t end)
{
	const double skipped = prefixes[end - 1].open + partition->between;
	struct prefix *prefix = &prefixes[end];

	prefix->open = prefix->cost;
	prefix->open_ends = end;
	if (end > 1 && skipped < prefix->open) {
		prefix->open = skipped;
		prefix->open_ends = prefixes[end - 1].open_ends;
	}
}

/* Backtracks from the last part; returns the number of parts. */
static size_t trace(const struct prefix *prefixes, size_t count, struct np_part *parts)
{
	size_t found = 0;

	for (size_t end = count; end != 0; end = prefixes[prefixes[end].first].open_ends)
		parts[found++] = (struct np_part){ prefixes[end].first, end };
	for (size_t i = 0; i < found / 2; i++) {
		const struct np_part part = parts[i];

		parts[i] = parts[found - 1 - i];
		parts[found - 1 - i] = part;
	}
	return found;
}

int np_partition_find(const struct np_partition *partition, struct np_part *parts,
		      size_t *part_count)
{
	struct prefix *prefixes = calloc(partition->count + 1, sizeof(*prefixes));

	*part_count = 0;
	if (prefixes == NULL)
		return -ENOMEM;
	for (size_t end = 1; end <= partition->count; end++) {
		close_prefix(partition, prefixes, end);
		open_prefix(partition, prefixes, end);
	}
	*part_count = trace(prefixes, partition->count, parts);
	free(prefixes);
	return 0;
}
