/*
 * test_fleet.c - the schedule of a tournament, and what is found in fleets whose truth is
 * known.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fleet/fleet.h"
#include "tests/unit/fleet_model.h"

static void check_rounds(size_t hosts)
{
	bool met[12][12] = { { false } };

	for (size_t round = 0; round < np_round_robin_rounds(hosts); round++) {
		for (size_t i = 0; i < hosts; i++) {
			const size_t partner = np_round_robin_partner(hosts, round, i);

			if (partner == hosts) {
				assert_true(hosts % 2 == 1);
				continue;
			}
			assert_true(partner < hosts && partner != i);
			assert_int_equal(np_round_robin_partner(hosts, round, partner), i);
			assert_int_equal(np_round_robin_round(hosts, i, partner), round);
			assert_false(met[i][partner]);
			met[i][partner] = true;
		}
	}
	for (size_t i = 0; i < hosts * hosts; i++)
		assert_true(met[i / hosts][i % hosts] == (i / hosts != i % hosts));
}

static void each_meets_each_other_once(void **state)
{
	(void)state;
	for (size_t hosts = 2; hosts <= 12; hosts++)
		check_rounds(hosts);
	assert_int_equal(np_round_robin_rounds(0), 0);
	assert_int_equal(np_round_robin_rounds(64), 63);
	assert_int_equal(np_round_robin_rounds(65), 65);
}

/* Of ten fleets of 64 hosts; the figures of doc/acceptance.md are of a hundred. */
static unsigned count_found(enum planted planted, unsigned *wrong, size_t *open)
{
	unsigned found = 0;

	*wrong = 0;
	*open = 0;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct fleet_model model = { .hosts = 64,
					     .rack = 8,
					     .planted = planted,
					     .times = 1.1,
					     .noise = 0.01,
					     .seed = seed };
		struct fleet_said said = { .alarms = 0 };
		size_t rounds;

		assert_int_equal(try_fleet(&model, &said, &rounds), 0);
		assert_true(rounds >= 63);
		found += said.found;
		*wrong += said.alarms > said.named;
		*open += said.open;
	}
	return found;
}

static void what_is_slow_is_named(void **state)
{
	unsigned wrong;
	size_t open;

	(void)state;
	for (enum planted planted = SLOW_HOST; planted < PLANTED; planted++) {
		assert_true(count_found(planted, &wrong, &open) >= 9);
		assert_true(wrong <= 1);
		/* Nor the hosts of a slow rack: they are slow by their rack. */
		assert_true(open <= 1);
	}
	assert_int_equal(count_found(HEALTHY, &wrong, &open), 0);
	assert_int_equal(wrong, 0);
}

/* A fleet of four hosts without noise, but of its measurements. */
static void fit_four(struct np_fleet *fleet, double slow_host, double slow_pair)
{
	assert_int_equal(np_fleet_init(fleet, 4, NULL, 0), 0);
	for (size_t one = 0; one < 4; one++) {
		for (size_t other = 0; other < one; other++)
			fleet->logs[np_fleet_at(one, other)] =
				(float)((one == 3 ? slow_host : 0) - 11 +
					(one == 1 && other == 0 ? slow_pair : 0));
	}
	fleet->error = 0.01;
	fleet->error_degrees = 24;
	assert_int_equal(np_fleet_fit(fleet), 0);
}

static void four_hosts_are_enough(void **state)
{
	struct np_fleet fleet;
	struct np_fleet_suspect *pairs;
	size_t count;

	(void)state;
	fit_four(&fleet, 1.0, 0.0);
	for (size_t i = 0; i < 4; i++)
		assert_true(fleet.host_effects[i].slow == (i == 3));
	assert_true(fabs(fleet.host_effects[3].effect - 1.0) < 1e-3);
	np_fleet_free(&fleet);
	fit_four(&fleet, 0.0, 1.0);
	for (size_t i = 0; i < 4; i++)
		assert_false(fleet.host_effects[i].slow);
	assert_int_equal(np_fleet_stand_out(&fleet, &pairs, &count), 0);
	assert_int_equal(count, 1);
	assert_true(pairs[0].one == 0 && pairs[0].other == 1);
	free(pairs);
	np_fleet_free(&fleet);
}

/* A host that could not be measured has no effect, and the others have theirs. */
static void a_host_that_is_missing(void **state)
{
	struct np_fleet fleet;

	(void)state;
	assert_int_equal(np_fleet_init(&fleet, 6, NULL, 0), 0);
	for (size_t one = 0; one < 5; one++) {
		for (size_t other = 0; other < one; other++)
			fleet.logs[np_fleet_at(one, other)] = one == 4 ? -10.5F : -11;
	}
	fleet.error = 0.01;
	fleet.error_degrees = 24;
	assert_int_equal(np_fleet_fit(&fleet), 0);
	assert_true(isnan(fleet.host_effects[5].effect) && !fleet.host_effects[5].slow);
	assert_true(fleet.host_effects[4].slow && !fleet.host_effects[0].slow);
	np_fleet_free(&fleet);
}

static void three_hosts_have_no_slow_one(void **state)
{
	struct np_fleet fleet;

	(void)state;
	assert_int_equal(np_fleet_init(&fleet, 3, NULL, 0), 0);
	for (size_t i = 0; i < 3; i++)
		fleet.logs[i] = i == 0 ? -11 : -9;
	assert_int_equal(np_fleet_fit(&fleet), 0);
	for (size_t i = 0; i < 3; i++)
		assert_false(fleet.host_effects[i].slow);
	np_fleet_free(&fleet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_meets_each_other_once),
		cmocka_unit_test(what_is_slow_is_named),
		cmocka_unit_test(four_hosts_are_enough),
		cmocka_unit_test(a_host_that_is_missing),
		cmocka_unit_test(three_hosts_have_no_slow_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
