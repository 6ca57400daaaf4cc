/*
 * test_sim_caches.c - LRU, random and set-associative replacement against their known hit
 * rates.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "modules/sim/sim_caches.h"

/* Misses of a cyclic access to keys 0 to count - 1, after the first cycle. */
static unsigned lru_misses(uint64_t entries, uint64_t count, unsigned cycles)
{
	struct np_sim_lru lru = { .nodes = NULL };
	unsigned misses = 0;

	assert_int_equal(np_sim_lru_reserve(&lru, count), 0);
	np_sim_lru_reset(&lru, &entries, 1);
	for (unsigned cycle = 0; cycle <= cycles; cycle++) {
		for (uint64_t key = 0; key < count; key++) {
			const size_t level = np_sim_lru_use(&lru, key);

			misses += cycle > 0 && level == 1;
		}
	}
	np_sim_lru_free(&lru);
	return misses;
}

/* A cyclic access hits always with as many keys as entries, never with one more. */
static void check_lru_cyclic(void **state)
{
	static const uint64_t entries[] = { 1, 2, 3, 7, 64, 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		assert_int_equal(lru_misses(entries[i], entries[i], 3), 0);
		assert_int_equal(lru_misses(entries[i], entries[i] + 1, 3),
				 3 * (entries[i] + 1));
	}
	assert_int_equal(lru_misses(0, 1, 3), 3);
}

/* Reference: position of a key in the list of all keys by recency; moves it to the front.
 */
static size_t use_in_list(uint64_t *list, size_t count, uint64_t key)
{
	size_t at = 0;

	while (at < count && list[at] != key)
		at++;
	for (size_t i = at; i > 0; i--)
		list[i] = list[i - 1];
	list[0] = key;
	return at;
}

/* The levels agree with the reference (LRU stack distance). */
static void check_lru_levels(void **state)
{
	static const uint64_t entries[3] = { 3, 11, 40 };
	enum { KEYS = 64 };
	uint64_t list[KEYS + 1];
	struct np_sim_lru lru = { .nodes = NULL };
	struct np_random random = { .state = 3 };
	size_t seen = 0;

	(void)state;
	assert_int_equal(np_sim_lru_reserve(&lru, KEYS), 0);
	np_sim_lru_reset(&lru, entries, 3);
	for (unsigned i = 0; i < 20000; i++) {
		/* Small keys are more frequent. */
		const uint64_t key =
			np_random_below(&random, 1 + np_random_below(&random, KEYS));
		const size_t depth = use_in_list(list, seen, key);
		const bool new = depth == seen;
		size_t expected = 0;

		while (expected < 3 && (new || depth >= entries[expected]))
			expected++;
		seen += new;
		assert_int_equal(np_sim_lru_use(&lru, key), expected);
	}
	np_sim_lru_free(&lru);
}

/* A key that was evicted misses, and its entry is free. */
static void check_lru_forget(void **state)
{
	const uint64_t entries = 3;
	struct np_sim_lru lru = { .nodes = NULL };

	(void)state;
	assert_int_equal(np_sim_lru_reserve(&lru, 10), 0);
	np_sim_lru_reset(&lru, &entries, 1);
	for (uint64_t key = 0; key < 3; key++)
		np_sim_lru_use(&lru, key);
	np_sim_lru_forget(&lru, 1);
	np_sim_lru_forget(&lru, 1);
	np_sim_lru_forget(&lru, 9);
	assert_int_equal(np_sim_lru_use(&lru, 5), 1);
	assert_int_equal(np_sim_lru_use(&lru, 0), 0);
	assert_int_equal(np_sim_lru_use(&lru, 2), 0);
	assert_int_equal(np_sim_lru_use(&lru, 1), 1);
	assert_int_equal(np_sim_lru_use(&lru, 5), 1);
	/* More keys keep the content; a reset does not. */
	assert_int_equal(np_sim_lru_reserve(&lru, 100), 0);
	assert_int_equal(np_sim_lru_use(&lru, 1), 0);
	np_sim_lru_reset(&lru, &entries, 1);
	assert_int_equal(np_sim_lru_use(&lru, 1), 1);
	np_sim_lru_free(&lru);
}

/*
 * With random replacement and N entries, a cyclic access to keys 0 to M - 1 hits with
 * the probability h that a key survives the misses of a cycle, each of which evicts a
 * random entry: h = (1 - 1/N)^(M (1 - h)).
 */
static double expected_hits(double entries, double count)
{
	double low = 0, high = 1 - 1e-9;

	/* The smallest root; h = 1 is one, too. */
	for (unsigned i = 0; i < 200; i++) {
		const double middle = (low + high) / 2;
		const double next = exp(log1p(-1 / entries) * count * (1 - middle));

		if (next > middle)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void check_random_replacement(void **state)
{
	static const struct {
		uint32_t entries;
		uint64_t count;
	} cases[] = { { 100, 150 }, { 256, 300 }, { 64, 256 }, { 1000, 1200 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct np_sim_random_cache cache = { .keys_held = NULL };
		const unsigned cycles = 400;
		double hits = 0;

		assert_int_equal(np_sim_random_cache_make(&cache, cases[i].entries), 0);
		assert_int_equal(np_sim_random_cache_reserve(&cache, cases[i].count), 0);
		np_sim_random_cache_reset(&cache, 5);
		for (unsigned cycle = 0; cycle < cycles + 50; cycle++) {
			for (uint64_t key = 0; key < cases[i].count; key++) {
				const bool hit = np_sim_random_cache_use(&cache, key);

				hits += cycle >= 50 && hit;
			}
		}
		hits /= (double)cycles * (double)cases[i].count;
		assert_true(fabs(hits - expected_hits(cases[i].entries,
						      (double)cases[i].count)) < 0.02);
		np_sim_random_cache_free(&cache);
	}
}

static void check_random_fits(void **state)
{
	struct np_sim_random_cache cache = { .keys_held = NULL };

	(void)state;
	assert_int_equal(np_sim_random_cache_make(&cache, 8), 0);
	assert_int_equal(np_sim_random_cache_reserve(&cache, 9), 0);
	np_sim_random_cache_reset(&cache, 5);
	for (unsigned cycle = 0; cycle < 3; cycle++) {
		for (uint64_t key = 0; key < 8; key++)
			assert_int_equal(np_sim_random_cache_use(&cache, key), cycle > 0);
	}
	np_sim_random_cache_forget(&cache, 2);
	np_sim_random_cache_forget(&cache, 8);
	assert_false(np_sim_random_cache_use(&cache, 2));
	assert_true(np_sim_random_cache_use(&cache, 7));
	np_sim_random_cache_free(&cache);
}

/* Misses of cyclic accesses, after the first cycle, as a share of all. */
static double set_misses(uint64_t entries, uint64_t count)
{
	struct np_sim_set_cache cache = { .keys = NULL };
	enum { CYCLES = 3 };
	unsigned misses = 0;

	assert_int_equal(np_sim_set_cache_make(&cache, entries), 0);
	np_sim_set_cache_reset(&cache, 7);
	for (unsigned cycle = 0; cycle <= CYCLES; cycle++) {
		for (uint64_t key = 0; key < count; key++)
			misses += !np_sim_set_cache_use(&cache, key) && cycle > 0;
	}
	np_sim_set_cache_free(&cache);
	return misses / (double)(count * CYCLES);
}

/* A set of a Poisson number of keys misses for all of them if they are more than 8: of as
 * many keys as entries that is the chance of 8 others or more, 0.547. */
static void check_sets(void **state)
{
	(void)state;
	assert_true(fabs(set_misses(4096, 4096) - 0.547) < 0.03);
	assert_true(set_misses(4096, 1024) < 0.01);
	assert_true(set_misses(4096, 16384) > 0.99);
	/* Fewer entries than ways are one set. */
	assert_true(set_misses(4, 4) < 1e-9);
	assert_true(set_misses(4, 5) > 1 - 1e-9);
}

static void check_sets_forget(void **state)
{
	struct np_sim_set_cache cache = { .keys = NULL };

	(void)state;
	assert_int_equal(np_sim_set_cache_make(&cache, 8), 0);
	np_sim_set_cache_reset(&cache, 1);
	for (uint64_t key = 0; key < 8; key++)
		assert_false(np_sim_set_cache_use(&cache, key));
	np_sim_set_cache_forget(&cache, 3);
	assert_false(np_sim_set_cache_use(&cache, 3));
	assert_true(np_sim_set_cache_use(&cache, 4));
	np_sim_set_cache_free(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_lru_cyclic),
		cmocka_unit_test(check_lru_levels),
		cmocka_unit_test(check_lru_forget),
		cmocka_unit_test(check_random_replacement),
		cmocka_unit_test(check_random_fits),
		cmocka_unit_test(check_sets),
		cmocka_unit_test(check_sets_forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
