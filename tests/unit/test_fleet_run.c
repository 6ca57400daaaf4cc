/*
 * test_fleet_run.c - what is said of few hosts: one that seems to be slow, and may not be,
 * is neither called slow nor left out.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"

enum { HOSTS = 5 };

/* The last host takes `slower` times as long; factors of pairs lie within `noise`. */
static char *say(double slower, double noise)
{
	struct np_host_list hosts = { .count = 0 };
	struct np_fleet_run run;
	char name[8], *text = NULL;
	size_t size, pair = 0;
	FILE *file = open_memstream(&text, &size);

	for (size_t i = 0; i < HOSTS; i++) {
		snprintf(name, sizeof(name), "h%zu", i);
		assert_int_equal(np_host_list_add(&hosts, name, name), 0);
	}
	assert_int_equal(np_host_list_prefixes(&hosts), 0);
	assert_int_equal(np_fleet_run_init(&run, &hosts, 0.07), 0);
	for (size_t one = 0; one < HOSTS; one++) {
		for (size_t other = one + 1; other < HOSTS; other++) {
			const double factor =
				exp(noise * ((double)(pair++ * 7 % 5) - 2) / 2);
			const struct np_meeting meeting = {
				.one = one,
				.other = other,
				.size_count = 1,
				.bytes = { 64 },
				.seconds = { 1e-5 * factor *
					     (other == HOSTS - 1 ? slower : 1) },
				.error = { (double)NAN, (double)NAN },
			};

			assert_int_equal(np_fleet_run_take(&run, &meeting), 0);
		}
	}
	assert_int_equal(np_fleet_run_judge(&run), 0);
	np_text_fleet(file, &run);
	fclose(file);
	np_fleet_run_free(&run);
	np_host_list_free(&hosts);
	return text;
}

static void check_said(double slower, double noise, const char *line, const char *last)
{
	char *text = say(slower, noise);

	print_message("%s", text);
	if (line != NULL)
		assert_non_null(strstr(text, line));
	else
		assert_null(strstr(text, "than the others"));
	assert_non_null(strstr(text, last));
	free(text);
}

static void check_none(void **state)
{
	(void)state;
	check_said(1, 0.001, NULL,
		   "10 of 10 pairs measured; none is slow by more than 7 %\n");
}

static void check_slow(void **state)
{
	(void)state;
	check_said(2, 0.001,
		   "\nslow host: h4 at 64 B: ", "; slow: 1 host, 0 pairs, 0 groups\n");
}

static void check_undecided(void **state)
{
	(void)state;
	check_said(2, 0.5, "\nundecided host: h4 at 64 B: ",
		   "; none is found to be slow by more than 7 %; undecided: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_none),
		cmocka_unit_test(check_slow),
		cmocka_unit_test(check_undecided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
