/*
 * test_hosts.c - lists of hosts and their groups; a tournament of them, in measured times.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fleet/fleet.h"

/* Path of a file with that text, until the next call. */
static const char *file_of(const char *text)
{
	static char path[32];
	static int file = -1;

	if (file >= 0)
		close(file);
	file = memfd_create("hosts", 0);
	assert_true(write(file, text, strlen(text)) == (ssize_t)strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return path;
}

static struct np_host_list read_list(const char *text)
{
	struct np_host_list list = { .hosts = NULL };
	struct np_error error = { .code = 0 };

	assert_int_equal(np_host_list_read(file_of(text), &list, &error), 0);
	return list;
}

static void check_list(void **state)
{
	(void)state;
	struct np_host_list list = read_list("# all of them\n"
					     "a\n\n"
					     "  me@b  10.0.0.2\t# by another wire\r\n"
					     "me@c\n"
					     "d fd00::4");

	assert_int_equal(list.count, 4);
	assert_string_equal(list.hosts[0].name, "a");
	assert_string_equal(list.hosts[0].address, "a");
	assert_string_equal(list.hosts[1].name, "me@b");
	assert_string_equal(list.hosts[1].address, "10.0.0.2");
	assert_string_equal(list.hosts[2].address, "c");
	assert_string_equal(list.hosts[3].address, "fd00::4");
	assert_int_equal(np_host_list_find(&list, "c"), 2);
	assert_int_equal(np_host_list_find(&list, "e"), 4);
	np_host_list_free(&list);
}

static void check_list_refusals(void **state)
{
	static const char *const wrong[] = { "", "a\n", "# a\n# b\n", "a\nb\na\n",
					     "a b c\nd\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct np_host_list list = { .hosts = NULL };
		struct np_error error = { .code = 0 };

		assert_int_equal(np_host_list_read(file_of(wrong[i]), &list, &error),
				 -EINVAL);
		assert_int_equal(error.kind, NP_ERROR_USAGE);
		np_host_list_free(&list);
	}
}

static void check_many_hosts(void **state)
{
	enum { MANY = 1000 };
	static char text[8 * MANY];

	(void)state;
	for (int i = 0, length = 0; i < MANY; i++)
		length +=
			snprintf(text + length, sizeof(text) - (size_t)length, "h%d\n", i);
	struct np_host_list list = read_list(text);
	assert_int_equal(list.count, MANY);
	assert_string_equal(list.hosts[MANY - 1].name, "h999");
	np_host_list_free(&list);
}

static const char *group_of(const struct np_host_list *list, size_t host)
{
	return list->groups[list->hosts[host].group];
}

static void check_prefixes(void **state)
{
	struct np_error error = { .code = 0 };
	(void)state;
	struct np_host_list list = read_list("r1n1\nme@r1n2.site\nr2n1\n10.0.0.7\n");

	assert_int_equal(np_host_list_group(NULL, &list, &error), 0);
	assert_int_equal(list.group_count, 3);
	assert_string_equal(group_of(&list, 0), "r1n");
	assert_string_equal(group_of(&list, 1), "r1n");
	assert_string_equal(group_of(&list, 2), "r2n");
	assert_string_equal(group_of(&list, 3), "");
	np_host_list_free(&list);
}

static void check_groups(void **state)
{
	static const char *const wrong[] = { "a x\nb x\n", "a x\nb x\nc y\nd z\n",
					     "a x\na x\nb x\nc x\n", "a\nb x\nc y\n",
					     "a x y\nb x\nc x\n" };
	struct np_error error = { .code = 0 };

	(void)state;
	struct np_host_list list = read_list("a\nme@b\nc\n");
	assert_int_equal(
		np_host_list_group(file_of("c y\n# d z\nb x\na x\n"), &list, &error), 0);
	assert_string_equal(group_of(&list, 0), "x");
	assert_string_equal(group_of(&list, 1), "x");
	assert_string_equal(group_of(&list, 2), "y");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		error = (struct np_error){ .code = 0 };
		assert_int_equal(np_host_list_group(file_of(wrong[i]), &list, &error),
				 -EINVAL);
		assert_int_equal(error.kind, NP_ERROR_USAGE);
	}
	np_host_list_free(&list);
}

/* ---- A tournament ---------------------------------------------------------------- */

enum { NONE = 99 };

struct truth {
	size_t slow, absent; /* hosts */
	size_t calls, stop;  /* the call in which a signal arrives */
};

/* Host `slow` takes twice as long at the largest size only. */
static int measure_round(void *context, struct np_pair_sample *samples, size_t count)
{
	struct truth *truth = context;

	for (size_t i = 0; i < count; i++) {
		struct np_pair_sample *sample = &samples[i];
		const bool slow =
			sample->one == truth->slow || sample->other == truth->slow;

		sample->bytes[0] = 64;
		sample->bytes[1] = 4096;
		sample->seconds[0] = 1e-6;
		sample->seconds[1] = slow ? 4e-6 : 2e-6;
		sample->error[0] = sample->error[1] = 0.01;
		sample->degrees = 24;
		sample->size_count = 2;
		if (sample->one == truth->absent || sample->other == truth->absent) {
			sample->size_count = 0;
			snprintf(sample->reason, sizeof(sample->reason), "unplugged");
		}
	}
	return ++truth->calls == truth->stop ? -EINTR : 0;
}

static void check_tournament(void **state)
{
	struct np_error error = { .code = 0 };
	struct truth truth = { .slow = 4, .absent = 1 };
	struct np_fleet_run run;

	(void)state;
	struct np_host_list list = read_list("a\nb\nc\nd\ne\nf\n");
	assert_int_equal(np_host_list_group(NULL, &list, &error), 0);
	assert_int_equal(np_fleet_run_init(&run, &list, 0.07), 0);
	assert_int_equal(np_fleet_run_measure(&run, measure_round, &truth, 1), 0);
	assert_int_equal(run.pairs, 10);
	assert_int_equal(run.measured[1], 0);
	assert_int_equal(run.failure_count, 5);
	for (size_t i = 0; i < run.failure_count; i++)
		assert_true(np_fleet_run_is_of_host(&run, &run.failures[i]));
	const struct np_fleet_counts slow = np_fleet_run_slow(&run);
	assert_true(slow.hosts == 1 && slow.pairs == 0 && slow.groups == 0);
	assert_false(run.fleets[0].host_effects[4].slow);
	assert_true(run.fleets[1].host_effects[4].slow);
	assert_true(fabs(np_fleet_run_typical(&run, 1, 4) - 4e-6) < 1e-9);
	assert_true(fabs(np_fleet_run_seconds(&run, 0, 0, 2) - 1e-6) < 1e-9);
	assert_true(isnan(np_fleet_run_seconds(&run, 0, 0, 1)));
	assert_true(np_fleet_run_is_slow(&run, 1, 0, 4));
	assert_false(np_fleet_run_is_slow(&run, 1, 0, 2));
	np_fleet_run_free(&run);
	np_host_list_free(&list);
}

static void check_interrupted(void **state)
{
	struct np_error error = { .code = 0 };
	struct truth truth = { .slow = NONE, .absent = NONE, .stop = 2 };
	struct np_fleet_run run;

	(void)state;
	struct np_host_list list = read_list("a\nb\nc\nd\n");
	assert_int_equal(np_host_list_group(NULL, &list, &error), 0);
	assert_int_equal(np_fleet_run_init(&run, &list, 0.07), 0);
	assert_int_equal(np_fleet_run_measure(&run, measure_round, &truth, 1), -EINTR);
	assert_int_equal(truth.calls, 2);
	assert_int_equal(run.pairs, 4);
	np_fleet_run_free(&run);
	np_host_list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_list),	     cmocka_unit_test(check_list_refusals),
		cmocka_unit_test(check_many_hosts),  cmocka_unit_test(check_prefixes),
		cmocka_unit_test(check_groups),	     cmocka_unit_test(check_tournament),
		cmocka_unit_test(check_interrupted),
	};

	return cmocka_run_group_tests_name("hosts", tests, NULL, NULL);
}
