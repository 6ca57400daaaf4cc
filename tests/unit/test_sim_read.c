/*
 * test_sim_read.c - parser of profiles: values, and errors with their line numbers.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/drawn_profile.h"
#include "modules/sim/sim_private.h"
#include "modules/sim/sim_keys.h"

static void check_times(void **state)
{
	static const struct {
		const char *text;
		double ns;
	} good[] = { { "5 ns", 5 },	{ "5ns", 5 },	    { " 1.5 us ", 1500 },
		     { "-2 ms", -2e6 }, { "0.25s", 2.5e8 }, { "0", 0 } };
	static const char *const bad[] = { "",		"5",	 "ns",	    "5 nss",
					   "5 minutes", "5 n s", "1e999 s", "nan ns",
					   "5,5 ns",	"2000 s" };
	double ns = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(np_sim_read_time(good[i].text, &ns));
		assert_true(fabs(ns - good[i].ns) < 1e-6);
	}
	ns = 77;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(np_sim_read_time(bad[i], &ns));
	assert_true(ns == 77);
}

static void check_other_units(void **state)
{
	double value;
	uint64_t count;
	size_t bytes, last;
	char range[] = "1K-2K", one[] = "7", backwards[] = "2K-1K";

	(void)state;
	assert_true(np_sim_read_rate("1 GB/s", &value) && value == 1);
	assert_true(np_sim_read_rate("8 Gbit/s", &value) && value == 1);
	assert_true(np_sim_read_rate("1 MB/s", &value) && value == 1000);
	assert_false(np_sim_read_rate("0 MB/s", &value));
	assert_false(np_sim_read_rate("5 MB", &value));
	assert_true(np_sim_read_size("4K", &bytes) && bytes == 4096);
	assert_true(np_sim_read_size("1.5 KiB", &bytes) && bytes == 1536);
	assert_true(np_sim_read_size("64 B", &bytes) && bytes == 64);
	assert_false(np_sim_read_size("-1", &bytes));
	assert_false(np_sim_read_size("1.5", &bytes));
	assert_false(np_sim_read_size("1e30", &bytes));
	assert_true(np_sim_read_percent("-8 %", &value) && value == -0.08);
	assert_false(np_sim_read_percent("-100 %", &value));
	assert_false(np_sim_read_percent("8", &value));
	assert_true(np_sim_read_count("2K", &count) && count == 2048);
	assert_false(np_sim_read_count("2 B", &count));
	assert_true(np_sim_read_range(range, &bytes, &last) && bytes == 1024);
	assert_int_equal(last, 2048);
	assert_true(np_sim_read_range(one, &bytes, &last) && bytes == 7 && last == 7);
	assert_false(np_sim_read_range(backwards, &bytes, &last));
}

static int read_text(struct np_sim_profile *profile, const char *text,
		     struct np_error *error)
{
	const struct np_sim_source source = { .name = "file", .text = text };

	*error = (struct np_error){ .code = 0 };
	np_sim_profile_init(profile, "test");
	const int rc = np_sim_profile_read(profile, &source, error);

	return rc == 0 ? np_sim_profile_check(profile, error) : rc;
}

static void check_profile(void **state)
{
	struct np_sim_profile profile;
	struct np_error error;

	(void)state;
	assert_int_equal(read_text(&profile,
				   "# comment\n\n  latency = 2 us # more\r\n"
				   "overhead=100 ns\nper_byte = 0.5 ns\neager = 8K, 56\n"
				   "step = 5000, 8 %\nstep = 9000, -200 ns\n"
				   "dip = 100-200, 30 %\nslope = 1K, 2 GB/s\n"
				   "cache = 16K, 1 ns, 2 ns\ncache = 1M, 3 ns, 4 ns\n"
				   "translation = pages, 512, 4K, 1 us, random\n"
				   "translation = registrations, 16, 2 us, lru\n"
				   "tlb = 64, 2M, 30 ns\nlarge_page = 2M\n"
				   "translation = queue_pairs, 8, 1 us, sets\n"
				   "noise = pass, 1.5 %\nnoise = sample, 2 %\n"
				   "burst = 10 ms, 50 us\nbimodal = 20 %, 40 %, 1-1K\n"
				   "registration_cache = 100, 1 us, 2 ns\n"
				   "host_state = 5 s, 2 s, 50 %, unseen, from 7 s\n"
				   "correlated = 3 %, 1 s\ncurve = 4K, 60 %, 2.5\n",
				   &error),
			 0);
	assert_true(profile.latency_ns == 2000);
	assert_true(profile.overhead_ns[0] == 100 && profile.overhead_ns[1] == 100);
	assert_int_equal(profile.eager, 8192);
	assert_int_equal(profile.header, 56);
	assert_int_equal(profile.step_count, 2);
	assert_true(profile.steps[0].effect.factor == 1.08);
	assert_true(profile.steps[1].effect.ns == -200);
	assert_int_equal(profile.dropouts[0].last, 200);
	assert_true(profile.slopes[0].byte_ns == 0.5);
	assert_int_equal(profile.level_count, 2);
	assert_int_equal(profile.levels[0].bytes, 16384);
	assert_int_equal(profile.translation_count, 4);
	assert_int_equal(profile.translations[0].replacement, NP_SIM_RANDOM);
	assert_int_equal(profile.translations[3].unit, NP_SIM_QUEUE_PAIRS);
	assert_int_equal(profile.translations[3].entries, 8);
	assert_int_equal(profile.translations[1].replacement, NP_SIM_LRU);
	assert_int_equal(profile.translations[2].unit, NP_SIM_TLB);
	assert_true(profile.noise[NP_SIM_PASS] == 0.015);
	assert_true(profile.second_modes[0].factor == 1.4 &&
		    profile.second_modes[0].last == 1024);
	assert_true(profile.registers);
	assert_int_equal(profile.large_page, 2 << 20);
	assert_true(profile.states.lasts_ns == 2e9 && profile.states.factor == 1.5 &&
		    profile.states.from_ns == 7e9 && profile.states.unseen);
	assert_true(profile.correlated == 0.03 && profile.correlated_ns == 1e9);
	assert_true(profile.curvings[0].factor == 1.6 &&
		    profile.curvings[0].octaves == 2.5);
}

static void check_none(void **state)
{
	struct np_sim_profile profile;
	struct np_error error;

	(void)state;
	assert_int_equal(read_text(&profile,
				   "step = 5, 8 %\nstep = none\nnoise = pass, 1 %\n"
				   "noise = none\neager = 5, 7\neager = none\n"
				   "burst = 1 s, 1 ms\nburst = none\ncache = none\n",
				   &error),
			 0);
	assert_int_equal(profile.step_count, 0);
	assert_true(profile.noise[NP_SIM_PASS] == 0);
	assert_true(profile.eager == SIZE_MAX);
	assert_int_equal(profile.header, 0);
	assert_true(profile.burst_every_ns == 0);
	assert_int_equal(profile.level_count, 0);
}

/* Each is refused with position and reason. */
static void check_refusals(void **state)
{
	static const struct {
		const char *text, *where, *why;
	} cases[] = {
		{ "latency 5 us\n", "file:1: ", "no key = value" },
		{ "\n\nlatncy = 5 us\n", "file:3: ", "there is no key \"latncy\"" },
		{ "latency = 5 parsecs\n", "file:1: ", "latency = TIME" },
		{ "latency = -5 ns\n", "file:1: ", "latency = TIME" },
		{ "latency = 1 us, 2 us\n", "file:1: ", "latency = TIME" },
		{ "= 5\n", "file:1: ", "no key" },
		{ "latency =\n", "file:1: ", "latency = TIME" },
		{ "step = 5000\n", "file:1: ", "step = SIZE" },
		{ "step = 5000, 8\n", "file:1: ", "step = SIZE" },
		{ "step = 5000, -120 %\n", "file:1: ", "step = SIZE" },
		{ "step = 5000, 8 %, 9 %, 1, 1, 1, 1\n", "file:1: ", "step = SIZE" },
		{ "dip = 9-3, 8 %\n", "file:1: ", "dip = SIZE" },
		{ "noise = hourly, 8 %\n", "file:1: ", "noise = message" },
		{ "noise = pass, -1 %\n", "file:1: ", "noise = message" },
		{ "noise = pass, 101 %\n", "file:1: ", "noise = message" },
		{ "drift = 300 %\n", "file:1: ", "drift = PERCENT" },
		{ "bandwidth = 0.5 B/s\n", "file:1: ", "bandwidth = RATE" },
		{ "copy = sometimes\n", "file:1: ", "copy = never" },
		{ "translation = pages, 0, 4K, 1 us, lru\n", "file:1: ", "translation" },
		{ "translation = pages, 9, 4K, 1 us, fifo\n", "file:1: ", "translation" },
		{ "translation = segments, 9, 1 us, lru\n", "file:1: ", "translation" },
		{ "translation = pages, 9, 5000, 1 us, lru\n", "profile test: ", "page" },
		{ "burst = 10 us, 20 us\n", "file:1: ", "burst = TIME" },
		{ "bimodal = 100 %, 3 %\n", "file:1: ", "bimodal" },
		{ "host_state = 5 s, 2 s\n", "file:1: ", "host_state = TIME" },
		{ "host_state = 5 s, 2 s, 9 %, seen\n", "file:1: ", "host_state" },
		{ "host_state = 5 s, 2 s, 9 %, from 0 s\n", "file:1: ", "host_state" },
		{ "correlated = 3 %\n", "file:1: ", "correlated = PERCENT" },
		{ "curve = 4K, 60 %, 0\n", "file:1: ", "curve = SIZE" },
		{ "replay = no/such/file\n", "file:1: ", "cannot read 'no/such/file'" },
		{ "replay = /dev/null\n", "file:1: ", "fewer than 2 lines" },
		{ "table = /dev/null\n", "file:1: ", "no line of bytes and MB/s" },
		{ "table = no/such/file\n", "file:1: ", "cannot read 'no/such/file'" },
		{ "latency = 0\noverhead = 0\n", "profile test: ", "below 1 ns" },
		{ "cache = 1M, 1 ns, 1 ns\ncache = 1K, 1 ns, 1 ns\n",
		  "profile test: ", "do not ascend" },
		{ "line = 63\n", "profile test: ", "power of two" },
		{ "point = 5, 1 MB/s\n", "profile test: ", "one point" },
		{ "point = 5, 1 MB/s\npoint = 5, 2 MB/s\n",
		  "profile test: ", "do not ascend" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct np_sim_profile profile;
		struct np_error error;

		assert_true(read_text(&profile, cases[i].text, &error) < 0);
		assert_int_equal(error.kind, NP_ERROR_USAGE);
		assert_ptr_equal(strstr(error.text, cases[i].where), error.text);
		assert_non_null(strstr(error.text, cases[i].why));
		assert_null(strchr(error.text, '\n'));
	}
}

/* Too many lines of a key, and a line that is too long. */
static void check_bounds(void **state)
{
	struct np_sim_profile profile;
	struct np_error error;
	static const char line[] = "dip = 5, 8 %\n";
	char text[4096] = "";

	(void)state;
	for (size_t i = 0; i <= NP_SIM_DROPOUTS; i++)
		memcpy(text + i * (sizeof(line) - 1), line, sizeof(line));
	assert_true(read_text(&profile, text, &error) < 0);
	assert_non_null(strstr(error.text, "file:33: there are too many lines of dip"));
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_true(read_text(&profile, text, &error) < 0);
	assert_non_null(strstr(error.text, "file:1: this line is too long"));
}

static void check_set(void **state)
{
	struct np_sim_options options = {
		.set = "latency = 5 us; step = 77, 9 %;; noise = none"
	};
	struct np_sim_profile profile;
	struct np_error error = { .code = 0 };

	(void)state;
	assert_int_equal(np_sim_load(&options, &profile, &error), 0);
	assert_true(profile.latency_ns == 5000);
	assert_int_equal(profile.steps[0].from, 77);
	options.set = "latency = 5";
	assert_true(np_sim_load(&options, &profile, &error) < 0);
	assert_ptr_equal(strstr(error.text, "--set: "), error.text);
	error.code = 0;
	options.set = NULL;
	options.profile = "nonesuch";
	assert_true(np_sim_load(&options, &profile, &error) < 0);
	assert_non_null(strstr(error.text, "plain"));
}

/* Every shipped profile is read, and equal after being written and read again. */
static void check_written(const struct np_sim_profile *profile)
{
	struct np_sim_profile again;
	struct np_error error;
	char *text = profile_text(profile, write_profile), *second;

	assert_non_null(text);
	assert_int_equal(read_text(&again, text, &error), 0);
	memcpy(again.name, profile->name, sizeof(again.name));
	second = profile_text(&again, write_profile);
	assert_string_equal(text, second);
	for (size_t bytes = 1; bytes < 10000000; bytes = bytes * 5 / 4 + 1)
		assert_true(fabs(np_sim_one_way(profile, bytes) /
					 np_sim_one_way(&again, bytes) -
				 1) < 1e-10);
	free(text);
	free(second);
}

static void check_shipped(void **state)
{
	(void)state;
	for (size_t i = 0; np_sim_shipped[i].name != NULL; i++) {
		const struct np_sim_options options = { .profile = np_sim_shipped[i].name };
		struct np_sim_profile profile;
		struct np_error error = { .code = 0 };

		assert_int_equal(np_sim_load(&options, &profile, &error), 0);
		assert_string_equal(profile.name, np_sim_shipped[i].name);
		check_written(&profile);
	}
}

static void check_drawn(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 300; seed++) {
		struct np_sim_profile profile, again;

		draw_profile(&profile, seed, PLANT_ALL);
		draw_profile(&again, seed, PLANT_ALL);
		assert_memory_equal(&profile, &again, sizeof(profile));
		assert_true(profile.step_count > 0 && profile.dropout_count > 0);
		for (size_t i = 0; i < profile.step_count; i++)
			assert_true(profile.steps[i].effect.factor >= 1.05);
		assert_true(profile.copy != NP_SIM_COPY_NEVER ||
			    profile.translation_count == 1);
		check_written(&profile);
		draw_profile(&profile, seed, PLANT_NOTHING);
		assert_true(profile.step_count == 0 && profile.dropout_count == 0 &&
			    profile.translation_count == 0 &&
			    profile.copy == NP_SIM_COPY_NEVER);
	}
}

/* A published table, as tests/data has it. */
static void check_table(void **state)
{
	const char *folder = getenv("NP_SRCDIR");
	struct np_sim_profile profile;
	struct np_error error;
	char text[400];

	(void)state;
	snprintf(text, sizeof(text),
		 "table = %.300s/tests/data/vmi21-infiniband-mpi-blocking.csv",
		 folder != NULL ? folder : ".");
	if (read_text(&profile, text, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(profile.point_count, 23);
	/* 371.603 MB/s at 16K. */
	assert_true(fabs(np_sim_one_way(&profile, 16384) - 16384 / 0.371603) < 1e-6);
	const double middle = np_sim_one_way(&profile, 12288);
	assert_true(fabs(middle - (8192 / 0.596254 + 16384 / 0.371603) / 2) < 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_times),	  cmocka_unit_test(check_other_units),
		cmocka_unit_test(check_profile),  cmocka_unit_test(check_none),
		cmocka_unit_test(check_refusals), cmocka_unit_test(check_bounds),
		cmocka_unit_test(check_set),	  cmocka_unit_test(check_shipped),
		cmocka_unit_test(check_drawn),	  cmocka_unit_test(check_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
