/*
 * test_sim_caches.c - caches of the model against what is known of such caches.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "modules/sim/sim_random_cache.h"
#include "modules/sim/sim_lru.h"

/* Misses of the second and later of some laps of keys 0 to count - 1. */
static unsigned lru_misses(uint64_t entries, uint64_t count, unsigned laps)
{
	struct np_sim_lru lru = { .nodes = NULL };
	unsigned misses = 0;

	assert_int_equal(np_sim_lru_reserve(&lru, count), 0);
	np_sim_lru_reset(&lru, &entries, 1);
	for (unsigned lap = 0; lap <= laps; lap++) {
		for (uint64_t key = 0; key < count; key++) {
			const size_t level = np_sim_lru_use(&lru, key);

			misses += lap > 0 && level == 1;
		}
	}
	np_sim_lru_free(&lru);
	return misses;
}

/* In turn over as many as there are entries all hit, over one more none does. */
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

/* Where in a list of all keys, the last used first, a key is; and to its front. */
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

/* Several levels at once are what a list of all keys says of each of them. */
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
		/* Near ones come again soon, far ones seldom. */
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

/* What was forgotten is gone, and the room is somebody's again. */
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
	/* More keys leave what is in it alone; another era does not. */
	assert_int_equal(np_sim_lru_reserve(&lru, 100), 0);
	assert_int_equal(np_sim_lru_use(&lru, 1), 0);
	np_sim_lru_reset(&lru, &entries, 1);
	assert_int_equal(np_sim_lru_use(&lru, 1), 1);
	np_sim_lru_free(&lru);
}

/*
 * With random replacement and N entries, keys 0 to M - 1 in turn hit with the
 * chance h that a key survives the misses of a lap, each of which puts out any
 * other entry: h = (1 - 1/N)^(M (1 - h)).
 */
static double expected_hits(double entries, double count)
{
	double low = 0, high = 1 - 1e-9;

	/* It begins above 0 and ends at 1, where all fit; the first root counts. */
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
		struct np_sim_random_cache chance = { .keys_held = NULL };
		const unsigned laps = 400;
		double hits = 0;

		assert_int_equal(np_sim_random_cache_make(&chance, cases[i].entries), 0);
		assert_int_equal(np_sim_random_cache_reserve(&chance, cases[i].count), 0);
		np_sim_random_cache_reset(&chance, 5);
		for (unsigned lap = 0; lap < laps + 50; lap++) {
			for (uint64_t key = 0; key < cases[i].count; key++) {
				const bool hit = np_sim_random_cache_use(&chance, key);

				hits += lap >= 50 && hit;
			}
		}
		hits /= (double)laps * (double)cases[i].count;
		assert_true(fabs(hits - expected_hits(cases[i].entries,
						      (double)cases[i].count)) < 0.02);
		np_sim_random_cache_free(&chance);
	}
}

static void check_random_fits(void **state)
{
	struct np_sim_random_cache chance = { .keys_held = NULL };

	(void)state;
	assert_int_equal(np_sim_random_cache_make(&chance, 8), 0);
	assert_int_equal(np_sim_random_cache_reserve(&chance, 9), 0);
	np_sim_random_cache_reset(&chance, 5);
	for (unsigned lap = 0; lap < 3; lap++) {
		for (uint64_t key = 0; key < 8; key++)
			assert_int_equal(np_sim_random_cache_use(&chance, key), lap > 0);
	}
	np_sim_random_cache_forget(&chance, 2);
	np_sim_random_cache_forget(&chance, 8);
	assert_false(np_sim_random_cache_use(&chance, 2));
	assert_true(np_sim_random_cache_use(&chance, 7));
	np_sim_random_cache_free(&chance);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_lru_cyclic),
		cmocka_unit_test(check_lru_levels),
		cmocka_unit_test(check_lru_forget),
		cmocka_unit_test(check_random_replacement),
		cmocka_unit_test(check_random_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
