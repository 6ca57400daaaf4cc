/*
 * test_probe.c - the probe of coldness uses every line of a lap: those that it does not
 * load have to drive the others out of the caches.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "machine/probe.h"

enum { LINE = 64, POOL = 48 << 20, UNTOUCHED = 0xa5 };

static bool is_touched(const unsigned char *line)
{
	for (size_t i = 0; i < LINE; i++) {
		if (line[i] != UNTOUCHED)
			return true;
	}
	return false;
}

/* Lines of the buffers of one side that were not written. */
static uint64_t untouched_lines(const struct np_layout *layout, const struct np_cut *cut,
				unsigned char *base, bool send)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < cut->slots; i++) {
		const struct np_slot slot = np_layout_slot(layout, cut, base, i);
		const unsigned char *buffer = send ? slot.send : slot.recv;

		for (size_t at = 0; at < cut->length; at += LINE)
			count += !is_touched(buffer + at);
	}
	return count;
}

static void check_lap(size_t length, enum np_rotate_side rotate)
{
	const struct np_topology topology = { .last_level_cache = 1 << 20,
					      .second_level_cache = 256 << 10,
					      .line_size = LINE };
	const struct np_layout layout = { .align = LINE,
					  .most_slots = UINT64_MAX,
					  .parts = 1,
					  .part_unit = 4096,
					  .half_unit = LINE,
					  .random = true,
					  .rotate = rotate };
	struct np_region region = { .base = aligned_alloc(4096, POOL), .length = POOL };
	struct np_cut cut;

	assert_non_null(region.base);
	memset(region.base, UNTOUCHED, POOL);
	assert_int_equal(np_layout_cut(&layout, POOL, length, &cut), 0);
	const struct np_order order = np_order_make(cut.slots, 7, true);
	const struct np_cold_probe probe =
		np_probe_cold(&layout, &cut, &region, &order, &topology);

	assert_true(probe.lines >= cut.slots * (length / LINE));
	assert_true(probe.reuse_ns > 0);
	assert_true(probe.rotate_ns > 0);
	assert_int_equal(untouched_lines(&layout, &cut, region.base, true), 0);
	if (rotate == NP_ROTATE_BOTH)
		assert_int_equal(untouched_lines(&layout, &cut, region.base, false), 0);
	free(region.base);
}

static void check_small(void **state)
{
	(void)state;
	check_lap(64, NP_ROTATE_BOTH);
}

static void check_large(void **state)
{
	(void)state;
	check_lap(8 << 20, NP_ROTATE_BOTH);
}

static void check_one_side(void **state)
{
	(void)state;
	check_lap(4096, NP_ROTATE_SEND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_small),
		cmocka_unit_test(check_large),
		cmocka_unit_test(check_one_side),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
