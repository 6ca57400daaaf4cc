/*
 * test_steady.c - when messages over a new connection count as steady.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "stats/steady.h"

/* What a message takes: 1 once `after` have gone, a power of their number before. */
static double time_of(size_t message, size_t after, double power)
{
	return message >= after ? 1 :
				  pow((double)(after + 1) / (double)(message + 1), power);
}

static struct np_steady warm(size_t after, double power)
{
	struct np_steady steady = { .messages = 0 };
	double times[NP_STEADY_WINDOW];

	while (!steady.reached && steady.messages < 100000) {
		const size_t count = np_steady_window(&steady);

		assert_in_range(count, 1, NP_STEADY_WINDOW);
		for (size_t i = 0; i < count; i++)
			times[i] = time_of(steady.messages + i, after, power);
		np_steady_add(&steady, times, count);
	}
	return steady;
}

/* Nothing to warm: as few messages as there may be. */
static void check_steady(void **state)
{
	const struct np_steady steady = warm(0, 0);

	(void)state;
	assert_true(steady.reached);
	assert_int_equal(steady.messages, 32);
	assert_int_equal(steady.after, 0);
	assert_true(steady.first == 1 && steady.last == 1);
}

/* Buffers that grow: however slowly, each doubling of the messages shows it. */
static void check_growing(void **state)
{
	(void)state;
	for (size_t after = 12; after <= 3000; after *= 2) {
		const struct np_steady steady = warm(after, 0.1);

		assert_true(steady.reached);
		assert_true(steady.after >= after / 2 && steady.after <= 2 * after);
		assert_true(steady.last == 1);
		assert_true(steady.first > 1.1);
	}
}

/* What other work adds to half of the messages ends nothing early. */
static void check_disturbed(void **state)
{
	struct np_steady steady = { .messages = 0 };
	double times[NP_STEADY_WINDOW];

	(void)state;
	while (!steady.reached) {
		const size_t count = np_steady_window(&steady);

		for (size_t i = 0; i < count; i++)
			times[i] = time_of(steady.messages + i, 200, 0.1) *
				   (i % 2 == 0 ? 1 : 3);
		np_steady_add(&steady, times, count);
	}
	assert_in_range(steady.after, 100, 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_steady),
		cmocka_unit_test(check_growing),
		cmocka_unit_test(check_disturbed),
	};

	return cmocka_run_group_tests_name("steady", tests, NULL, NULL);
}
