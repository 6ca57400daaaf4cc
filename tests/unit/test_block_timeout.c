/*
 * test_block_timeout.c - a message that never comes is told from one that is late, also
 * where an end gets no processor.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "endpoint/block_timeout.h"

static const uint64_t second = 1000000000u;

/* The first of ten times a second apart, from `now` on, at which it is over while
 * each end starves for so much of each second; 0: none. */
static unsigned over_after(uint64_t now, uint64_t deadline, uint64_t own, uint64_t peers)
{
	struct np_block_timeout timeout = { .excuse_ns = 60 * second };
	uint64_t starved[2] = { 3 * second, 5 * second };

	/* Idle, before the block begins. */
	assert_false(np_block_timeout_is_over(&timeout, 0, now, starved));
	for (unsigned look = 1; look <= 10; look++) {
		now += second;
		starved[0] += own;
		starved[1] += peers;
		if (np_block_timeout_is_over(&timeout, deadline, now, starved))
			return look;
	}
	return 0;
}

/* Checks once a second from `from` to `to`, where the result is that of the last. */
static bool check_until(struct np_block_timeout *timeout, uint64_t deadline, uint64_t from,
			uint64_t to, const uint64_t starved[2])
{
	bool over = false;

	for (uint64_t now = from; now <= to; now += second)
		over = np_block_timeout_is_over(timeout, deadline, now, starved);
	return over;
}

static void test_no_block(void **state)
{
	(void)state;
	assert_int_equal(over_after(100 * second, 0, 0, 0), 0);
}

/* The second look at or behind the deadline. */
static void test_lost(void **state)
{
	(void)state;
	assert_int_equal(over_after(100 * second, 105 * second, 0, 0), 6);
	assert_int_equal(over_after(100 * second, 1 * second, 0, 0), 2);
}

/* Half of the time does not count, whichever process waits; nor more where both do, as two
 * that poll on a busy machine. */
static void test_starved(void **state)
{
	(void)state;
	assert_int_equal(over_after(100 * second, 103 * second, second / 2, 0), 7);
	assert_int_equal(over_after(100 * second, 103 * second, 0, second / 2), 7);
	assert_int_equal(over_after(100 * second, 103 * second, second / 2, second / 2), 7);
	assert_int_equal(over_after(100 * second, 103 * second, second, 0), 0);
}

/* What was starved for before a block does not excuse it; another one begins anew. */
static void test_each_block(void **state)
{
	struct np_block_timeout timeout = { .deadline = 0 };
	uint64_t starved[2] = { 0, 0 };

	(void)state;
	assert_false(np_block_timeout_is_over(&timeout, 0, 149 * second, starved));
	starved[0] = 50 * second;
	assert_false(np_block_timeout_is_over(&timeout, 0, 150 * second, starved));
	assert_false(
		np_block_timeout_is_over(&timeout, 151 * second, 151 * second, starved));
	assert_false(
		np_block_timeout_is_over(&timeout, 152 * second, 152 * second, starved));
	assert_true(
		np_block_timeout_is_over(&timeout, 152 * second, 153 * second, starved));
}

/* Waits that a peer claims extend the time by as much as it is excused, and own waits by a
 * minute. */
static void test_bounded(void **state)
{
	struct np_block_timeout timeout = { .excuse_ns = 5 * second };
	uint64_t starved[2] = { 0, 0 };

	(void)state;
	assert_false(np_block_timeout_is_over(&timeout, 0, 100 * second, starved));
	starved[1] = 1000 * second;
	assert_false(
		check_until(&timeout, 110 * second, 101 * second, 115 * second, starved));
	starved[0] = 1000 * second;
	assert_false(
		check_until(&timeout, 110 * second, 116 * second, 170 * second, starved));
	assert_true(
		np_block_timeout_is_over(&timeout, 110 * second, 171 * second, starved));
}

/* A process that is stopped, or has a stopped peer, checks nothing: the block has as much
 * time left after that as before, however often, and the next block has nothing of it. */
static void test_stopped(void **state)
{
	struct np_block_timeout timeout = { .deadline = 0 };
	const uint64_t starved[2] = { 0, 0 }, deadline = 107 * second;

	(void)state;
	assert_false(check_until(&timeout, 0, 95 * second, 99 * second, starved));
	/* Stopped between the begin of the block and its first check. */
	assert_false(
		check_until(&timeout, deadline, 1000 * second, 1004 * second, starved));
	assert_false(
		check_until(&timeout, deadline, 2000 * second, 2003 * second, starved));
	assert_true(check_until(&timeout, deadline, 2004 * second, 2008 * second, starved));
	assert_true(check_until(&timeout, 2010 * second, 2009 * second, 2011 * second,
				starved));
}

/* A peer may tell any number. */
static void test_any_number(void **state)
{
	struct np_block_timeout timeout = { .deadline = 0 };
	const uint64_t first[2] = { 0, UINT64_MAX }, then[2] = { 0, 7 };

	(void)state;
	assert_false(np_block_timeout_is_over(&timeout, 0, second, first));
	assert_false(np_block_timeout_is_over(&timeout, second, second, then));
	assert_true(np_block_timeout_is_over(&timeout, second, 2 * second, then));
	timeout = (struct np_block_timeout){ .excuse_ns = UINT64_MAX };
	for (unsigned look = 0; look < 5; look++)
		assert_false(np_block_timeout_is_over(&timeout, second,
						      (60 + look) * second, first));
}

static void test_how_long(void **state)
{
	(void)state;
	assert_int_equal(np_block_timeout_unknown(0, 0), 7 * second);
	assert_int_equal(np_block_timeout_unknown(50000, 1), 8 * second + second / 100);
	assert_int_equal(np_block_timeout_unknown(0, 100), 8 * second);
	assert_int_equal(np_block_timeout_expected(0), 7 * second);
	assert_int_equal(np_block_timeout_expected(20e6), 8 * second);
}

static void test_kernel_counts(void **state)
{
	const int fd = np_starved_open();

	(void)state;
	assert_int_equal(np_starved_ns(-1), 0);
	if (fd < 0)
		skip();
	const uint64_t before = np_starved_ns(fd);
	/* Whoever sleeps has to wait for a processor again, if only for a moment. */
	for (unsigned i = 0; i < 20000 && np_starved_ns(fd) == before; i++)
		usleep(100);
	assert_true(np_starved_ns(fd) > before);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_block), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_starved),	 cmocka_unit_test(test_each_block),
		cmocka_unit_test(test_bounded),	 cmocka_unit_test(test_any_number),
		cmocka_unit_test(test_how_long), cmocka_unit_test(test_kernel_counts),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests_name("timeout", tests, NULL, NULL);
}
