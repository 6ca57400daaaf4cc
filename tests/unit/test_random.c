/*
 * test_random.c - the generator against published vectors; fair draws.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>

#include "base/random.h"

/* Outputs of the authors' reference implementations for these seeds. */
static void check_published_vectors(void **state)
{
	static const uint64_t seeded[] = {
		UINT64_C(6457827717110365317),	UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),	UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821),
	};
	struct np_random random = { 1234567 };
	struct np_random zero = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(seeded) / sizeof(*seeded); i++)
		assert_true(np_random_next(&random) == seeded[i]);
	assert_true(np_random_next(&zero) == UINT64_C(0xe220a8397b1dcdaf));
	assert_true(np_random_next(&zero) == UINT64_C(0x6e789e6aa1b965f4));
}

static void check_below_stays_below(void **state)
{
	const uint64_t huge = (UINT64_C(1) << 63) + 1;
	struct np_random random = { 1 };
	size_t upper_half = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_true(np_random_below(&random, 0) == 0);
		assert_true(np_random_below(&random, 1) == 0);
		assert_true(np_random_below(&random, 10) < 10);
		uint64_t value = np_random_below(&random, huge);
		assert_true(value < huge);
		upper_half += value >= huge / 2;
	}
	/* A plain remainder of 2^64 values would give 250. */
	assert_in_range(upper_half, 430, 570);
}

static void check_below_is_fair(void **state)
{
	struct np_random random = { 7 };
	size_t seen[6] = { 0 };

	(void)state;
	for (int i = 0; i < 60000; i++)
		seen[np_random_below(&random, 6)]++;
	for (size_t i = 0; i < 6; i++) /* 10000, standard deviation 91 */
		assert_in_range(seen[i], 9600, 10400);
}

static void check_shuffle(void **state)
{
	struct np_random random = { 3 };
	size_t seen[24] = { 0 };

	(void)state;
	for (int i = 0; i < 24000; i++) {
		size_t items[4] = { 0, 1, 2, 3 };
		bool present[4] = { false };
		np_shuffle(&random, items, 4);
		size_t number = 0;
		for (size_t j = 0; j < 4; j++) {
			size_t smaller = 0;
			for (size_t k = j + 1; k < 4; k++)
				smaller += items[k] < items[j];
			number = number * (4 - j) + smaller;
			present[items[j]] = true;
		}
		assert_true(present[0] && present[1] && present[2] && present[3]);
		seen[number]++;
	}
	for (size_t i = 0; i < 24; i++) /* 1000, standard deviation 31 */
		assert_in_range(seen[i], 850, 1150);
	np_shuffle(&random, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_published_vectors),
		cmocka_unit_test(check_below_stays_below),
		cmocka_unit_test(check_below_is_fair),
		cmocka_unit_test(check_shuffle),
	};

	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
