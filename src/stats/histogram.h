/*
 * histogram.h - every time of a long run in a bounded memory.
 *
 * --per-message makes millions of times, of which percentiles far out in the
 * tail are wanted.  Buckets grow with the value, 128 to each doubling, so that
 * a bucket is narrower than 1 % of what it holds, from 1 ns to 2^64 - 1 ns, in
 * 58 KiB; below 256 ns each nanosecond has its own.  The layout is that of G.
 * Tene's HdrHistogram.
 */
#ifndef NP_HISTOGRAM_H
#define NP_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 256 exact ones, then 128 for each of the 56 doublings from 2^8 to 2^64. */
enum { NP_HISTOGRAM_BUCKETS = 256 + 56 * 128 };

/* All zero is an empty histogram. */
struct np_histogram {
	uint64_t total; /* values added; stops at UINT64_MAX, as each count does */
	uint64_t minimum, maximum; /* exact; meaningless while total is 0 */
	uint64_t counts[NP_HISTOGRAM_BUCKETS];
};

/* Values from low to high, both included, occurred count times. */
struct np_histogram_bucket {
	uint64_t low, high, count;
};

void np_histogram_add(struct np_histogram *histogram, uint64_t nanoseconds);

/* Adds all that other holds. */
void np_histogram_merge(struct np_histogram *histogram, const struct np_histogram *other);

/*
 * The smallest value that at least a share (0 to 1) of all values do not
 * exceed, as the middle of its bucket but within minimum and maximum: wrong by
 * less than 0.5 %.  Shares 0 and 1 are exact.  An empty histogram gives 0.
 */
uint64_t np_histogram_quantile(const struct np_histogram *histogram, double share);

/*
 * The next bucket that is not empty, in ascending order.  *cursor begins at 0
 * and is the histogram's own.  False, and *bucket unchanged, after the last.
 */
bool np_histogram_next(const struct np_histogram *histogram, size_t *cursor,
		       struct np_histogram_bucket *bucket);

#endif
