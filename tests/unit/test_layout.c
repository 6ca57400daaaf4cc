/*
 * test_layout.c - no buffer touches another or its guard, nothing is wasted,
 * and the lines that are claimed to be touched are those that are.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "laid_out.h"

static const size_t lengths[] = { 0, 1, 63, 64, 65, (8 << 20) + 3 };
static const size_t offset_pairs[][2] = { { 0, 0 },  { 1, 0 },	  { 0, 64 },
					  { 5, 17 }, { 4095, 3 }, { 8192, 8192 } };
static const size_t rooms[] = { 0, 40, 64, 100 };
enum {
	LENGTHS = sizeof(lengths) / sizeof(*lengths),
	OFFSETS = sizeof(offset_pairs) / sizeof(*offset_pairs),
	ROOMS = sizeof(rooms) / sizeof(*rooms),
	ALIGN_MAX = 4096
};

/* What one buffer takes, with its guards; no bytes still take an address. */
static void assert_apart(const unsigned char *lower, const unsigned char *upper,
			 const struct np_layout *layout, size_t length)
{
	assert_true((uintptr_t)lower + (length != 0 ? length : 1) + 2 * layout->guard <=
		    (uintptr_t)upper);
}

static void assert_placed(const struct np_layout *layout, const struct np_cut *cut,
			  size_t region, uint64_t index)
{
	const unsigned char *base = far_base();
	const struct np_slot slot = np_layout_slot(layout, cut, far_base(), index);
	const size_t send = distance(base, slot.send), recv = distance(base, slot.recv);

	assert_int_equal((send - layout->offsets[0]) % layout->align, 0);
	assert_int_equal((recv - layout->offsets[1]) % layout->align, 0);
	assert_true(send >= layout->guard);
	assert_true(send + cut->length + layout->guard <= cut->recv_begin);
	assert_true(recv >= cut->recv_begin + layout->guard);
	assert_true(recv + cut->length + layout->guard <= region);
	if (index + 1 < cut->slots) {
		const struct np_slot next =
			np_layout_slot(layout, cut, far_base(), index + 1);

		assert_apart(slot.send, next.send, layout, cut->length);
		assert_apart(slot.recv, next.recv, layout, cut->length);
	}
}

static void assert_cut(const struct np_layout *layout, size_t length, uint64_t slots)
{
	/* One byte short of another pair. */
	const size_t region = np_layout_bytes(layout, length, slots + 1) - 1;
	struct np_cut cut = { .slots = 0 };

	assert_int_equal(np_layout_cut(layout, region, length, &cut), 0);
	assert_int_equal(cut.length, length);
	assert_int_equal(cut.slots, slots);
	assert_true(cut.recv_begin + cut.slots * cut.strides[1] <= region);
	for (uint64_t i = 0; i < cut.slots; i++)
		assert_placed(layout, &cut, region, i);
	for (unsigned side = 0; side < 2; side++) {
		const size_t needed = 2 * layout->guard + layout->offsets[side] +
				      (length != 0 ? length : 1);

		/* Packed: the next place that is aligned, not the one after. */
		assert_true(cut.strides[side] >= needed);
		assert_true(cut.strides[side] < needed + layout->align);
	}
}

static void check_no_overlap(void **state)
{
	struct np_options options = plain_options();

	(void)state;
	for (options.align = 1; options.align <= ALIGN_MAX; options.align *= 2) {
		for (size_t i = 0; i < OFFSETS * ROOMS * 2; i++) {
			memcpy(options.offsets, offset_pairs[i % OFFSETS],
			       sizeof(options.offsets));
			options.integrity = i / OFFSETS % 2 != 0;
			const struct np_layout layout =
				np_layout_of(&options, rooms[i / OFFSETS / 2]);

			for (size_t k = 0; k < LENGTHS; k++)
				assert_cut(&layout, lengths[k], 7);
		}
	}
}

static void check_guard(void **state)
{
	struct np_options options = plain_options();

	(void)state;
	for (options.align = 1; options.align <= ALIGN_MAX; options.align *= 2) {
		options.integrity = false;
		assert_int_equal(np_layout_of(&options, 0).guard, 0);
		for (size_t i = 1; i < ROOMS; i++)
			assert_true(np_layout_of(&options, rooms[i]).guard >= rooms[i]);
		/* What checks the guard finds a whole line of it that is not the
		 * module's. */
		options.integrity = true;
		for (size_t i = 0; i < ROOMS; i++) {
			const size_t guard = np_layout_of(&options, rooms[i]).guard;

			assert_true(guard >= rooms[i] + 64);
			assert_int_equal(guard % options.align, 0);
		}
	}
}

static void check_most_slots(void **state)
{
	struct np_options options = plain_options();
	struct np_cut cut;

	(void)state;
	options.slots = 5;
	struct np_layout layout = np_layout_of(&options, 0);
	assert_int_equal(np_layout_cut(&layout, 1 << 20, 64, &cut), 0);
	assert_int_equal(cut.slots, 5);
	assert_int_equal(cut.recv_begin, 5 * 64);
	options.slots = 0;
	layout = np_layout_of(&options, 0);
	assert_int_equal(np_layout_cut(&layout, 1 << 20, 64, &cut), 0);
	assert_int_equal(cut.slots, (1 << 20) / 128);
}

static void check_too_small(void **state)
{
	const struct np_options options = plain_options();
	const struct np_layout layout = np_layout_of(&options, 0);
	struct np_cut cut = { .slots = 77 };

	(void)state;
	for (size_t i = 0; i < LENGTHS; i++) {
		const size_t pair = np_layout_bytes(&layout, lengths[i], 1);

		assert_int_equal(np_layout_cut(&layout, pair - 1, lengths[i], &cut),
				 -ENOMEM);
		assert_int_equal(np_layout_cut(&layout, 0, lengths[i], &cut), -ENOMEM);
		assert_int_equal(cut.slots, 77);
	}
	assert_int_equal(np_layout_cut(&layout, 128, 64, &cut), 0);
	assert_int_equal(cut.slots, 1);
}

static void check_overflow(void **state)
{
	struct np_options options = plain_options();
	struct np_cut cut = { .slots = 77 };

	(void)state;
	options.offsets[0] = 4096;
	options.integrity = true;
	for (options.align = 1; options.align <= ALIGN_MAX; options.align *= 2) {
		const struct np_layout layout = np_layout_of(&options, 40);

		for (size_t below = 0; below < 20000; below += 61) {
			assert_true(np_layout_bytes(&layout, SIZE_MAX - below, 1) ==
				    SIZE_MAX);
			assert_true(np_layout_bytes(&layout, SIZE_MAX / 2 - below, 1) ==
					    SIZE_MAX ||
				    below > 2048);
			assert_int_equal(
				np_layout_cut(&layout, SIZE_MAX, SIZE_MAX - below, &cut),
				-ENOMEM);
		}
		assert_true(np_layout_bytes(&layout, 1, UINT64_MAX) == SIZE_MAX);
		assert_true(np_layout_bytes(&layout, (size_t)1 << 62, 2) == SIZE_MAX);
	}
	assert_int_equal(cut.slots, 77);
	/* What is large and fits is not refused. */
	options = plain_options();
	const struct np_layout layout = np_layout_of(&options, 0);
	assert_true(np_layout_bytes(&layout, (size_t)1 << 61, 2) == (size_t)1 << 63);
}

/* Marks the lines of one buffer; returns how many were not marked before. */
static uint64_t mark(unsigned char *marks, size_t begin, size_t length, size_t line_size)
{
	uint64_t fresh = 0;

	if (length == 0)
		return 0;
	for (size_t line = begin / line_size; line <= (begin + length - 1) / line_size;
	     line++) {
		fresh += marks[line] == 0;
		marks[line] = 1;
	}
	return fresh;
}

static uint64_t count_lines(const struct np_layout *layout, const struct np_cut *cut,
			    size_t region, size_t line_size)
{
	unsigned char *marks = calloc(region / line_size + 2, 1);
	uint64_t lines = 0;

	assert_non_null(marks);
	for (uint64_t i = 0; i < cut->slots; i++) {
		const struct np_slot slot = np_layout_slot(layout, cut, far_base(), i);

		if (layout->rotate != NP_ROTATE_RECV)
			lines += mark(marks, distance(far_base(), slot.send), cut->length,
				      line_size);
		if (layout->rotate != NP_ROTATE_SEND)
			lines += mark(marks, distance(far_base(), slot.recv), cut->length,
				      line_size);
	}
	free(marks);
	return lines;
}

static void assert_lines(const struct np_options *options, size_t room, size_t length,
			 size_t region)
{
	const struct np_layout layout = np_layout_of(options, room);
	struct np_cut cut;

	if (np_layout_cut(&layout, region, length, &cut) != 0)
		return;
	for (size_t line_size = 32; line_size <= 256; line_size *= 2)
		assert_int_equal(np_layout_lines(&layout, &cut, line_size),
				 count_lines(&layout, &cut, region, line_size));
}

static void check_lines(void **state)
{
	static const size_t short_lengths[] = { 0,  1,	2,  7,	31, 33,	 61,  63,
						64, 65, 96, 97, 99, 128, 131, 4099 };
	struct np_options options = plain_options();

	(void)state;
	for (size_t i = 0; i < 3 * OFFSETS * 2; i++) {
		options.buffers = (unsigned)NP_BUFFERS_ROTATE << i % 3;
		memcpy(options.offsets, offset_pairs[i / 3 % OFFSETS],
		       sizeof(options.offsets));
		options.integrity = i / 3 / OFFSETS != 0;
		for (options.align = 1; options.align <= ALIGN_MAX; options.align *= 2) {
			for (size_t k = 0; k < sizeof(short_lengths) / sizeof(size_t); k++)
				assert_lines(&options, i % 2 * 40, short_lengths[k], 99999);
		}
	}
}

static void check_lines_of_large(void **state)
{
	struct np_options options = plain_options();

	(void)state;
	for (int rotate = 0; rotate < 3; rotate++) {
		options.buffers = (unsigned)(unsigned)NP_BUFFERS_ROTATE << rotate;
		for (options.align = 1; options.align <= ALIGN_MAX; options.align *= 8)
			assert_lines(&options, 0, (8 << 20) + 3, (size_t)40 << 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_no_overlap),	cmocka_unit_test(check_guard),
		cmocka_unit_test(check_most_slots),	cmocka_unit_test(check_too_small),
		cmocka_unit_test(check_overflow),	cmocka_unit_test(check_lines),
		cmocka_unit_test(check_lines_of_large),
	};

	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
