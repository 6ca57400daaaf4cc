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

#include "fleet/fleet.h"

enum { HOSTS = 5 };

/* The last host takes `slower` times as long; factors of pairs lie within `noise`.  A
 * smaller size has the standard error `other_error`; NAN: there is none. */
static char *say(double slower, double noise, double other_error)
{
	struct np_host_list hosts = { .count = 0 };
	struct np_error error = { .code = 0 };
	struct np_fleet_run run;
	char name[8], *text = NULL;
	const size_t sizes = isnan(other_error) ? 1 : 2;
	size_t size, pair = 0;
	FILE *file = open_memstream(&text, &size);

	for (size_t i = 0; i < HOSTS; i++) {
		snprintf(name, sizeof(name), "h%zu", i);
		assert_int_equal(np_host_list_add(&hosts, name, name), 0);
	}
	assert_int_equal(np_host_list_group(NULL, &hosts, &error), 0);
	assert_int_equal(np_fleet_run_init(&run, &hosts, 0.07), 0);
	for (size_t one = 0; one < HOSTS; one++) {
		for (size_t other = one + 1; other < HOSTS; other++) {
			const double factor =
				exp(noise * ((double)(pair++ * 7 % 5) - 2) / 2);
			const double seconds =
				1e-5 * factor * (other == HOSTS - 1 ? slower : 1);
			const struct np_pair_sample sample = {
				.one = one,
				.other = other,
				.size_count = sizes,
				.bytes = { sizes == 1 ? 64 : 8, 64 },
				.seconds = { seconds, seconds },
				.error = { other_error, sizes == 1 ? (double)NAN : 0.001 },
				.degrees = 5,
			};

			assert_int_equal(np_fleet_run_take(&run, &sample), 0);
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
	char *text = say(slower, noise, (double)NAN);

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
	check_said(2, 0.5, "\nwhat is undecided may be decided by longer rounds (--time-",
		   "10 of 10 pairs");
}

/* What is noise at one size is none at the other. */
static void check_sizes(void **state)
{
	char *text = say(2, 0.001, 0.8);

	(void)state;
	print_message("%s", text);
	assert_non_null(strstr(text, "\nundecided host: h4 at 8 B: "));
	assert_non_null(strstr(text, "\nslow host: h4 at 64 B: "));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_none),
		cmocka_unit_test(check_slow),
		cmocka_unit_test(check_undecided),
		cmocka_unit_test(check_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
