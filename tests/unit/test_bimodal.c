/*
 * test_bimodal.c - one mode of times or two.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "curves.h"
#include "stats/bimodal.h"

/* Two points of equal weight are as far from unimodal as can be: a quarter. */
static void dip_of_two_points(void **state)
{
	(void)state;
	double values[40];

	for (size_t i = 0; i < 40; i++)
		values[i] = i < 20 ? 1 : 2;
	assert_true(fabs(np_dip(values, 40) - 0.25) < 1e-12);
}

/* Values at equal distances lie as near to a uniform distribution as steps can. */
static void dip_of_a_ruler(void **state)
{
	(void)state;
	double values[50];

	for (size_t i = 0; i < 50; i++)
		values[i] = (double)i;
	assert_true(fabs(np_dip(values, 50) - 0.01) < 1e-12);
}

/* A test of 5 % rejects about 5 % of uniform samples. */
static void p_is_a_chance(void **state)
{
	(void)state;
	enum { COUNT = 60, TRIALS = 400 };
	struct np_random random = { 11 };
	double values[COUNT], sum;
	size_t rejected = 0;

	for (size_t trial = 0; trial < TRIALS; trial++) {
		sum = 0;
		for (size_t i = 0; i < COUNT; i++)
			values[i] = sum += -log(uniform(&random));
		rejected += np_dip_p(np_dip(values, COUNT), COUNT, 200, 5) < 0.05;
	}
	assert_in_range(rejected, 8, 36);
}

/* Log-normal times of one mode, or of two that are `apart`, a share in the upper. */
static struct np_bimodal draw(struct np_random *random, double spread, double apart,
			      double share)
{
	double values[120];

	for (size_t i = 0; i < 120; i++)
		values[i] = exp(spread * normal(random)) *
			    (uniform(random) < share ? apart : 1);
	return np_bimodal_find(values, 120, 120, 1.03);
}

static void one_mode_is_one(void **state)
{
	(void)state;
	struct np_random random = { 3 };

	for (size_t i = 0; i < 200; i++)
		assert_false(draw(&random, 0.001 * (double)(1 + i), 1, 0).two);
	/* Stragglers are no second mode. */
	for (size_t i = 0; i < 100; i++)
		assert_false(draw(&random, 0.01, 2, 0.05).two);
}

static void two_modes_are_two(void **state)
{
	(void)state;
	struct np_random random = { 4 };

	for (size_t i = 0; i < 100; i++) {
		const struct np_bimodal modes = draw(&random, 0.01, 1.3, 0.5);

		assert_true(modes.two);
		assert_true(fabs(modes.lower - 1) < 0.01);
		assert_true(fabs(modes.upper - 1.3) < 0.015);
		assert_true(modes.share > 0.3 && modes.share < 0.7);
	}
}

/* Visits of 8 samples that scatter less than visits do are as many values as visits; of
 * independent samples each is one. */
static void a_visit_may_be_one_value(void **state)
{
	(void)state;
	struct np_random random = { 6 };
	double values[120], apart[120];
	size_t visits[15], two = 0;

	for (size_t i = 0; i < 120; i++)
		apart[i] = exp(0.1 * normal(&random));
	for (size_t visit = 0; visit < 15; visit++)
		visits[visit] = 8;
	assert_true(np_independent_values(apart, visits, 15) > 90);
	assert_true(np_independent_values(values, visits, 0) < 1);
	for (size_t trial = 0; trial < 100; trial++) {
		for (size_t i = 0; i < 120; i++)
			values[i] = i % 8 == 0 ? exp(0.1 * normal(&random)) :
						 values[i - i % 8] *
							 exp(0.001 * normal(&random));
		const double independent = np_independent_values(values, visits, 15);

		assert_true(independent > 14.9 && independent < 17);
		two += np_bimodal_find(values, 120, independent, 1.03).two;
	}
	assert_true(two <= 2);
}

static void few_values_are_one(void **state)
{
	(void)state;
	double values[] = { 1, 2, 1, 2, 1, 2 };

	assert_false(np_bimodal_find(values, 6, 6, 1.03).two);
	assert_false(np_bimodal_find(values, 0, 0, 1.03).two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dip_of_two_points),
		cmocka_unit_test(dip_of_a_ruler),
		cmocka_unit_test(p_is_a_chance),
		cmocka_unit_test(one_mode_is_one),
		cmocka_unit_test(two_modes_are_two),
		cmocka_unit_test(few_values_are_one),
		cmocka_unit_test(a_visit_may_be_one_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
