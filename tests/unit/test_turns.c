/*
 * test_turns.c - the order of modes: each follows each other equally often.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "plan/order.h"

enum { MOST = 12 };

/* Over a cycle each one is at each place equally often, and follows each other one
 * equally often within a round. */
static void check_balance(void **state)
{
	(void)state;
	for (size_t count = 2; count <= MOST; count++) {
		const size_t cycle = count % 2 == 0 ? count : 2 * count;
		size_t places[MOST][MOST] = { { 0 } }, follows[MOST][MOST] = { { 0 } };

		for (size_t round = 0; round < cycle; round++) {
			for (size_t turn = 0; turn < count; turn++) {
				const size_t now = np_balanced_at(count, round, turn);

				assert_true(now < count);
				places[now][turn]++;
				if (turn != 0)
					follows[np_balanced_at(count, round, turn - 1)]
					       [now]++;
			}
		}
		for (size_t a = 0; a < count; a++) {
			for (size_t b = 0; b < count; b++) {
				assert_int_equal(places[a][b], cycle / count);
				assert_int_equal(follows[a][b], a == b ? 0 : cycle / count);
			}
		}
	}
}

/* A row is followed by its reversal; of two that is ABBA. */
static void check_reversal(void **state)
{
	(void)state;
	for (size_t count = 1; count <= MOST; count++) {
		for (size_t round = 0; round < 3 * MOST; round += 2) {
			for (size_t turn = 0; turn < count; turn++)
				assert_int_equal(
					np_balanced_at(count, round, turn),
					np_balanced_at(count, round + 1, count - 1 - turn));
		}
	}
	assert_int_equal(np_balanced_at(2, 0, 0), 0);
	assert_int_equal(np_balanced_at(2, 1, 0), 1);
	assert_int_equal(np_balanced_at(2, 2, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_balance),
		cmocka_unit_test(check_reversal),
	};

	return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
