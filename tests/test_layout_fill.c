/*
 * test_layout_fill.c - which slots a block visits.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "laid_out.h"

/* A table that is filled, with what it was filled from. */
struct filled {
	struct np_layout layout;
	struct np_cut cut;
	struct np_order order;
	struct np_slot table[400];
};

enum { REGION = 100 * 128, ENTRIES = 400 };

static void fill(struct filled *filled, const struct np_options *options,
		 const struct np_walk *walk)
{
	filled->layout = np_layout_of(options, 0);
	assert_int_equal(np_layout_cut(&filled->layout, REGION, 64, &filled->cut), 0);
	assert_int_equal(filled->cut.slots, 100);
	filled->order = np_order_make(filled->cut.slots, 99, filled->layout.random);
	np_layout_fill(&filled->layout, &filled->cut, far_base(), &filled->order, walk,
		       filled->table, ENTRIES);
}

static uint64_t send_index(const struct filled *filled, size_t entry)
{
	const size_t at = distance(far_base(), filled->table[entry].send);

	assert_int_equal(at % filled->cut.strides[0], 0);
	assert_true(at / filled->cut.strides[0] < filled->cut.slots);
	return at / filled->cut.strides[0];
}

static uint64_t recv_index(const struct filled *filled, size_t entry)
{
	const size_t at = distance(far_base(), filled->table[entry].recv);

	assert_true(at >= filled->cut.recv_begin);
	assert_int_equal((at - filled->cut.recv_begin) % filled->cut.strides[1], 0);
	assert_true((at - filled->cut.recv_begin) / filled->cut.strides[1] <
		    filled->cut.slots);
	return (at - filled->cut.recv_begin) / filled->cut.strides[1];
}

static void assert_each_once(const struct filled *filled, size_t begin,
			     uint64_t (*index_of)(const struct filled *, size_t))
{
	unsigned char seen[100] = { 0 };

	for (size_t i = begin; i < begin + 100; i++)
		assert_int_equal(seen[index_of(filled, i)]++, 0);
}

static void check_rotation(void **state)
{
	struct np_options options = plain_options();
	struct np_walk walk = { .rotate = true, .fixed = 3, .receives = 1 };
	struct filled filled;

	(void)state;
	for (int order = NP_ORDER_RANDOM; order <= NP_ORDER_SEQUENTIAL; order++) {
		options.order = order;
		/* A cursor that starts anywhere wraps where the pool ends. */
		for (walk.position = 0; walk.position < 250; walk.position += 83) {
			fill(&filled, &options, &walk);
			for (size_t lap = 0; lap < ENTRIES / 100; lap++) {
				assert_each_once(&filled, lap * 100, send_index);
				assert_each_once(&filled, lap * 100, recv_index);
			}
			for (size_t i = 0; i < ENTRIES; i++) {
				assert_int_equal(
					send_index(&filled, i),
					np_order_at(&filled.order, walk.position + i));
				assert_int_equal(send_index(&filled, i),
						 recv_index(&filled, i));
			}
		}
	}
}

/* Two blocks in a row go on where the first ended. */
static void check_cursor_runs_on(void **state)
{
	const struct np_options options = plain_options();
	struct np_walk walk = { .rotate = true, .receives = 1 };
	struct filled first, second;

	(void)state;
	fill(&first, &options, &walk);
	walk.position = 130;
	fill(&second, &options, &walk);
	for (size_t i = 130; i < ENTRIES; i++)
		assert_int_equal(send_index(&first, i), send_index(&second, i - 130));
}

static void check_one_side(void **state)
{
	struct np_options options = plain_options();
	const struct np_walk walk = { .rotate = true, .fixed = 42, .receives = 1 };
	struct filled filled;

	(void)state;
	options.rotate = NP_ROTATE_SEND;
	fill(&filled, &options, &walk);
	assert_each_once(&filled, 0, send_index);
	for (size_t i = 0; i < ENTRIES; i++)
		assert_int_equal(recv_index(&filled, i), 42);
	options.rotate = NP_ROTATE_RECV;
	fill(&filled, &options, &walk);
	assert_each_once(&filled, 0, recv_index);
	for (size_t i = 0; i < ENTRIES; i++)
		assert_int_equal(send_index(&filled, i), 42);
}

static void check_reuse(void **state)
{
	const struct np_options options = plain_options();
	struct np_walk walk = { .position = 17, .fixed = 97 };
	struct filled filled;

	(void)state;
	/* Receives that are posted at once have each a buffer, also past the end. */
	for (walk.receives = 1; walk.receives <= 8; walk.receives++) {
		fill(&filled, &options, &walk);
		for (size_t i = 0; i < ENTRIES; i++) {
			assert_int_equal(send_index(&filled, i), 97);
			assert_int_equal(recv_index(&filled, i),
					 (97 + i % walk.receives) % 100);
		}
	}
}

/* Where only the send side rotates, several receives are still posted. */
static void check_receives_beside_rotation(void **state)
{
	struct np_options options = plain_options();
	const struct np_walk walk = { .rotate = true, .fixed = 10, .receives = 4 };
	struct filled filled;

	(void)state;
	options.rotate = NP_ROTATE_SEND;
	fill(&filled, &options, &walk);
	assert_each_once(&filled, 0, send_index);
	for (size_t i = 0; i < ENTRIES; i++)
		assert_int_equal(recv_index(&filled, i), 10 + i % 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_rotation),
		cmocka_unit_test(check_cursor_runs_on),
		cmocka_unit_test(check_one_side),
		cmocka_unit_test(check_reuse),
		cmocka_unit_test(check_receives_beside_rotation),
	};

	return cmocka_run_group_tests_name("layout_fill", tests, NULL, NULL);
}
