/*
 * test_limit.c - which fact explains a break.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "results/limit.h"

static bool matches(const char *name, uint64_t bytes, size_t low, size_t high,
		    const char *label, size_t times)
{
	const struct np_facts hosts[2] = { { .list = NULL } };
	struct np_facts facts[2] = { { .list = NULL } };
	struct np_limit limit;

	np_facts_add_number(&facts[0], name, bytes, NP_UNIT_BYTES, NULL);
	const bool found = np_limits_find(facts, hosts, low, high, &limit, 1) == 1;
	if (found) {
		assert_ptr_equal(limit.fact, &facts[0].list[0]);
		assert_string_equal(limit.label, label);
		assert_int_equal(limit.bytes, bytes);
		assert_int_equal(limit.times, times);
	}
	np_facts_free(&facts[0]);
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
	assert_true(matches("shm_eager_bytes", 8192, 7936, 7937, "eager limit", 1));
	assert_false(matches("shm_eager_bytes", 8192, 7935, 7936, NULL, 0));
	assert_false(matches("eager_limit", 256, 191, 192, NULL, 0));
	/* A packet has a shorter one. */
	assert_true(matches("port_mtu", 4096, 4040, 4041, "MTU", 1));
	assert_false(matches("port_mtu", 4096, 4031, 4032, NULL, 0));
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

static void add_host(struct np_facts *facts)
{
	np_facts_add_number(facts, "cache_line_bytes", 64, NP_UNIT_BYTES, NULL);
	np_facts_add_number(facts, "cache_l1d_bytes", 32768, NP_UNIT_BYTES, NULL);
	np_facts_add_number(facts, "page_bytes", 4096, NP_UNIT_BYTES, NULL);
}

/* All that two processes of one kind report there, with commas between. */
static void assert_named(const struct np_facts *path, size_t low, size_t high,
			 const char *expected)
{
	struct np_facts hosts[2] = { { .list = NULL }, { .list = NULL } };
	const struct np_facts paths[2] = { *path, *path };
	struct np_limit limits[4];
	char all[400] = "", text[100];
	size_t length = 0;

	for (size_t rank = 0; rank < 2; rank++)
		add_host(&hosts[rank]);
	const size_t count = np_limits_find(paths, hosts, low, high, limits, 4);
	for (size_t i = 0; i < count; i++) {
		np_limit_text(&limits[i], text, sizeof(text));
		length += (size_t)snprintf(all + length, sizeof(all) - length, "%s%s",
					   i != 0 ? ", " : "", text);
	}
	assert_string_equal(all, expected);
	for (size_t rank = 0; rank < 2; rank++)
		np_facts_free(&hosts[rank]);
}

/* As Open MPI 4.1 reports over shared memory: the step is where a message and its
 * header of 56 B no longer fit. */
static void open_mpi(void **state)
{
	struct np_facts path = { .list = NULL };

	(void)state;
	np_facts_add_number(&path, "eager_limit_bytes", 4096, NP_UNIT_BYTES,
			    "btl_vader_eager_limit");
	np_facts_add_number(&path, "inline_limit_bytes", 256, NP_UNIT_BYTES,
			    "btl_vader_max_inline_send");
	assert_named(&path, 4040, 4041,
		     "eager limit (btl_vader_eager_limit 4096 less 56 B of header)");
	assert_named(&path, 4096, 4097, "eager limit (btl_vader_eager_limit 4096)");
	assert_named(&path, 4095, 4096, "eager limit (btl_vader_eager_limit 4096)");
	assert_named(&path, 4000, 4200, "eager limit (btl_vader_eager_limit 4096)");
	assert_named(&path, 228, 229,
		     "inline limit (btl_vader_max_inline_send 256 less 28 B of header)");
	/* Where the library has no limit, the machine's are named. */
	assert_named(&path, 8192, 8193, "page, 2 times (page_bytes 4096)");
	assert_named(&path, 64, 65, "cache line (cache_line_bytes 64)");
	assert_named(&path, 20000, 20001, "");
	np_facts_free(&path);
}

/* As MPICH 4.0 reports over UCX: a threshold that is not a number rules nothing. */
static void mpich(void **state)
{
	struct np_facts path = { .list = NULL };

	(void)state;
	np_facts_add(&path, "eager_limit_bytes", "not reported");
	np_facts_add(&path, "rndv_limit_bytes", "auto (UCX_RNDV_THRESH)");
	assert_named(&path, 8255, 8256, "");
	/* An eager limit that is not reported may lie at a page or a cache line. */
	assert_named(&path, 4096, 4097, "");
	assert_named(&path, 64, 96, "");
	np_facts_add_number(&path, "rndv_limit_bytes", 16384, NP_UNIT_BYTES,
			    "UCX_RNDV_THRESH");
	assert_named(&path, 16383, 16384, "rendezvous limit (UCX_RNDV_THRESH 16384)");
	np_facts_free(&path);
}

/* As NPucx reports over shared memory: short messages end below the eager limit. */
static void ucx(void **state)
{
	struct np_facts path = { .list = NULL };

	(void)state;
	np_facts_add_number(&path, "eager_short_limit_bytes", 93, NP_UNIT_BYTES, NULL);
	np_facts_add_number(&path, "eager_copy_limit_bytes", 8185, NP_UNIT_BYTES, NULL);
	np_facts_add_number(&path, "rndv_limit_bytes", 20553, NP_UNIT_BYTES, NULL);
	assert_named(&path, 92, 93, "short limit (eager_short_limit_bytes 93)");
	assert_named(&path, 64, 96, "short limit (eager_short_limit_bytes 93)");
	assert_named(&path, 8184, 8185, "copy limit (eager_copy_limit_bytes 8185)");
	assert_named(&path, 20552, 20553, "rendezvous limit (rndv_limit_bytes 20553)");
	np_facts_free(&path);
}

static void what_is_no_limit(void **state)
{
	const struct np_facts hosts[2] = { { .list = NULL } };
	struct np_facts facts[2] = { { .list = NULL } };
	struct np_limit limit;

	(void)state;
	assert_false(matches("max_qp", 1024, 1024, 1025, NULL, 0));
	assert_false(matches("mtu", 0, 0, 1, NULL, 0));
	assert_false(matches("mtu", UINT64_MAX, SIZE_MAX - 1, SIZE_MAX, NULL, 0));
	np_facts_add(&facts[0], "mtu", "not reported");
	np_facts_add(&facts[0], "eager_limit", "1024");
	np_facts_add_number(&facts[0], "mss", 1024, NP_UNIT_COUNT, NULL);
	assert_int_equal(np_limits_find(facts, hosts, 1024, 1025, &limit, 1), 0);
	np_facts_free(&facts[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_the_byte),
		cmocka_unit_test(packets_repeat),
		cmocka_unit_test(near_a_gap),
		cmocka_unit_test(open_mpi),
		cmocka_unit_test(mpich),
		cmocka_unit_test(ucx),
		cmocka_unit_test(what_is_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
