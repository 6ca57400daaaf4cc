/*
 * test_layout_parts.c - a region in parts: no buffer, nor the room beside it,
 * crosses a border or meets another, and the lines are counted right.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "laid_out.h"
#include "base/random.h"

enum { PAGE = 4096, REGION_PAGES = 64, ROUNDS = 4000 };

static struct np_options random_options(struct np_random *random)
{
	struct np_options options = plain_options();

	options.regions = 1 + np_random_below(random, 40);
	options.align = (size_t)1 << np_random_below(random, 13);
	options.integrity = np_random_below(random, 2) != 0;
	options.buffers = (unsigned)NP_BUFFERS_ROTATE << np_random_below(random, 3);
	if (np_random_below(random, 2) != 0)
		options.slots = 1 + np_random_below(random, 60);
	for (unsigned side = 0; side < 2; side++)
		options.offsets[side] = np_random_below(random, 2) != 0 ?
						(size_t)np_random_below(random, 300) :
						0;
	return options;
}

/* Takes the bytes of a buffer and its guards, which must be free and in one part. */
static void take(unsigned char *taken, const struct np_layout *layout, size_t part_size,
		 size_t at, size_t length)
{
	const size_t first = at - layout->guard;
	const size_t end = at + (length != 0 ? length : 1) + layout->guard;

	assert_true(at >= layout->guard);
	assert_true(end <= (size_t)layout->parts * part_size);
	assert_int_equal(first / part_size, (end - 1) / part_size);
	for (size_t i = first; i < end; i++) {
		assert_int_equal(taken[i], 0);
		taken[i] = 1;
	}
}

static void assert_placed(const struct np_layout *layout, const struct np_cut *cut,
			  size_t region)
{
	unsigned char *taken = calloc(region, 1);

	assert_non_null(taken);
	for (uint64_t i = 0; i < cut->slots; i++) {
		const struct np_slot slot = np_layout_slot(layout, cut, far_base(), i);
		const size_t send = distance(far_base(), slot.send),
			     recv = distance(far_base(), slot.recv);

		take(taken, layout, cut->part_size, send, cut->length);
		take(taken, layout, cut->part_size, recv, cut->length);
		assert_int_equal((send - layout->offsets[0]) % layout->align, 0);
		assert_int_equal((recv - layout->offsets[1]) % layout->align, 0);
		/* Both buffers of a slot are registered together. */
		assert_int_equal(send / cut->part_size, i / cut->part_slots);
		assert_int_equal(recv / cut->part_size, i / cut->part_slots);
	}
	free(taken);
}

static uint64_t mark(unsigned char *marks, size_t begin, size_t length)
{
	uint64_t fresh = 0;

	for (size_t line = begin / 64; line <= (begin + length - 1) / 64; line++) {
		fresh += marks[line] == 0;
		marks[line] = 1;
	}
	return fresh;
}

static void assert_lines(const struct np_layout *layout, const struct np_cut *cut,
			 size_t region)
{
	unsigned char *marks = calloc(region / 64 + 1, 1);
	uint64_t lines = 0;

	assert_non_null(marks);
	for (uint64_t i = 0; i < cut->slots && cut->length != 0; i++) {
		const struct np_slot slot = np_layout_slot(layout, cut, far_base(), i);

		if (layout->rotate != NP_ROTATE_RECV)
			lines += mark(marks, distance(far_base(), slot.send), cut->length);
		if (layout->rotate != NP_ROTATE_SEND)
			lines += mark(marks, distance(far_base(), slot.recv), cut->length);
	}
	assert_int_equal(np_layout_lines(layout, cut, 64), lines);
	free(marks);
}

static void check_no_border_is_crossed(void **state)
{
	struct np_random random = { 3 };
	unsigned cuts = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		const struct np_options options = random_options(&random);
		const struct np_layout layout =
			np_layout_of(&options, np_random_below(&random, 2) * 40);
		const size_t region =
			PAGE * (1 + (size_t)np_random_below(&random, REGION_PAGES));
		const size_t length = (size_t)np_random_below(
			&random, (uint64_t)1 << np_random_below(&random, 16));
		struct np_cut cut;

		if (np_layout_cut(&layout, region, length, &cut) != 0)
			continue;
		cuts++;
		assert_true(cut.slots >= 1 && cut.slots <= layout.most_slots);
		assert_true(layout.parts == 1 || cut.part_size % PAGE == 0);
		assert_true(cut.part_size * layout.parts <= region);
		assert_placed(&layout, &cut, region);
		assert_lines(&layout, &cut, region);
	}
	assert_true(cuts > ROUNDS / 10);
}

/* A region of the length that is named holds the slots, and one page less in
 * each part does not. */
static void check_bytes(void **state)
{
	struct np_random random = { 4 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct np_options options = random_options(&random);
		const uint64_t slots = 1 + np_random_below(&random, 100);
		const size_t length = (size_t)np_random_below(&random, 20000);
		struct np_cut cut;

		options.slots = 0;
		options.regions++;
		const struct np_layout layout = np_layout_of(&options, 0);
		const size_t bytes = np_layout_bytes(&layout, length, slots);

		assert_int_equal(np_layout_cut(&layout, bytes, length, &cut), 0);
		assert_true(cut.slots >= slots);
		if (np_layout_cut(&layout, bytes - PAGE * layout.parts, length, &cut) == 0)
			assert_true(cut.slots < slots);
	}
}

/* As many parts as slots: one slot each. */
static void check_one_slot_a_part(void **state)
{
	struct np_options options = plain_options();
	struct np_cut cut;

	(void)state;
	options.regions = options.slots = 10;
	const struct np_layout layout = np_layout_of(&options, 0);
	assert_int_equal(np_layout_cut(&layout, 43 * PAGE, 64, &cut), 0);
	assert_int_equal(cut.part_size, 4 * PAGE);
	assert_int_equal(cut.slots, 10);
	assert_int_equal(cut.part_slots, 1);
	for (uint64_t i = 0; i < 10; i++) {
		const struct np_slot slot = np_layout_slot(&layout, &cut, far_base(), i);

		assert_int_equal(distance(far_base(), slot.send), i * 4 * PAGE);
		assert_int_equal(distance(far_base(), slot.recv), i * 4 * PAGE + 64);
	}
	/* A pair more than a part holds is no pair at all. */
	assert_int_equal(np_layout_cut(&layout, 43 * PAGE, 2 * PAGE, &cut), 0);
	assert_int_equal(np_layout_cut(&layout, 43 * PAGE, 2 * PAGE + 1, &cut), -ENOMEM);
	assert_int_equal(np_layout_cut(&layout, 9 * PAGE, 1, &cut), -ENOMEM);
}

static void check_one_part(void **state)
{
	struct np_options options = plain_options();
	struct np_cut none, one;

	(void)state;
	const struct np_layout layout = np_layout_of(&options, 0);
	options.regions = 1;
	const struct np_layout whole = np_layout_of(&options, 0);
	assert_int_equal(np_layout_cut(&layout, 99999, 100, &none), 0);
	assert_int_equal(np_layout_cut(&whole, 99999, 100, &one), 0);
	assert_int_equal(none.slots, one.slots);
	assert_int_equal(one.slots, 99999 / 256);
	assert_int_equal(one.recv_begin, 99999 / 256 * 128);
	assert_int_equal(np_layout_part_size(&whole, 99999), 99999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_no_border_is_crossed),
		cmocka_unit_test(check_bytes),
		cmocka_unit_test(check_one_slot_a_part),
		cmocka_unit_test(check_one_part),
	};

	return cmocka_run_group_tests_name("layout_parts", tests, NULL, NULL);
}
