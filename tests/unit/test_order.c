/*
 * test_order.c - each slot once a round, and no pattern that a prefetcher or a
 * TLB could learn: the measures are those of a true shuffle.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "plan/order.h"

static const uint64_t counts[] = {
	1,   2,	   3,	 4,    5,    6,	   7,	 8,    9,     15,    16,    17,
	31,  32,   33,	 63,   64,   65,   100,	 127,  128,   129,   255,   256,
	257, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 65535, 65536, 65537, 1000000,
};
enum { COUNTS = sizeof(counts) / sizeof(*counts) };

static void assert_bijective(const struct np_order *order)
{
	unsigned char *seen = calloc((size_t)order->count, 1);

	assert_non_null(seen);
	for (uint64_t i = 0; i < order->count; i++) {
		uint64_t slot = np_order_at(order, i);
		assert_true(slot < order->count);
		assert_int_equal(seen[slot]++, 0);
	}
	free(seen);
}

static void check_bijective(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNTS; i++) {
		for (uint64_t key = 0; key < (counts[i] < 5000 ? 20 : 2); key++) {
			struct np_order order = np_order_make(counts[i], key, true);
			assert_bijective(&order);
		}
	}
}

static void check_sequential(void **state)
{
	const struct np_order order = np_order_make(1000, 5, false);
	const struct np_order empty = np_order_make(0, 5, true);

	(void)state;
	for (uint64_t i = 0; i < 3000; i++)
		assert_int_equal(np_order_at(&order, i), i % 1000);
	assert_int_equal(np_order_at(&empty, 3), 0);
}

static void check_runs_on(void **state)
{
	const struct np_order order = np_order_make(1000, 5, true);
	const struct np_order giant = np_order_make(UINT64_MAX, 5, true);

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		assert_int_equal(np_order_at(&order, i), np_order_at(&order, i + 1000));
		assert_int_equal(np_order_at(&order, i), np_order_at(&order, i + 77000));
		assert_true(np_order_at(&giant, i) < UINT64_MAX);
	}
}

static void check_key_decides(void **state)
{
	const struct np_order one = np_order_make(100000, 1, true);
	const struct np_order same = np_order_make(100000, 1, true);
	const struct np_order other = np_order_make(100000, 2, true);
	size_t agree = 0;

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		assert_int_equal(np_order_at(&one, i), np_order_at(&same, i));
		agree += np_order_at(&one, i) == np_order_at(&other, i);
	}
	assert_in_range(agree, 0, 10); /* Poisson with mean 1 */
}

/* Few slots have few orders: all of them occur. */
static void check_small_counts_reach_all(void **state)
{
	bool seen[4 * 4 * 4 * 4] = { false };
	size_t found = 0;

	(void)state;
	for (uint64_t key = 0; key < 2000; key++) {
		struct np_order order = np_order_make(4, key, true);
		size_t number = 0;
		for (uint64_t i = 0; i < 4; i++)
			number = number * 4 + (size_t)np_order_at(&order, i);
		found += !seen[number];
		seen[number] = true;
	}
	assert_int_equal(found, 24);
}

struct walk {
	double correlation; /* of successive slots */
	double near;	    /* share of pairs closer than `reach` */
	double commonest;   /* share of the commonest stride */
};

static struct walk walk_of(const struct np_order *order, uint64_t reach)
{
	uint64_t count = order->count;
	double centre = (double)(count - 1) / 2.0;
	double products = 0.0;
	double squares = 0.0;
	uint64_t near = 0;
	uint32_t most = 0;
	uint32_t *strides = calloc((size_t)count * 2, sizeof(*strides));

	assert_non_null(strides);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t from = np_order_at(order, i);
		uint64_t to = np_order_at(order, i + 1);
		products += ((double)from - centre) * ((double)to - centre);
		squares += ((double)from - centre) * ((double)from - centre);
		near += (from > to ? from - to : to - from) < reach;
		uint32_t times = ++strides[count + to - from];
		most = times > most ? times : most;
	}
	free(strides);
	return (struct walk){ .correlation = products / squares,
			      .near = (double)near / (double)count,
			      .commonest = (double)most / (double)count };
}

/* 4 KiB pages of slots of 64 bytes: a pair nearer than 64 slots may share one. */
static void check_looks_random(void **state)
{
	static const uint64_t sizes[] = { 1024, 4097, 65536, 65537, 1000000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		double count = (double)sizes[i];
		for (uint64_t key = 0; key < 4; key++) {
			struct np_order order = np_order_make(sizes[i], key, true);
			struct walk walk = walk_of(&order, 64);
			/* Pairs at a distance d: 2 (n - d) of n (n - 1). */
			double near = 2.0 * (63.0 * count - 63.0 * 32.0) /
				      (count * (count - 1.0));
			double noise = sqrt(near / count);
			assert_true(fabs(walk.correlation) < 5.0 / sqrt(count));
			assert_true(fabs(walk.near - near) < 5.0 * noise);
			assert_true(walk.commonest < 16.0 / count);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_bijective),
		cmocka_unit_test(check_sequential),
		cmocka_unit_test(check_runs_on),
		cmocka_unit_test(check_key_decides),
		cmocka_unit_test(check_small_counts_reach_all),
		cmocka_unit_test(check_looks_random),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
