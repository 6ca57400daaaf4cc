/*
 * test_matrix.c - lists of hosts, pairs of them, and the pair that stands out.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "results/matrix.h"

static void check_list(void **state)
{
	struct np_host_list list;
	struct np_error error = { .code = 0 };

	(void)state;
	assert_int_equal(np_host_list_read("f",
					   "# all of them\n"
					   "a\n\n"
					   "  me@b  10.0.0.2\t# by another wire\r\n"
					   "me@c\n"
					   "d fd00::4",
					   &list, &error),
			 0);
	assert_int_equal(list.count, 4);
	assert_string_equal(list.hosts[0].name, "a");
	assert_string_equal(list.hosts[0].address, "a");
	assert_string_equal(list.hosts[1].name, "me@b");
	assert_string_equal(list.hosts[1].address, "10.0.0.2");
	assert_string_equal(list.hosts[2].address, "c");
	assert_string_equal(list.hosts[3].address, "fd00::4");
}

static void check_list_refusals(void **state)
{
	static const char *const wrong[] = { "", "a\n", "# a\n# b\n", "a\nb\na\n",
					     "a b c\nd\n" };
	struct np_host_list list;
	char many[1024] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct np_error error = { .code = 0 };

		assert_int_equal(np_host_list_read("f", wrong[i], &list, &error), -EINVAL);
		assert_int_equal(error.kind, NP_ERROR_USAGE);
	}
	for (int i = 0, length = 0; i <= NP_HOSTS_MAX; i++)
		length +=
			snprintf(many + length, sizeof(many) - (size_t)length, "h%d\n", i);
	struct np_error error = { .code = 0 };
	assert_int_equal(np_host_list_read("f", many, &list, &error), -EINVAL);
}

static const struct np_host_list four = {
	.hosts = { { "a", "a" }, { "b", "b" }, { "c", "c" }, { "d", "d" } }, .count = 4
};

static void measure(struct np_host_pair *link, double median, double low)
{
	assert_int_equal(np_host_pair_measured(link, 2), 0);
	for (size_t i = 0; i < 2; i++)
		link->figures[i] =
			(struct np_host_pair_figure){ .bytes = i == 0 ? 64 : 4096,
						      .median_s = median,
						      .low_s = low,
						      .high_s = median };
}

static void check_pairs(void **state)
{
	struct np_matrix matrix;
	size_t smallest, largest;

	(void)state;
	assert_int_equal(np_matrix_init(&matrix, &four, true), 0);
	assert_int_equal(matrix.link_count, 12);
	np_matrix_free(&matrix);
	assert_int_equal(np_matrix_init(&matrix, &four, false), 0);
	assert_int_equal(matrix.link_count, 6);
	assert_false(np_matrix_sizes(&matrix, &smallest, &largest));
	measure(&matrix.links[2], 1e-6, (double)NAN);
	assert_int_equal(matrix.links[2].from, 0);
	assert_int_equal(matrix.links[2].to, 3);
	assert_ptr_equal(np_matrix_find(&matrix, 0, 3, 64), &matrix.links[2].figures[0]);
	assert_ptr_equal(np_matrix_find(&matrix, 3, 0, 4096), &matrix.links[2].figures[1]);
	assert_null(np_matrix_find(&matrix, 3, 0, 65));
	assert_null(np_matrix_find(&matrix, 0, 1, 64));
	assert_null(np_matrix_find(&matrix, 0, 0, 64));
	assert_true(np_matrix_sizes(&matrix, &smallest, &largest));
	assert_int_equal(smallest, 64);
	assert_int_equal(largest, 4096);
	np_matrix_free(&matrix);
}

static void check_slow(void **state)
{
	struct np_matrix matrix;

	(void)state;
	assert_int_equal(np_matrix_init(&matrix, &four, false), 0);
	for (size_t i = 0; i < 4; i++)
		measure(&matrix.links[i], 10e-6, 9e-6);
	/* Four times as long, and sure of it; so long, and not at all sure. */
	measure(&matrix.links[4], 40e-6, 39e-6);
	measure(&matrix.links[5], 40e-6, 11e-6);
	np_matrix_judge(&matrix);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(matrix.links[i].figures[0].slow, i == 4);
		assert_int_equal(matrix.links[i].figures[1].slow, i == 4);
	}
	assert_true(fabs(matrix.links[4].figures[0].times - 4) < 1e-9);
	np_matrix_free(&matrix);
}

/* Of two links neither is the odd one out. */
static void check_too_few(void **state)
{
	struct np_matrix matrix;

	(void)state;
	assert_int_equal(np_matrix_init(&matrix, &four, false), 0);
	measure(&matrix.links[0], 10e-6, (double)NAN);
	measure(&matrix.links[1], 90e-6, (double)NAN);
	np_matrix_judge(&matrix);
	assert_true(isnan(matrix.links[1].figures[0].times));
	assert_false(matrix.links[1].figures[0].slow);
	measure(&matrix.links[2], 10e-6, (double)NAN);
	np_matrix_judge(&matrix);
	assert_true(matrix.links[1].figures[0].slow);
	assert_false(matrix.links[0].figures[0].slow);
	np_matrix_free(&matrix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_list),	 cmocka_unit_test(check_list_refusals),
		cmocka_unit_test(check_pairs),	 cmocka_unit_test(check_slow),
		cmocka_unit_test(check_too_few),
	};

	return cmocka_run_group_tests_name("matrix", tests, NULL, NULL);
}
