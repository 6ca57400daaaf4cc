/*
 * test_limit.c - which fact explains a break.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "results/limit.h"

static bool matches(const char *name, uint64_t bytes, size_t low, size_t high,
		    const char *label, size_t times)
{
	struct np_facts facts = { .list = NULL };
	struct np_limit limit;

	np_facts_add_number(&facts, name, bytes, NP_UNIT_BYTES, NULL);
	const bool found = np_limit_match(&facts.list[0], low, high, &limit);
	if (found) {
		assert_string_equal(limit.name, name);
		assert_string_equal(limit.label, label);
		assert_int_equal(limit.bytes, bytes);
		assert_int_equal(limit.times, times);
	}
	np_facts_free(&facts);
	return found;
}

static void at_the_byte(void **state)
{
	(void)state;
	assert_true(matches("inline_limit", 220, 220, 221, "inline limit", 1));
	assert_true(matches("inline_limit", 220, 219, 220, "inline limit", 1));
	assert_false(matches("inline_limit", 220, 221, 222, NULL, 0));
	assert_true(matches("shm_eager_bytes", 8192, 8192, 8193, "eager limit", 1));
	/* 16 bytes of header go with the message. */
	assert_true(matches("shm_eager_bytes", 8192, 8176, 8177, "eager limit", 1));
	assert_false(matches("shm_eager_bytes", 8192, 8100, 8101, NULL, 0));
}

static void packets_repeat(void **state)
{
	(void)state;
	assert_true(matches("mss", 1448, 4344, 4345, "TCP segment", 3));
	assert_true(matches("port_mtu", 4096, 8191, 8192, "MTU", 2));
	assert_false(matches("mss", 1448, 4345, 4346, NULL, 0));
	assert_false(matches("mss", 1448, 1448u * 65, 1448u * 65 + 1, NULL, 0));
	assert_true(matches("page_bytes", 4096, 12288, 12289, "page", 3));
	/* An eager limit does not. */
	assert_false(matches("eager_limit", 1024, 2048, 2049, NULL, 0));
}

static void near_a_gap(void **state)
{
	(void)state;
	assert_true(matches("cache_l2_bytes", 1048576, 786435, 1048573,
			    "second-level cache", 1));
	assert_false(matches("cache_l2_bytes", 2097152, 786435, 1048573, NULL, 0));
}

static void what_is_no_limit(void **state)
{
	struct np_facts facts = { .list = NULL };
	struct np_limit limit;

	(void)state;
	assert_false(matches("max_qp", 1024, 1024, 1025, NULL, 0));
	assert_false(matches("mtu", 0, 0, 1, NULL, 0));
	assert_false(matches("mtu", UINT64_MAX, SIZE_MAX - 1, SIZE_MAX, NULL, 0));
	np_facts_add(&facts, "mtu", "not reported");
	np_facts_add(&facts, "eager_limit", "1024");
	np_facts_add_number(&facts, "mss", 1024, NP_UNIT_COUNT, NULL);
	for (size_t i = 0; i < facts.count; i++)
		assert_false(np_limit_match(&facts.list[i], 1024, 1025, &limit));
	np_facts_free(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_the_byte),
		cmocka_unit_test(packets_repeat),
		cmocka_unit_test(near_a_gap),
		cmocka_unit_test(what_is_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
