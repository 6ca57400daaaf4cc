/*
 * test_histogram.c - every 64-bit value has one bucket, narrow enough; what is
 * added comes out again, and nothing overflows.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "stats/histogram.h"
#include "base/random.h"

static struct np_histogram *make(void)
{
	struct np_histogram *histogram = calloc(1, sizeof(*histogram));

	assert_non_null(histogram);
	return histogram;
}

static struct np_histogram_bucket only_bucket_of(uint64_t value)
{
	struct np_histogram *histogram = make();
	struct np_histogram_bucket bucket = { 0, 0, 0 };
	size_t cursor = 0;

	np_histogram_add(histogram, value);
	assert_true(np_histogram_next(histogram, &cursor, &bucket));
	assert_int_equal(bucket.count, 1);
	assert_true(bucket.low <= value && value <= bucket.high);
	assert_false(np_histogram_next(histogram, &cursor, &bucket));
	free(histogram);
	return bucket;
}

static void check_exact_below_256(void **state)
{
	(void)state;
	for (uint64_t value = 0; value < 256; value++) {
		struct np_histogram_bucket bucket = only_bucket_of(value);
		assert_true(bucket.low == value && bucket.high == value);
	}
}

/* From bucket to bucket over the whole range: no gap, no overlap, and none
 * wider than 1 % of its lowest value. */
static void check_buckets_tile(void **state)
{
	uint64_t value = 0;
	size_t buckets = 0;

	(void)state;
	for (;;) {
		struct np_histogram_bucket bucket = only_bucket_of(value);
		assert_true(bucket.low == value);
		assert_true((double)(bucket.high - bucket.low) <=
			    0.01 * (double)bucket.low);
		buckets++;
		if (bucket.high == UINT64_MAX)
			break;
		value = bucket.high + 1;
	}
	assert_int_equal(buckets, NP_HISTOGRAM_BUCKETS);
}

static void check_quantiles(void **state)
{
	static const double shares[] = { 0.001, 0.01, 0.5, 0.9, 0.99, 0.999 };
	struct np_histogram *histogram = make();

	(void)state;
	for (uint64_t i = 1; i <= 100000; i++)
		np_histogram_add(histogram, i * 10);
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
		double found = (double)np_histogram_quantile(histogram, shares[i]);
		assert_true(fabs(found / (shares[i] * 1e6) - 1.0) < 0.005);
	}
	assert_int_equal(np_histogram_quantile(histogram, 0.0), 10);
	assert_int_equal(np_histogram_quantile(histogram, 1.0), 1000000);
	assert_int_equal(np_histogram_quantile(histogram, -1.0), 10);
	assert_int_equal(np_histogram_quantile(histogram, (double)NAN), 10);
	free(histogram);
}

/* Nearest rank: of four, the median is the second. */
static void check_few(void **state)
{
	struct np_histogram *histogram = make();

	(void)state;
	assert_int_equal(np_histogram_quantile(histogram, 0.5), 0);
	np_histogram_add(histogram, 100000);
	assert_int_equal(np_histogram_quantile(histogram, 0.999), 100000);
	for (uint64_t value = 10; value <= 30; value += 10)
		np_histogram_add(histogram, value);
	assert_int_equal(np_histogram_quantile(histogram, 0.25), 10);
	assert_int_equal(np_histogram_quantile(histogram, 0.5), 20);
	assert_int_equal(np_histogram_quantile(histogram, 0.51), 30);
	assert_int_equal(np_histogram_quantile(histogram, 0.76), 100000);
	free(histogram);
}

static void check_merge(void **state)
{
	struct np_histogram *parts[2] = { make(), make() };
	struct np_histogram *whole = make();
	struct np_random random = { 5 };

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		uint64_t value = np_random_next(&random) >> np_random_below(&random, 64);
		np_histogram_add(parts[i % 2], value);
		np_histogram_add(whole, value);
	}
	struct np_histogram *merged = make();
	np_histogram_merge(merged, merged);
	assert_int_equal(merged->total, 0);
	np_histogram_merge(merged, parts[0]);
	np_histogram_merge(merged, parts[1]);
	assert_memory_equal(merged, whole, sizeof(*whole));
	uint64_t counted = 0;
	size_t cursor = 0;
	for (struct np_histogram_bucket bucket; np_histogram_next(whole, &cursor, &bucket);)
		counted += bucket.count;
	assert_int_equal(counted, 20000);
	free(merged);
	free(whole);
	free(parts[0]);
	free(parts[1]);
}

static void check_counts_stop_at_most(void **state)
{
	struct np_histogram *histogram = make();

	(void)state;
	np_histogram_add(histogram, 7);
	np_histogram_add(histogram, UINT64_MAX);
	for (int i = 0; i < 70; i++) /* doubles it each time */
		np_histogram_merge(histogram, histogram);
	assert_true(histogram->total == UINT64_MAX);
	assert_true(histogram->counts[7] == UINT64_MAX);
	np_histogram_add(histogram, 7);
	assert_true(histogram->counts[7] == UINT64_MAX);
	assert_int_equal(np_histogram_quantile(histogram, 0.3), 7);
	assert_true(np_histogram_quantile(histogram, 1.0) == UINT64_MAX);
	free(histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_exact_below_256),
		cmocka_unit_test(check_buckets_tile),
		cmocka_unit_test(check_quantiles),
		cmocka_unit_test(check_few),
		cmocka_unit_test(check_merge),
		cmocka_unit_test(check_counts_stop_at_most),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
