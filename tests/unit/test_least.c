/*
 * test_least.c - least squares and median polish, on numbers
 * small enough to be worked out by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "stats/least.h"
#include "stats/stats.h"

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) < 1e-6);
}

/* Points (0, 1), (1, 3), (2, 2), (3, 5), (4, 4) with errors of 1: the line 1.4 + 0.8 x. */
static void fits_a_line(void **state)
{
	(void)state;
	const double y[] = { 1, 3, 2, 5, 4 };
	struct np_least least = { .columns = 2 };
	struct np_solution solution;
	double error;

	for (size_t i = 0; i < 5; i++) {
		double row[] = { 1, (double)i, y[i] };

		assert_true(i > 1 || !np_least_solve(&least, 2, &solution));
		np_least_add(&least, row);
	}
	assert_true(np_least_solve(&least, 2, &solution));
	assert_near(np_solution_unknown(&solution, 0, &error), 1.4);
	assert_near(error, sqrt(1.0 / 5 + 4.0 / 10));
	assert_near(np_solution_unknown(&solution, 1, &error), 0.8);
	assert_near(error, sqrt(1.0 / 10));
	assert_near(solution.squares, 3.6);
	assert_near(np_solution_excess(&solution), sqrt(3.6 / 3));
	/* Of the first column alone: the mean. */
	assert_true(np_least_solve(&least, 1, &solution));
	assert_near(solution.x[0], 3);
	assert_near(solution.squares, 10);
}

static void dependent_columns_have_no_solution(void **state)
{
	(void)state;
	struct np_least least = { .columns = 2 };
	struct np_solution solution;

	for (size_t i = 0; i < 5; i++) {
		double row[] = { (double)i, 3 * (double)i, 1 };

		np_least_add(&least, row);
	}
	assert_false(np_least_solve(&least, 2, &solution));
}

/* Deaths from sport parachuting (P. F. Velleman and D. C. Hoaglin, Applications, Basics,
 * and Computing of Exploratory Data Analysis, 1981, p. 224), the example of R's
 * medpolish(): rows of 8 + (6, -1, 0, 2, -8), absolute residuals of 19 in all. */
static void polishes_a_table(void **state)
{
	(void)state;
	double deaths[] = { 14, 15, 14, 7, 4, 7, 8, 2, 10, 15, 9, 10, 0, 2, 0 };
	const double expected[] = { 14, 7, 8, 10, 0 };
	double levels[5], scratch[5], all = 0;

	np_median_polish(deaths, 5, 3, 6, levels, scratch);
	for (size_t i = 0; i < 5; i++)
		assert_near(levels[i], expected[i]);
	for (size_t i = 0; i < 15; i++)
		all += fabs(deaths[i]);
	assert_near(all, 19);
}

static void polishes_around_gaps(void **state)
{
	(void)state;
	const double none = (double)NAN;
	double table[] = { 1, none, 3, none, none, none, 11, 12, 13 };
	const double residuals[] = { 1, -1, 0, none, 2 };
	double levels[3], scratch[5];

	np_median_polish(table, 3, 3, 3, levels, scratch);
	assert_near(levels[0], 2);
	assert_true(isnan(levels[1]));
	assert_near(levels[2], 12);
	for (size_t i = 0; i < 9; i++)
		assert_true(isnan(table[i]) || fabs(table[i]) < 1e-12);
	assert_near(np_polish_error(residuals, 5, 4, scratch),
		    NP_MEDIAN_LOSS / NP_NORMAL_MAD / 2);
	assert_near(np_polish_error(residuals + 2, 1, 4, scratch), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fits_a_line),
		cmocka_unit_test(dependent_columns_have_no_solution),
		cmocka_unit_test(polishes_a_table),
		cmocka_unit_test(polishes_around_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
