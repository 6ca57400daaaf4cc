/*
 * test_precise.c - which points of a table have the precision that was asked for.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "results/rows.h"

enum { ROWS = 4 };

static bool is_precise(const struct np_table *table, size_t length)
{
	return np_table_is_precise(table, 0.03, length, NP_AXIS_NONE, 0);
}

static void check_precise(void **state)
{
	struct np_row rows[ROWS] = { { .length = 64, .mode = NP_MODE_REUSE },
				     { .length = 64, .mode = NP_MODE_ROTATE },
				     { .length = 128, .mode = NP_MODE_REUSE },
				     { .length = 128,
				       .mode = NP_MODE_ROTATE,
				       .axis = NP_AXIS_LINES,
				       .buffers = 8 } };
	struct np_pair pair = {
		.length = 64, .ratio = 2, .alone_low = 1.95, .alone_high = 2.05
	};
	const struct np_table table = {
		.rows = rows, .row_count = ROWS, .pairs = &pair, .pair_count = 1
	};

	(void)state;
	assert_true(is_precise(&table, 64));
	assert_true(is_precise(&table, 128));
	assert_false(is_precise(&table, 256));
	assert_true(np_table_is_precise(&table, 0.03, 128, NP_AXIS_LINES, 8));
	assert_false(np_table_is_precise(&table, 0.03, 128, NP_AXIS_LINES, 9));
	/* One mode of several. */
	table.rows[1].flags = NP_ROW_IMPRECISE;
	table.rows[2].flags = NP_ROW_NO_INTERVAL;
	table.rows[3].flags = NP_ROW_PAGE_FAULTS;
	assert_false(is_precise(&table, 64));
	assert_false(is_precise(&table, 128));
	assert_true(np_table_is_precise(&table, 0.03, 128, NP_AXIS_LINES, 8));
	/* The ratio. */
	table.rows[1].flags = 0;
	table.pairs->alone_low = 1.9;
	table.pairs->alone_high = 2.1;
	assert_false(is_precise(&table, 64));
	table.pairs->alone_low = table.pairs->alone_high = (double)NAN;
	assert_false(is_precise(&table, 64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_precise),
	};

	return cmocka_run_group_tests_name("precise", tests, NULL, NULL);
}
