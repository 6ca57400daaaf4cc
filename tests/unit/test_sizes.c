/*
 * test_sizes.c - the schedule against NetPIPE's published one, and the corners.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/sizes.h"

/* What a default run of NetPIPE 3.7.2 visits; it ends at 8 MiB + 3 B. */
static const size_t published[] = {
	1,	 2,	  3,	   4,	    6,	     8,	      12,      13,	16,
	19,	 21,	  24,	   27,	    29,	     32,      35,      45,	48,
	51,	 61,	  64,	   67,	    93,	     96,      99,      125,	128,
	131,	 189,	  192,	   195,	    253,     256,     259,     381,	384,
	387,	 509,	  512,	   515,	    765,     768,     771,     1021,	1024,
	1027,	 1533,	  1536,	   1539,    2045,    2048,    2051,    3069,	3072,
	3075,	 4093,	  4096,	   4099,    6141,    6144,    6147,    8189,	8192,
	8195,	 12285,	  12288,   12291,   16381,   16384,   16387,   24573,	24576,
	24579,	 32765,	  32768,   32771,   49149,   49152,   49155,   65533,	65536,
	65539,	 98301,	  98304,   98307,   131069,  131072,  131075,  196605,	196608,
	196611,	 262141,  262144,  262147,  393213,  393216,  393219,  524285,	524288,
	524291,	 786429,  786432,  786435,  1048573, 1048576, 1048579, 1572861, 1572864,
	1572867, 2097149, 2097152, 2097155, 3145725, 3145728, 3145731, 4194301, 4194304,
	4194307, 6291453, 6291456, 6291459, 8388605, 8388608, 8388611,
};

static void assert_schedule(size_t lower, size_t upper, size_t perturbation,
			    const size_t *expected, size_t expected_count)
{
	size_t *sizes;
	size_t count;

	assert_int_equal(np_sizes_schedule(lower, upper, perturbation, &sizes, &count), 0);
	assert_int_equal(count, expected_count);
	assert_memory_equal(sizes, expected, count * sizeof(*sizes));
	free(sizes);
}
#define ASSERT_SCHEDULE(lower, upper, perturbation, ...)                                   \
	assert_schedule(lower, upper, perturbation, (const size_t[]){ __VA_ARGS__ },       \
			sizeof((const size_t[]){ __VA_ARGS__ }) / sizeof(size_t))

static void check_published(void **state)
{
	(void)state;
	assert_schedule(1, 8388608, 3, published, sizeof(published) / sizeof(*published));
	assert_schedule(1, 10000000, 3, published, 124);
}

static void check_counts(void **state)
{
	size_t *sizes;
	size_t count;

	(void)state;
	assert_int_equal(np_sizes_schedule(1, 8388608, 3, &sizes, &count), 0);
	assert_int_equal(count, 124);
	assert_int_equal(sizes[123], 8388611);
	free(sizes);
	assert_int_equal(np_sizes_schedule(1, 8388608, 0, &sizes, &count), 0);
	assert_int_equal(count, 46);
	assert_int_equal(sizes[45], 8388608);
	free(sizes);
}

static void check_corners(void **state)
{
	(void)state;
	ASSERT_SCHEDULE(1, 1, 3, 1);
	ASSERT_SCHEDULE(0, 0, 3, 0);
	ASSERT_SCHEDULE(0, 4, 3, 0, 1, 2, 3, 4);
	ASSERT_SCHEDULE(1, 24, 0, 1, 2, 3, 4, 6, 8, 12, 16, 24);
	/* A start of its own: NetPIPE 3.7.2 with -l 100 begins at 97. */
	ASSERT_SCHEDULE(100, 300, 3, 97, 100, 103, 147, 150, 153, 197, 200, 203, 297, 300,
			303);
	ASSERT_SCHEDULE(100, 149, 0, 100);
	ASSERT_SCHEDULE(64, 64, 3, 61, 64, 67);
	/* Neighbours that meet are measured once; NetPIPE repeats 6, 10 and 14. */
	ASSERT_SCHEDULE(1, 16, 2, 1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18);
	/* The perturbation never exceeds the length by NetPIPE's rule. */
	ASSERT_SCHEDULE(8, 8, 100, 8);
}

static void check_upper_below_lower(void **state)
{
	size_t *sizes = NULL;
	size_t count = 7;

	(void)state;
	assert_int_equal(np_sizes_schedule(65, 64, 3, &sizes, &count), -EINVAL);
	assert_null(sizes);
	assert_int_equal(count, 7);
}

/* Every start and perturbation: ascending, unique, and never a zero unasked. */
static void check_always_ascending(void **state)
{
	size_t *sizes;
	size_t count;

	(void)state;
	for (size_t lower = 0; lower < 70; lower++) {
		for (size_t perturbation = 0; perturbation < 40; perturbation++) {
			assert_int_equal(np_sizes_schedule(lower, 5000, perturbation,
							   &sizes, &count),
					 0);
			assert_true(sizes[0] > 0 || lower == 0);
			for (size_t i = 1; i < count; i++)
				assert_true(sizes[i - 1] < sizes[i]);
			free(sizes);
		}
	}
}

static void check_giants(void **state)
{
	const size_t four_gib = (size_t)4 << 30;
	size_t *sizes;
	size_t count;

	(void)state;
	assert_int_equal(np_sizes_schedule(four_gib, four_gib, 3, &sizes, &count), 0);
	assert_int_equal(count, 3);
	assert_true(sizes[0] == four_gib - 3 && sizes[2] == four_gib + 3);
	free(sizes);
	assert_int_equal(np_sizes_schedule(1, four_gib, 0, &sizes, &count), 0);
	assert_int_equal(count, 64);
	assert_true(sizes[63] == four_gib && sizes[62] == four_gib / 4 * 3);
	free(sizes);
	assert_int_equal(np_sizes_schedule(1, SIZE_MAX, 3, &sizes, &count), 0);
	assert_true(sizes[count - 1] == (SIZE_MAX / 4 + 1) * 3 + 3);
	free(sizes);
	assert_int_equal(np_sizes_schedule(SIZE_MAX - 1, SIZE_MAX, 3, &sizes, &count), 0);
	assert_int_equal(count, 3);
	assert_true(sizes[0] == SIZE_MAX - 4 && sizes[2] == SIZE_MAX);
	free(sizes);
	assert_int_equal(np_sizes_schedule(1, SIZE_MAX, SIZE_MAX, &sizes, &count), 0);
	assert_int_equal(sizes[0], 1);
	free(sizes);
}

static void check_parse(void **state)
{
	static const size_t expected[] = {
		0, 64, 1024, 4095, (1 << 20) + 3, (size_t)4 << 30
	};
	struct np_error error = { 0 };
	size_t *sizes;
	size_t count;

	(void)state;
	assert_int_equal(np_sizes_parse("4G,64,1k,4K-1,1M+3,1K,0", &sizes, &count, &error),
			 0);
	assert_int_equal(count, 6);
	assert_memory_equal(sizes, expected, sizeof(expected));
	free(sizes);
	assert_int_equal(np_sizes_parse("1K-1K", &sizes, &count, &error), 0);
	assert_int_equal(count, 1);
	assert_int_equal(sizes[0], 0);
	free(sizes);
}

static void check_parse_refusals(void **state)
{
	static const char *const refusals[][2] = {
		{ "", "size '': not a size" },
		{ "64,", "size '': not a size" },
		{ "64,,1K", "size '': not a size" },
		{ "64 ,1K", "size '64 ': not a size" },
		{ "1K,4x", "size '4x': not a size" },
		{ "-4", "size '-4': must not be negative" },
		{ "4-5", "size '4-5': must not be negative" },
		{ "4+", "size '4+': not a size" },
		{ "+4", "size '+4': not a size" },
		{ "4+3+2", "size '4+3+2': not a size" },
		{ "99999999999999999999", "size '99999999999999999999': too large" },
		{ "16777216T", "size '16777216T': too large" },
		{ "18446744073709551615+1", "size '18446744073709551615+1': too large" },
	};
	size_t *sizes = NULL;
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct np_error error = { 0 };
		assert_int_equal(np_sizes_parse(refusals[i][0], &sizes, &count, &error),
				 -EINVAL);
		/* What to give instead follows. */
		assert_memory_equal(error.text, refusals[i][1], strlen(refusals[i][1]));
		assert_int_equal(error.kind, NP_ERROR_USAGE);
		assert_null(sizes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_published),
		cmocka_unit_test(check_counts),
		cmocka_unit_test(check_corners),
		cmocka_unit_test(check_upper_below_lower),
		cmocka_unit_test(check_always_ascending),
		cmocka_unit_test(check_giants),
		cmocka_unit_test(check_parse),
		cmocka_unit_test(check_parse_refusals),
	};

	return cmocka_run_group_tests_name("sizes", tests, NULL, NULL);
}
