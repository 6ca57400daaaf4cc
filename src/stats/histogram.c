/*
 * histogram.c - log-linear buckets: the leading bit of a value and the seven
 * bits after it say where it belongs.
 */
#include "stats/histogram.h"

#include <math.h>

enum {
	FINE_BITS = 7,
	FINE = 1 << FINE_BITS, /* buckets of one doubling */
	EXACT = 2 * FINE       /* values below this are their own bucket */
};

static size_t bucket_of(uint64_t value)
{
	if (value < EXACT)
		return (size_t)value;
	unsigned shift = 63 - (unsigned)__builtin_clzll(value) - FINE_BITS;
	/* value >> shift keeps the leading bit: FINE to 2 * FINE - 1. */
	return (size_t)shift * FINE + (size_t)(value >> shift);
}

static struct np_histogram_bucket bounds_of(size_t bucket)
{
	if (bucket < EXACT)
		return (struct np_histogram_bucket){ .low = bucket, .high = bucket };
	unsigned shift = (unsigned)(bucket / FINE) - 1;
	uint64_t low = (uint64_t)(bucket % FINE + FINE) << shift;
	return (struct np_histogram_bucket){ .low = low,
					     .high = low + ((UINT64_C(1) << shift) - 1) };
}

static uint64_t add_up_to_most(uint64_t one, uint64_t other)
{
	uint64_t sum;

	return __builtin_add_overflow(one, other, &sum) ? UINT64_MAX : sum;
}

static void widen(struct np_histogram *histogram, uint64_t minimum, uint64_t maximum)
{
	if (histogram->total == 0 || minimum < histogram->minimum)
		histogram->minimum = minimum;
	if (histogram->total == 0 || maximum > histogram->maximum)
		histogram->maximum = maximum;
}

void np_histogram_add(struct np_histogram *histogram, uint64_t nanoseconds)
{
	uint64_t *count = &histogram->counts[bucket_of(nanoseconds)];

	widen(histogram, nanoseconds, nanoseconds);
	histogram->total = add_up_to_most(histogram->total, 1);
	*count = add_up_to_most(*count, 1);
}

void np_histogram_merge(struct np_histogram *histogram, const struct np_histogram *other)
{
	if (other->total == 0)
		return;
	widen(histogram, other->minimum, other->maximum);
	histogram->total = add_up_to_most(histogram->total, other->total);
	for (size_t i = 0; i < NP_HISTOGRAM_BUCKETS; i++)
		histogram->counts[i] =
			add_up_to_most(histogram->counts[i], other->counts[i]);
}

/* Which value, counted from the smallest as 1, a share of them reaches. */
static uint64_t rank_of(uint64_t total, double share)
{
	double rank = ceil(share * (double)total);

	if (!(rank > 1.0))
		return 1;
	/* (double)total may be rounded up, even to 2^64. */
	return rank < (double)total ? (uint64_t)rank : total;
}

uint64_t np_histogram_quantile(const struct np_histogram *histogram, double share)
{
	struct np_histogram_bucket bucket = { 0, 0, 0 };
	uint64_t passed = 0;
	size_t cursor = 0;

	if (histogram->total == 0)
		return 0;
	if (!(share > 0.0))
		return histogram->minimum;
	if (share >= 1.0)
		return histogram->maximum;
	const uint64_t rank = rank_of(histogram->total, share);
	while (passed < rank && np_histogram_next(histogram, &cursor, &bucket))
		passed = add_up_to_most(passed, bucket.count);
	uint64_t middle = bucket.low + (bucket.high - bucket.low) / 2;
	if (middle < histogram->minimum)
		return histogram->minimum;
	return middle < histogram->maximum ? middle : histogram->maximum;
}

bool np_histogram_next(const struct np_histogram *histogram, size_t *cursor,
		       struct np_histogram_bucket *bucket)
{
	while (*cursor < NP_HISTOGRAM_BUCKETS) {
		size_t at = (*cursor)++;
		if (histogram->counts[at] == 0)
			continue;
		*bucket = bounds_of(at);
		bucket->count = histogram->counts[at];
		return true;
	}
	return false;
}
