/*
 * test_units.c - the spellings of sizes, counts, times and rates, and where each is read.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/units.h"

/* Bytes, and what a count of the same spelling is; or an error. */
static void check_whole(void **state)
{
	static const struct {
		const char *text;
		int size, count;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0, 0 },
		{ "8", 0, 0, 8 },
		{ "8B", 0, -EINVAL, 8 },
		{ "8 B", 0, -EINVAL, 8 },
		{ "1K", 0, 0, 1024 },
		{ "1k", 0, 0, 1024 },
		{ "1KiB", 0, -EINVAL, 1024 },
		{ "64 KiB", 0, -EINVAL, 65536 },
		{ "2M", 0, 0, 2 << 20 },
		{ "1 MiB", 0, -EINVAL, 1 << 20 },
		{ "3g", 0, 0, UINT64_C(3) << 30 },
		{ "3 GiB", 0, -EINVAL, UINT64_C(3) << 30 },
		{ "1T", 0, 0, UINT64_C(1) << 40 },
		{ "1 TiB", 0, -EINVAL, UINT64_C(1) << 40 },
		{ "18446744073709551615", 0, 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, -ERANGE, 0 },
		{ "16777216 TiB", -ERANGE, -EINVAL, 0 },
		{ "99999999999999999999x", -EINVAL, -EINVAL, 0 },
		{ "", -EINVAL, -EINVAL, 0 },
		{ "K", -EINVAL, -EINVAL, 0 },
		{ "8 ", -EINVAL, -EINVAL, 0 },
		{ " 8", -EINVAL, -EINVAL, 0 },
		{ "8 K", -EINVAL, -EINVAL, 0 },
		{ "8 B ", -EINVAL, -EINVAL, 0 },
		{ "8b", -EINVAL, -EINVAL, 0 },
		{ "8KB", -EINVAL, -EINVAL, 0 },
		{ "8kib", -EINVAL, -EINVAL, 0 },
		{ "1.5K", -EINVAL, -EINVAL, 0 },
		{ "1.5 KiB", -EINVAL, -EINVAL, 0 },
		{ "+8", -EINVAL, -EINVAL, 0 },
		{ "-8", -EINVAL, -EINVAL, 0 },
		{ "0x10", -EINVAL, -EINVAL, 0 },
		{ "4Gx", -EINVAL, -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t size = 77, count = 77;
		const int of_size = np_parse_size(cases[i].text, &size);
		const int of_count = np_parse_count(cases[i].text, &count);

		if (of_size != cases[i].size || of_count != cases[i].count ||
		    size != (of_size == 0 ? cases[i].value : 77) ||
		    count != (of_count == 0 ? cases[i].value : 77))
			fail_msg("'%s': size %d, count %d", cases[i].text, of_size,
				 of_count);
	}
}

enum { O = NP_UNIT_OPTION, C = NP_UNIT_CLAUSE, T = NP_UNIT_TABLE, P = NP_UNIT_PROFILE };

/* Units behind a number, and the places that read them; none reads another. */
static void check_scales(void **state)
{
	static const struct {
		const char *unit;
		enum np_dimension dimension;
		unsigned places;
		double scale;
	} cases[] = {
		{ "", NP_DIMENSION_SIZE, O | P, 1 },
		{ "t", NP_DIMENSION_SIZE, O, 0x1p40 },
		{ "T", NP_DIMENSION_SIZE, O, 0x1p40 },
		{ " GiB", NP_DIMENSION_SIZE, O | P, 0x1p30 },
		{ " K", NP_DIMENSION_SIZE, P, 0x1p10 },
		{ " K ", NP_DIMENSION_COUNT, P, 0x1p10 },
		{ "KiB", NP_DIMENSION_COUNT, 0, 0 },
		{ "KB", NP_DIMENSION_SIZE, 0, 0 },
		{ "", NP_DIMENSION_TIME, O, 1 },
		{ "m", NP_DIMENSION_TIME, O, 60 },
		{ " m", NP_DIMENSION_TIME, 0, 0 },
		{ "h", NP_DIMENSION_TIME, O, 3600 },
		{ "d", NP_DIMENSION_TIME, 0, 0 },
		{ "s", NP_DIMENSION_TIME, O | C | T | P, 1 },
		{ "ms", NP_DIMENSION_TIME, O | C | T | P, 1e-3 },
		{ " us", NP_DIMENSION_TIME, O | C | T | P, 1e-6 },
		{ "usec", NP_DIMENSION_TIME, T, 1e-6 },
		{ "ns", NP_DIMENSION_TIME, O | C | T | P, 1e-9 },
		{ "", NP_DIMENSION_BIT_RATE, 0, 0 },
		{ "G", NP_DIMENSION_BIT_RATE, C, 1e9 },
		{ "T", NP_DIMENSION_BIT_RATE, C, 1e12 },
		{ "bit/s", NP_DIMENSION_BIT_RATE, C | T, 1 },
		{ " kbit/s", NP_DIMENSION_BIT_RATE, C | T | P, 1e3 },
		{ "Kbit/s", NP_DIMENSION_BIT_RATE, C, 1e3 },
		{ " Gbit/s", NP_DIMENSION_BIT_RATE, C | T | P, 1e9 },
		{ "Tbit/s", NP_DIMENSION_BIT_RATE, C | T | P, 1e12 },
		{ "Gb", NP_DIMENSION_BIT_RATE, 0, 0 },
		{ "kB/s", NP_DIMENSION_BIT_RATE, T | P, 8e3 },
		{ "MB/s", NP_DIMENSION_BIT_RATE, T | P, 8e6 },
		{ "GiB/s", NP_DIMENSION_BIT_RATE, T, 8 * 0x1p30 },
		{ "", NP_DIMENSION_MESSAGE_RATE, C, 1 },
		{ "M", NP_DIMENSION_MESSAGE_RATE, C, 1e6 },
		{ "M/s", NP_DIMENSION_MESSAGE_RATE, C, 1e6 },
		{ "x", NP_DIMENSION_RATIO, C, 1 },
		{ " %", NP_DIMENSION_SHARE, P, 0.01 },
		{ "", NP_DIMENSION_SHARE, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (unsigned place = O; place <= P; place *= 2) {
			double scale = cases[i].scale;
			const char *unit = cases[i].unit;
			const bool found =
				np_unit_scale(unit, strlen(unit), cases[i].dimension,
					      (enum np_unit_place)place, &scale);

			if (found != ((cases[i].places & place) != 0) ||
			    scale != cases[i].scale)
				fail_msg("'%s' at place %d: %g", unit, (int)place,
					 found ? scale : (double)NAN);
		}
	}
}

static void check_columns(void **state)
{
	enum np_dimension dimension;
	double scale;

	(void)state;
	assert_true(np_unit_of_column("usec", &dimension, &scale));
	assert_int_equal(dimension, NP_DIMENSION_TIME);
	assert_true(np_unit_of_column("MiB/s", &dimension, &scale));
	assert_int_equal(dimension, NP_DIMENSION_BIT_RATE);
	assert_true(scale == 8.0 * 1048576);
	assert_false(np_unit_of_column("", &dimension, &scale));
	assert_false(np_unit_of_column("M", &dimension, &scale));
	assert_false(np_unit_of_column("seconds", &dimension, &scale));
}

static void check_numbers(void **state)
{
	static const char *const refused[] = { "",    "x",   ".",  "+1",   "-1",
					       "nan", "inf", " 1", "0x10", "0X1" };
	const char *end;
	double number;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_false(np_number_read(refused[i], &number, &end));
	assert_true(np_number_read("1.5e3us", &number, &end) && number == 1500);
	assert_string_equal(end, "us");
	assert_true(np_number_read(".5", &number, &end) && number == 0.5);
	assert_true(np_number_read("1.2.3", &number, &end) && number == 1.2);
	assert_string_equal(end, ".3");
	assert_true(np_number_read("1e999", &number, &end) && isinf(number));
}

/* A size is written so that it reads back. */
static void check_text(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 64, "64" },
		{ 4096, "4K" },
		{ 8388611, "8388611" },
		{ UINT64_C(5) << 40, "5T" },
		{ UINT64_C(1) << 50, "1024T" },
		{ UINT64_MAX, "18446744073709551615" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[24];
		uint64_t back;

		assert_int_equal(np_size_text(cases[i].bytes, text, sizeof(text)),
				 strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
		assert_int_equal(np_parse_size(text, &back), 0);
		assert_true(back == cases[i].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_whole),	 cmocka_unit_test(check_scales),
		cmocka_unit_test(check_columns), cmocka_unit_test(check_numbers),
		cmocka_unit_test(check_text),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
