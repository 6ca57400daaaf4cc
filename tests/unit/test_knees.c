/*
 * test_knees.c - plateaus and transitions where it is known what is planted.
 *
 * The shares asserted below are of fixed seeds, and lie a little under what was
 * counted; doc/method.md has counts of many more.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "curves.h"
#include "questions/knees.h"

enum { POSITIONS = 40, UNITS = 8, AXES = 4 };

/* What is planted: how much longer it takes beyond so many buffers, all at once or as
 * where any of them gives way. */
struct planted {
	double capacity, effect;
	bool any_gives_way;
};

static void schedule(double *where)
{
	for (size_t i = 0; i < POSITIONS; i++) {
		const size_t power = (i + 1) / 2;

		where[i] = i == 0 ? 1 : exp2((double)power) * (i % 2 != 0 ? 1 : 1.5);
	}
}

/* The share of misses where any gives way to any, by iteration. */
static double share_of(double times)
{
	double share = 1;

	for (unsigned i = 0; i < 500 && times > 1; i++)
		share = 1 - exp(-share * times);
	return times > 1 ? share : 0;
}

static void draw(struct np_random *random, const double *where,
		 const struct planted *planted, size_t count, double noise, double *values)
{
	for (size_t i = 0; i < UNITS * POSITIONS; i++) {
		double seconds = 1;

		for (size_t k = 0; k < count; k++) {
			const double times = where[i % POSITIONS] / planted[k].capacity;

			seconds *= 1 + planted[k].effect * (planted[k].any_gives_way ?
								    share_of(times) :
								    (times > 1 ? 1 : 0));
		}
		values[i] = log(seconds) + noise * normal(random);
	}
}

static struct np_transitions find(const double *values, double alpha)
{
	struct np_transitions transitions;

	assert_int_equal(
		np_transitions_find(values, UNITS, POSITIONS, alpha, 1e-3, 1, &transitions),
		0);
	return transitions;
}

/* Of runs of several axes with nothing planted, how many raise anything. */
static void nothing_planted(void **state)
{
	double where[POSITIONS], values[UNITS * POSITIONS];
	struct np_random random = { 11 };
	size_t raised = 0;

	(void)state;
	schedule(where);
	for (size_t run = 0; run < 200; run++) {
		size_t count = 0;

		for (size_t axis = 0; axis < AXES; axis++) {
			draw(&random, where, NULL, 0, 0.02, values);
			struct np_transitions found = find(values, 0.008 / AXES);
			count += found.count;
			np_transitions_free(&found);
		}
		raised += count != 0;
	}
	assert_true(raised <= 2);
}

/* Numbers of buffers that differ by what every pass repeats: exchanges within a pass do
 * not keep that, so their test lets all of it pass. */
static void numbers_differ(void **state)
{
	double where[POSITIONS], values[UNITS * POSITIONS], own[POSITIONS];
	struct np_random random = { 12 };
	size_t raised = 0;

	(void)state;
	schedule(where);
	for (size_t run = 0; run < 500; run++) {
		size_t count = 0;

		for (size_t axis = 0; axis < AXES; axis++) {
			for (size_t i = 0; i < POSITIONS; i++)
				own[i] = 0.02 * normal(&random);
			draw(&random, where, NULL, 0, 0.02, values);
			for (size_t i = 0; i < UNITS * POSITIONS; i++)
				values[i] += own[i % POSITIONS];
			struct np_transitions found = find(values, 0.008 / AXES);
			count += found.count;
			np_transitions_free(&found);
		}
		raised += count != 0;
	}
	assert_true(raised <= 5);
}

static size_t last_within(const double *where, double capacity)
{
	size_t at = 0;

	while (at + 1 < POSITIONS && where[at + 1] <= capacity)
		at++;
	return at;
}

/* Two capacities a sweep, a factor of 16 apart at least. */
static void draw_planted(struct np_random *random, double effect, bool any_gives_way,
			 struct planted *planted)
{
	const double first = 2 + 6 * uniform(random);
	const double second = first + 4 + 6 * uniform(random);

	planted[0] = (struct planted){ exp2(first), effect, any_gives_way };
	planted[1] = (struct planted){ exp2(second), effect, any_gives_way };
}

struct score {
	size_t planted, raised, near, covered, gradual;
};

static struct score score_of(double effect, bool any_gives_way, size_t sweeps,
			     uint64_t seed)
{
	double where[POSITIONS], values[UNITS * POSITIONS];
	struct np_random random = { seed };
	struct score score = { .planted = 2 * sweeps };

	schedule(where);
	for (size_t sweep = 0; sweep < sweeps; sweep++) {
		struct planted planted[2];

		draw_planted(&random, effect, any_gives_way, planted);
		draw(&random, where, planted, 2, 0.02, values);
		struct np_transitions found = find(values, 0.002);
		score.raised += found.count;
		for (size_t i = 0; i < found.count && i < 2; i++) {
			const struct np_transition *it = &found.list[i];
			const size_t truth = last_within(where, planted[i].capacity);
			const bool near = it->place + 1 >= truth && truth + 1 >= it->place;

			score.near += near;
			score.covered += near && it->low <= truth && it->high > truth;
			score.gradual += it->high > it->low + 1;
		}
		np_transitions_free(&found);
	}
	return score;
}

/* Used longest ago gives way: at once, and so the place is exact. */
static void steps(void **state)
{
	const struct score score = score_of(0.1, false, 60, 21);

	(void)state;
	assert_true(score.raised >= score.planted - 1 && score.raised <= score.planted + 1);
	assert_true(score.near >= score.planted - 2);
	assert_true(score.covered >= score.planted - 4);
	assert_true(score.gradual <= score.planted / 4);
}

/* Any gives way: one wide transition each, and no staircase. */
static void ramps(void **state)
{
	const struct score score = score_of(0.5, true, 60, 22);

	(void)state;
	assert_true(score.raised >= score.planted - 4 && score.raised <= score.planted + 4);
	assert_true(score.near >= score.planted * 95 / 100);
	assert_true(score.covered >= score.planted * 95 / 100);
	assert_true(score.gradual >= score.planted * 95 / 100);
}

/* A position that is off by itself is no plateau. */
static void one_is_off(void **state)
{
	double where[POSITIONS], values[UNITS * POSITIONS];
	struct np_random random = { 31 };

	(void)state;
	schedule(where);
	draw(&random, where, NULL, 0, 0.02, values);
	for (size_t unit = 0; unit < UNITS; unit++)
		values[unit * POSITIONS + 20] += 0.5;
	struct np_transitions found = find(values, 0.002);
	assert_int_equal(found.count, 0);
	np_transitions_free(&found);
}

/* A run that was stopped within a pass lacks values; levels and the resolution are
 * in the units of the values. */
static void missing_values(void **state)
{
	const struct planted planted = { 100, 0.5, false };
	double where[POSITIONS], values[UNITS * POSITIONS];
	struct np_random random = { 41 };

	(void)state;
	schedule(where);
	draw(&random, where, &planted, 1, 0.02, values);
	for (size_t i = 0; i < UNITS * POSITIONS; i += 3) {
		if (i >= POSITIONS)
			values[i] = (double)NAN;
	}
	struct np_transitions found = find(values, 0.002);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.list[0].place, last_within(where, 100));
	assert_true(fabs(found.list[0].behind - found.list[0].before - log(1.5)) < 0.02);
	assert_true(found.resolution > 0.005 && found.resolution < 0.05);
	np_transitions_free(&found);
}

static void nothing_varies(void **state)
{
	double values[UNITS * POSITIONS] = { 0 };

	(void)state;
	struct np_transitions found = find(values, 0.002);
	assert_int_equal(found.count, 0);
	np_transitions_free(&found);
	for (size_t unit = 0; unit < UNITS; unit++) {
		for (size_t i = 30; i < POSITIONS; i++)
			values[unit * POSITIONS + i] = 0.01;
	}
	found = find(values, 0.002);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.list[0].place, 29);
	np_transitions_free(&found);
}

/* The first passes measure all, the others what was not precise: here the far end, in a
 * run of which NPshm showed a ramp from 1 to 2.6 times and called it none. */
static void late_passes_know_one_plateau(void **state)
{
	enum { PASSES = 32, COMPLETE = 3 };
	double values[PASSES * POSITIONS];
	struct np_transitions found;
	struct np_random random = { 12 };

	(void)state;
	for (size_t i = 0; i < PASSES * POSITIONS; i++) {
		const size_t position = i % POSITIONS;
		const bool far = position >= 36, near = position % 16 == 0;

		values[i] = (far ? 1 : 0) + 0.01 * normal(&random);
		if (i / POSITIONS >= COMPLETE && !far && !(near && i / POSITIONS < 6))
			values[i] = (double)NAN;
	}
	assert_int_equal(
		np_transitions_find(values, PASSES, POSITIONS, 0.002, 1e-3, 1, &found), 0);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.list[0].place, 35);
	np_transitions_free(&found);
}

static void few_and_many(void **state)
{
	double values[NP_KNEE_POSITIONS_MAX + 1] = { 0 };
	struct np_transitions found;

	(void)state;
	assert_int_equal(np_transitions_find(values, 0, 0, 0.01, 1e-3, 1, &found), 0);
	assert_int_equal(found.count, 0);
	np_transitions_free(&found);
	assert_int_equal(np_transitions_find(values, 1, 1, 0.01, 1e-3, 1, &found), 0);
	assert_int_equal(found.count, 0);
	np_transitions_free(&found);
	assert_int_equal(np_transitions_find(values, 1, NP_KNEE_POSITIONS_MAX, 0.01, 1e-3,
					     1, &found),
			 0);
	np_transitions_free(&found);
	assert_int_equal(np_transitions_find(values, 1, NP_KNEE_POSITIONS_MAX + 1, 0.01,
					     1e-3, 1, &found),
			 -EINVAL);
	np_transitions_free(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_planted),
		cmocka_unit_test(steps),
		cmocka_unit_test(ramps),
		cmocka_unit_test(one_is_off),
		cmocka_unit_test(missing_values),
		cmocka_unit_test(nothing_varies),
		cmocka_unit_test(few_and_many),
		cmocka_unit_test(late_passes_know_one_plateau),
		cmocka_unit_test(numbers_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
