/*
 * test_capacity_visits.c - what a capacity sweep is made of: facts of the host, and
 * visits of a run.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "questions/capacity.h"
#include "output/output.h"
#include "base/random.h"
#include "questions/capacity_model.h"
#include "visits.h"

static void facts(void **state)
{
	struct np_capacity_host host = { .length = 100, .sides = 1 };
	struct np_facts said = { .list = NULL };

	(void)state;
	np_facts_add_number(&said, "cache_l2_bytes", 1 << 20, NP_UNIT_BYTES, NULL);
	np_facts_add(&said, "tlb_l1_entries", "not reported");
	np_facts_add_number(&said, "tlb_l2_2m_entries", 1ull << 50, NP_UNIT_COUNT, NULL);
	np_capacity_host_read(&said, "2m", &host);
	np_facts_free(&said);
	assert_int_equal(host.caches[1], 1 << 20);
	assert_int_equal(host.caches[2], 0);
	assert_int_equal(host.tlb.level1_4k, 0);
	assert_int_equal(host.tlb.level2_2m, 0);
	assert_int_equal(host.page, 2 << 20);
	/* 100 bytes are two lines; a page of 2M holds 512 stretches of 4K. */
	const struct np_footprint some = np_footprint_of(&host, NP_AXIS_PAGES, 1024);
	assert_int_equal(some.lines, 2048);
	assert_int_equal(some.bytes, 2048 * 64);
	assert_int_equal(some.pages, 2);
	assert_int_equal(np_footprint_of(&host, NP_AXIS_LARGE_PAGES, 1024).pages, 1024);
}

static void check_sides(enum np_operation operation, const char *name, unsigned sides)
{
	struct np_capacity_host host = { .sides = 0 };
	struct np_capacity capacity;
	struct np_results results;

	np_results_init(&results);
	results.operation = operation;
	results.operation_name = name;
	assert_int_equal(np_capacity_of_visits(&results, &host, &capacity), 0);
	assert_int_equal(host.sides, sides);
	np_capacity_free(&capacity);
	np_results_free(&results);
}

static void sides(void **state)
{
	(void)state;
	check_sides(NP_PINGPONG, "pingpong", 2);
	check_sides(NP_STREAM, "stream", 1);
	check_sides(NP_ONE_SIDED, "memcpy", 2);
}

static const struct np_capacity_host plain = {
	.length = 64,
	.sides = 2,
	.line = 64,
	.page = 4096,
	.caches = { 32 << 10, 1 << 20, 32 << 20 },
};

/* Visits of a sweep among others; what was superseded does not count. */
static void from_visits(void **state)
{
	struct np_capacity_host host = plain;
	struct np_capacity capacity;
	struct np_results results;
	uint64_t serial = 0;

	(void)state;
	np_results_init(&results);
	results.runs = 1;
	for (unsigned pass = 0; pass < 3; pass++) {
		for (uint64_t buffers = 1; buffers <= 4; buffers *= 2, serial++) {
			for (enum np_mode mode = NP_MODE_REUSE; mode <= NP_MODE_FRESH;
			     mode++) {
				/* The last pass has no fresh mode, and null is no matter.
				 */
				if (mode == NP_MODE_FRESH && pass == 2)
					continue;
				struct np_visit *visit =
					add(&results, 64, mode, pass,
					    mode == NP_MODE_REUSE  ? 100 :
					    mode == NP_MODE_ROTATE ? 100 * buffers :
								     300 * buffers);

				visit->serial = serial;
				visit->axis = NP_AXIS_PAGES;
				visit->buffers = buffers;
				visit->superseded = pass == 2 && buffers == 4;
			}
		}
	}
	add(&results, 64, NP_MODE_ROTATE, 0, 100)->serial = serial;
	assert_int_equal(np_capacity_of_visits(&results, &host, &capacity), 0);
	assert_int_equal(host.length, 64);
	assert_int_equal(capacity.point_count, 3);
	for (size_t i = 0; i < capacity.point_count; i++) {
		const struct np_capacity_point *point = &capacity.points[i];

		assert_int_equal(point->axis, NP_AXIS_PAGES);
		assert_int_equal(point->buffers, 1 << i);
		assert_int_equal(point->units, i == 2 ? 2 : 3);
		assert_true(near(point->ratio, (double)point->buffers));
		assert_true(near(point->seconds, 1e-7 * (double)point->buffers));
		assert_true(near(point->fresh, 3));
	}
	np_capacity_free(&capacity);
	np_results_free(&results);
}

/* Buffers never seen before take twice as long as up to eight that something remembers,
 * and as long as more of them. */
static void never_seen(void **state)
{
	enum { NUMBERS = 10, UNITS = 8 };
	struct np_capacity_sample samples[2 * NUMBERS * UNITS];
	struct np_random random = { 12 };
	struct np_capacity capacity;
	char *text = NULL;
	size_t size = 0, count = 0;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	for (unsigned unit = 0; unit < UNITS; unit++) {
		for (unsigned i = 0; i < 2 * NUMBERS; i++) {
			const double noise =
				0.9975 + 1e-4 * (double)np_random_below(&random, 51);

			samples[count++] = (struct np_capacity_sample){
				.axis = i < NUMBERS ? NP_AXIS_LINES : NP_AXIS_PAGES,
				.unit = unit,
				.buffers = (uint64_t)1 << i % NUMBERS,
				.ratio = noise,
				.seconds = 1e-6,
				.fresh = i >= NUMBERS ? 0 :
					 i <= 3	      ? 2 * noise :
							noise
			};
		}
	}
	assert_int_equal(np_capacity_derive(&plain, samples, count, &capacity), 0);
	assert_int_equal(capacity.point_count, 2 * NUMBERS);
	for (size_t i = 0; i < capacity.point_count; i++) {
		const struct np_capacity_point *point = &capacity.points[i];

		if (point->axis == NP_AXIS_PAGES) {
			assert_true(isnan(point->fresh));
			assert_int_equal(point->fresh_verdict, NP_VERDICTS);
		} else if (point->buffers <= 8) {
			assert_true(point->fresh_low > 1.98 && point->fresh_high < 2.02);
			assert_int_equal(point->fresh_verdict, NP_SLOWER);
		} else {
			assert_int_equal(point->fresh_verdict, NP_SAME);
			assert_true(point->fresh > 0.99 && point->fresh < 1.01);
		}
	}
	np_text_capacity(file, &capacity, true);
	assert_int_equal(fclose(file), 0);
	assert_non_null(
		strstr(text, "\n  fresh         lines: buffers never used before: "));
	assert_non_null(strstr(text, "; slower at 4 of 10 points"));
	assert_null(strstr(text, " pages: buffers never"));
	free(text);
	np_capacity_free(&capacity);
}

/* A unit with several visits of a number counts once; many units are no harm. */
static void repeated_visits(void **state)
{
	struct np_capacity_sample samples[1200];
	struct np_capacity capacity;

	(void)state;
	for (size_t i = 0; i < 1200; i++)
		samples[i] = (struct np_capacity_sample){ .axis = NP_AXIS_LINES,
							  .buffers = 1u << i % 4,
							  .unit = (unsigned)(i / 12 * 1000),
							  .ratio = 1,
							  .seconds = 1e-6 };
	assert_int_equal(np_capacity_derive(&plain, samples, 1200, &capacity), 0);
	assert_int_equal(capacity.point_count, 4);
	assert_int_equal(capacity.points[3].buffers, 8);
	assert_int_equal(capacity.points[3].units, 100);
	assert_int_equal(capacity.knee_count, 0);
	np_capacity_free(&capacity);
	assert_int_equal(np_capacity_derive(&plain, NULL, 0, &capacity), 0);
	assert_int_equal(capacity.point_count, 0);
	np_capacity_free(&capacity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts),	   cmocka_unit_test(sides),
		cmocka_unit_test(from_visits),	   cmocka_unit_test(never_seen),
		cmocka_unit_test(repeated_visits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
