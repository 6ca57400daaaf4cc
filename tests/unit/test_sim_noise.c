/*
 * test_sim_noise.c - noise of NPsim that lasts: host states, correlated noise, and replayed
 * noise, held against what the profile says.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "modules/sim/sim_private.h"

enum { DRAWS = 200000 };

static const double tick_ns = 1e8;

/* Half of the time in a state that doubles times, 2 s at a time: seen by the core-to-core
 * latency or not. */
static void check_states(void **state)
{
	static struct np_sim_profile profile = {
		.states = { .every_ns = 2e9, .lasts_ns = 2e9, .factor = 2 }
	};
	struct np_random random = { 5 };
	struct np_sim_slow slow = np_sim_slow_begin(&profile, &random);
	size_t slow_draws = 0, changes = 0;
	double before = 0;

	(void)state;
	for (size_t i = 0; i < DRAWS; i++) {
		const double now = tick_ns * (double)i;
		const double factor = np_sim_slow_factor(&slow, &profile, &random, now);
		const double core = np_sim_slow_core_latency(&slow, &profile, now);

		assert_true(factor == 1 || factor == 2);
		assert_true(factor == 2 ? core > 100 : core < 100 && core > 0);
		slow_draws += factor == 2;
		changes += i > 0 && factor != before;
		before = factor;
	}
	assert_true(100 * slow_draws > 45 * DRAWS && 100 * slow_draws < 55 * DRAWS);
	/* One in 20 ticks; a state that ends within one is not seen. */
	assert_true(100 * changes > 4 * DRAWS && 100 * changes < 6 * DRAWS);
	profile.states.unseen = true;
	assert_true(np_sim_slow_core_latency(&slow, &profile, 0) == 0);
}

/* From 7 s on and for good: load that begins in the middle of a run, over replayed noise,
 * whose core-to-core latency holds until then. */
static void check_state_from(void **state)
{
	static struct np_sim_profile profile = {
		.states = { .every_ns = 1e9,
			    .lasts_ns = 1e18,
			    .factor = 3,
			    .from_ns = 7e9 },
		.records = { { 0, 2, 20 }, { 1e9, 2, 20 } },
		.record_count = 2,
	};
	struct np_random random = { 8 };
	struct np_sim_slow slow = np_sim_slow_begin(&profile, &random);

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		const double now = tick_ns * (double)i;
		const bool late = i >= 70;

		assert_true(np_sim_slow_factor(&slow, &profile, &random, now) ==
			    (late ? 6 : 2));
		assert_true(np_sim_slow_core_latency(&slow, &profile, now) ==
			    (late ? 160 : 20));
	}
	profile.states.unseen = true;
	assert_true(np_sim_slow_core_latency(&slow, &profile, 20e9) == 20);
}

/* A deviation of 5 %, of which e^-1 is left after a second. */
static void check_correlated(void **state)
{
	static const struct np_sim_profile profile = { .correlated = 0.05,
						       .correlated_ns = 1e9 };
	struct np_random random = { 6 };
	struct np_sim_slow slow = np_sim_slow_begin(&profile, &random);
	static double logs[DRAWS];
	double squares = 0, products = 0;
	const size_t second = (size_t)(1e9 / tick_ns);

	(void)state;
	for (size_t i = 0; i < DRAWS; i++)
		logs[i] = log(
			np_sim_slow_factor(&slow, &profile, &random, tick_ns * (double)i));
	for (size_t i = 0; i + second < DRAWS; i++) {
		squares += logs[i] * logs[i];
		products += logs[i] * logs[i + second];
	}
	assert_true(fabs(sqrt(squares / DRAWS) / 0.05 - 1) < 0.03);
	assert_true(fabs(products / squares - exp(-1)) < 0.05);
}

/* From a place that the seed chooses the records follow each other, and begin again. */
static void check_replay(void **state)
{
	static const struct np_sim_profile profile = {
		.records = { { 0, 1, 30 },
			     { 1e9, 2, 160 },
			     { 3e9, 4, 30 },
			     { 4e9, 4, 30 } },
		.record_count = 4,
	};
	struct np_random random = { 7 };
	struct np_sim_slow slow = np_sim_slow_begin(&profile, &random);
	const double expected[] = { 1, 2, 2, 4 };

	(void)state;
	slow.replay_begin_ns = 0.5e9;
	for (size_t i = 0; i < 12; i++) {
		const double now = 1e9 * (double)i;

		assert_true(np_sim_slow_factor(&slow, &profile, &random, now) ==
			    expected[i % 4]);
		assert_true(np_sim_slow_core_latency(&slow, &profile, now) ==
			    (expected[i % 4] == 2 ? 160 : 30));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_states),
		cmocka_unit_test(check_state_from),
		cmocka_unit_test(check_correlated),
		cmocka_unit_test(check_replay),
	};

	return cmocka_run_group_tests_name("sim_noise", tests, NULL, NULL);
}
