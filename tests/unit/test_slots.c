/*
 * test_slots.c - which slots a block visits, and which it warms or flushes before.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "laid_out.h"
#include "endpoint/slots.h"

enum { SLOTS = 100, ENTRIES = 400 };

/* An end with a ring of its own, of a transport that only remembers what was
 * touched and what evicted. */
struct rig {
	struct np_endpoint endpoint; /* first: the hooks get it */
	struct np_options options;
	struct np_slot table[ENTRIES];
	struct np_slot touched[2 * ENTRIES], evicted[2 * ENTRIES];
	size_t touches, evictions;
	struct np_process process;
	struct np_error error;
};

static void remember_touch(struct np_endpoint *endpoint, const struct np_slot *slot,
			   size_t length)
{
	struct rig *rig = (struct rig *)endpoint;

	assert_int_equal(length, rig->process.cut.length);
	rig->touched[rig->touches++] = *slot;
}

static void remember_eviction(struct np_endpoint *endpoint, const struct np_slot *slot,
			      size_t length)
{
	struct rig *rig = (struct rig *)endpoint;

	assert_int_equal(length, rig->process.cut.length);
	rig->evicted[rig->evictions++] = *slot;
}

static int allocate(struct np_endpoint *endpoint, struct np_region *region, size_t length,
		    uint64_t key)
{
	return np_host_memory.allocate(endpoint, region, length, key);
}

static void free_region(struct np_endpoint *endpoint, struct np_region *region)
{
	np_host_memory.free(endpoint, region);
}

static const struct np_memory_hooks memory_hooks = {
	.loadable = true,
	.allocate = allocate,
	.free = free_region,
	.touch = remember_touch,
	.evict = remember_eviction,
};

static const struct np_module memory_of_tests = {
	.name = "rig",
	.capabilities = NP_POSTS_RECEIVES | NP_CAN_FRESH,
	.memory = &memory_hooks,
};

/* `receives` of them are posted at a time: a stream has a window. */
static void set_up(struct rig *rig, const struct np_options *options, size_t region,
		   size_t length, size_t receives)
{
	*rig = (struct rig){ .options = *options };
	rig->process = (struct np_process){ .module = &memory_of_tests,
					    .options = &rig->options,
					    .endpoint = &rig->endpoint,
					    .table = rig->table,
					    .capacity = ENTRIES,
					    .key = 99 };
	rig->process.request.operation = NP_STREAM;
	rig->process.request.capabilities = memory_of_tests.capabilities;
	rig->process.transfer.window = receives;
	rig->process.transfer.length = length;
	rig->process.layout = np_layout_of(options, 0);
	rig->process.region.base = far_base();
	rig->process.region.length = region;
	assert_int_equal(
		np_layout_cut(&rig->process.layout, region, length, &rig->process.cut), 0);
	rig->process.order =
		np_order_make(rig->process.cut.slots, 99, rig->process.layout.random);
}

static void set_up_plain(struct rig *rig, const struct np_options *options, size_t receives)
{
	set_up(rig, options, (size_t)SLOTS * 128, 64, receives);
	assert_int_equal(rig->process.cut.slots, SLOTS);
}

static void lay(struct rig *rig, const struct np_block *block)
{
	assert_int_equal(np_slots_fill(&rig->process, block, &rig->error), 0);
	assert_int_equal(rig->endpoint.ring_begin, 0);
	assert_in_range(rig->endpoint.ring_end, 1, ENTRIES);
}

static uint64_t index_of(const struct rig *rig, const unsigned char *address, unsigned side)
{
	const size_t at = distance(far_base(), address) -
			  (side == 0 ? 0 : rig->process.cut.recv_begin);

	assert_int_equal(at % rig->process.cut.strides[side], 0);
	assert_true(at / rig->process.cut.strides[side] < rig->process.cut.slots);
	return at / rig->process.cut.strides[side];
}

static uint64_t send_index(const struct rig *rig, size_t entry)
{
	return index_of(rig, rig->table[entry].send, 0);
}

static uint64_t recv_index(const struct rig *rig, size_t entry)
{
	return index_of(rig, rig->table[entry].recv, 1);
}

static void assert_each_once(const struct rig *rig, size_t count,
			     uint64_t (*at)(const struct rig *, size_t))
{
	unsigned char seen[SLOTS] = { 0 };

	for (size_t i = 0; i < count; i++)
		assert_int_equal(seen[at(rig, i)]++, 0);
}

/* Each receive of a window has a buffer of its own where messages are verified. */
static void check_window(void **state)
{
	const struct np_block block = {
		.mode = NP_MODE_REUSE, .messages = 300, .batches = 1, .fixed = 7
	};
	const struct np_options options = plain_options();
	struct rig rig;

	(void)state;
	for (int exchange = 0; exchange < 2; exchange++) {
		set_up_plain(&rig, &options, 1);
		rig.options.integrity = true;
		rig.process.request.window = SLOTS + 50;
		if (exchange) {
			rig.process.request.operation = NP_BIDIRECTIONAL;
			rig.process.request.capabilities |= NP_CAN_WINDOW_BOTH;
		}
		assert_int_equal(np_process_arm(&rig.process, 64, 0, false, &rig.error), 0);
		lay(&rig, &block);
		assert_int_equal(rig.endpoint.ring_end, SLOTS);
		assert_each_once(&rig, SLOTS, recv_index);
	}
}

/* A cursor that starts anywhere wraps where the pool ends. */
static void check_rotation(void **state)
{
	struct np_options options = plain_options();
	struct np_block block = { .mode = NP_MODE_ROTATE, .messages = 300, .batches = 1 };
	struct rig rig;

	(void)state;
	for (int order = NP_ORDER_RANDOM; order <= NP_ORDER_SEQUENTIAL; order++) {
		options.order = order;
		for (block.position = 0; block.position < 250; block.position += 83) {
			set_up_plain(&rig, &options, 1);
			lay(&rig, &block);
			assert_int_equal(rig.endpoint.ring_end, SLOTS);
			assert_each_once(&rig, SLOTS, send_index);
			for (size_t i = 0; i < SLOTS; i++) {
				assert_int_equal(send_index(&rig, i),
						 np_order_at(&rig.process.order,
							     block.position + i));
				assert_int_equal(send_index(&rig, i), recv_index(&rig, i));
			}
		}
	}
	/* Few messages have as many slots, and those posted ahead. */
	block.messages = 7;
	set_up_plain(&rig, &options, 4);
	lay(&rig, &block);
	assert_int_equal(rig.endpoint.ring_end, 11);
}

/* Of the run's sides, and of the mode's. */
static void check_one_side(void **state)
{
	struct np_options options = plain_options();
	struct np_block block = { .messages = 300, .batches = 1, .fixed = 42 };
	struct rig rig;

	(void)state;
	for (unsigned way = 0; way < 2; way++) {
		options.buffers = way == 0 ? NP_BUFFERS_ROTATE_SEND : NP_BUFFERS_ROTATE;
		block.mode = way == 0 ? NP_MODE_ROTATE : NP_MODE_SEND;
		set_up_plain(&rig, &options, 4);
		lay(&rig, &block);
		assert_each_once(&rig, SLOTS, send_index);
		for (size_t i = 0; i < SLOTS; i++)
			assert_int_equal(recv_index(&rig, i), 42 + i % 4);
		options.buffers = way == 0 ? NP_BUFFERS_ROTATE_RECV : NP_BUFFERS_ROTATE;
		block.mode = way == 0 ? NP_MODE_ROTATE : NP_MODE_RECV;
		set_up_plain(&rig, &options, 1);
		lay(&rig, &block);
		assert_each_once(&rig, SLOTS, recv_index);
		for (size_t i = 0; i < SLOTS; i++)
			assert_int_equal(send_index(&rig, i), 42);
	}
}

/* Receives that are posted at once have each a buffer, also past the end. */
static void check_reuse(void **state)
{
	const struct np_options options = plain_options();
	const struct np_block block = { .mode = NP_MODE_REUSE,
					.position = 17,
					.fixed = 97,
					.messages = 9,
					.batches = 9 };
	struct rig rig;

	(void)state;
	for (size_t receives = 1; receives <= 8; receives++) {
		set_up_plain(&rig, &options, receives);
		lay(&rig, &block);
		assert_int_equal(rig.endpoint.ring_end, receives);
		for (size_t i = 0; i < receives; i++) {
			assert_int_equal(send_index(&rig, i), 97);
			assert_int_equal(recv_index(&rig, i), (97 + i) % SLOTS);
		}
		np_slots_prepare(&rig.process, &block);
		assert_int_equal(rig.touches + rig.evictions, 0);
	}
}

/* A sweep meets as many different lines, or pages, as it says. */
static void check_axes(void **state)
{
	enum { PAGES = 64, PAGE = 4096 };
	struct np_options options = plain_options();
	struct np_block block = {
		.mode = NP_MODE_ROTATE, .messages = 350, .batches = 1, .buffers = 12
	};
	unsigned char pages[2][PAGES] = { { 0 } }, offsets[PAGE / 64] = { 0 };
	size_t different = 0;
	struct rig rig;

	(void)state;
	options.capacity = 64;
	set_up(&rig, &options, (size_t)PAGES * PAGE, 64, 1);
	block.axis = NP_AXIS_LINES;
	lay(&rig, &block);
	assert_int_equal(rig.endpoint.ring_end, 12);
	for (size_t i = 0; i < 12; i++)
		assert_true(send_index(&rig, i) < 12);
	assert_each_once(&rig, 12, send_index);

	block.axis = NP_AXIS_PAGES;
	block.buffers =
		np_layout_buffers(&rig.process.layout, &rig.process.cut, NP_AXIS_PAGES);
	assert_int_equal(block.buffers, PAGES / 2 - 1);
	lay(&rig, &block);
	assert_int_equal(rig.endpoint.ring_end, block.buffers);
	assert_int_equal(rig.process.cut.recv_begin % PAGE, 0);
	for (size_t i = 0; i < block.buffers; i++) {
		const size_t send = distance(far_base(), rig.table[i].send);
		const size_t recv = distance(far_base(), rig.table[i].recv);

		assert_int_equal(pages[0][send / PAGE]++, 0);
		assert_int_equal(pages[1][recv / PAGE]++, 0);
		different += offsets[send % PAGE / 64]++ == 0;
	}
	/* Not all at the same place of their page: those share sets of a cache. */
	assert_true(different > 20);
	/* More than there are is all that there are. */
	block.buffers = 1000;
	lay(&rig, &block);
	assert_int_equal(rig.endpoint.ring_end, PAGES / 2 - 1);
}

/* Each registered part in turn before one comes again. */
static void check_registrations(void **state)
{
	struct np_options options = plain_options();
	const struct np_block block = { .mode = NP_MODE_ROTATE,
					.axis = NP_AXIS_REGISTRATIONS,
					.buffers = 8,
					.messages = 350,
					.batches = 1 };
	unsigned char parts[8] = { 0 };
	struct rig rig;

	(void)state;
	options.capacity = 64;
	options.regions = 8;
	set_up(&rig, &options, (size_t)8 * 16384, 64, 1);
	lay(&rig, &block);
	assert_int_equal(rig.endpoint.ring_end, 8);
	for (size_t i = 0; i < 8; i++) {
		const size_t at = distance(far_base(), rig.table[i].send);

		assert_int_equal(parts[at / rig.process.cut.part_size]++, 0);
	}
}

/* Every other sample is of one slot, those between meet each slot once. */
static void check_alternating(void **state)
{
	const struct np_options options = plain_options();
	struct np_block block = {
		.alternate = true, .messages = 2, .batches = 8, .fixed = 5, .position = 3
	};
	struct rig rig;

	(void)state;
	for (enum np_mode mode = 0; mode < NP_MODES; mode++) {
		unsigned char seen[SLOTS] = { 0 };

		if (mode == NP_MODE_FRESH)
			continue;
		block.mode = mode;
		set_up_plain(&rig, &options, 1);
		lay(&rig, &block);
		assert_int_equal(rig.endpoint.ring_end, 17);
		for (size_t i = 0; i < 16; i++) {
			if (i / 2 % 2 == 0) {
				assert_int_equal(send_index(&rig, i), 5);
				assert_int_equal(recv_index(&rig, i), 5);
				continue;
			}
			const size_t apart = i / 4 * 2 + i % 2;
			const uint64_t far = np_order_at(&rig.process.order, 3 + apart);
			const bool send = np_slots_rotate(mode) && mode != NP_MODE_RECV;
			const bool recv = np_slots_rotate(mode) && mode != NP_MODE_SEND;

			assert_int_equal(send_index(&rig, i), send ? far : 6 + apart);
			assert_int_equal(recv_index(&rig, i), recv ? far : 6 + apart);
			assert_int_equal(seen[send_index(&rig, i)]++, 0);
		}
	}
}

/* Of an alternating block the one slot is warm in every mode; the others as the
 * mode has them. */
static void check_warmth(void **state)
{
	static const struct {
		enum np_mode mode;
		size_t touches, evictions;
	} wanted[] = {
		{ NP_MODE_REUSE, 17, 0 },   { NP_MODE_EVICTED, 9, 8 },
		{ NP_MODE_TOUCHED, 17, 0 }, { NP_MODE_ROTATE, 9, 0 },
		{ NP_MODE_SEND, 17, 0 },    { NP_MODE_RECV, 17, 0 },
	};
	const struct np_options options = plain_options();
	struct np_block block = { .alternate = true, .messages = 1, .batches = 16 };
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		block.mode = wanted[i].mode;
		set_up_plain(&rig, &options, 1);
		lay(&rig, &block);
		np_slots_prepare(&rig.process, &block);
		assert_int_equal(rig.touches, wanted[i].touches);
		assert_int_equal(rig.evictions, wanted[i].evictions);
		/* The side that does not move is warmed, the other is not. */
		if (block.mode == NP_MODE_SEND) {
			assert_ptr_equal(rig.touched[1].send, rig.table[1].recv);
			assert_ptr_equal(rig.touched[1].recv, rig.table[1].recv);
		}
		if (block.mode == NP_MODE_RECV)
			assert_ptr_equal(rig.touched[1].recv, rig.table[1].send);
	}
}

/* A lap warms all buffers of a sweep, though the block has one message. */
static void check_lap(void **state)
{
	struct np_options options = plain_options();
	struct np_block block = { .axis = NP_AXIS_LINES, .buffers = 40, .touch_all = true };
	unsigned char seen[SLOTS] = { 0 };
	struct rig rig;

	(void)state;
	options.capacity = 64;
	block.mode = NP_MODE_ROTATE;
	block.messages = block.batches = 1;
	set_up(&rig, &options, (size_t)SLOTS * 128 + 4096, 64, 1);
	lay(&rig, &block);
	np_slots_prepare(&rig.process, &block);
	assert_int_equal(rig.touches, 40);
	for (size_t i = 0; i < 40; i++)
		assert_int_equal(seen[index_of(&rig, rig.touched[i].send, 0)]++, 0);
}

/* Fresh buffers are nowhere in the region, are all different, can be written, and
 * are gone afterwards. */
static void check_fresh(void **state)
{
	const struct np_options options = plain_options();
	const struct np_block block = { .mode = NP_MODE_FRESH,
					.messages = 20,
					.batches = 4 };
	struct rig rig;

	(void)state;
	set_up_plain(&rig, &options, 1);
	lay(&rig, &block);
	assert_int_equal(rig.endpoint.ring_end, 81);
	for (size_t i = 0; i < 81; i++) {
		unsigned char *const sides[] = { rig.table[i].send, rig.table[i].recv };

		for (size_t side = 0; side < 2; side++) {
			assert_true(sides[side] >= rig.process.fresh.base);
			assert_true(sides[side] + 64 <=
				    rig.process.fresh.base + rig.process.fresh.length);
			memset(sides[side], (int)(2 * i + side), 64);
		}
	}
	for (size_t i = 0; i < 81; i++) {
		assert_int_equal(rig.table[i].send[63], 2 * i);
		assert_int_equal(rig.table[i].recv[0], 2 * i + 1);
	}
	np_slots_prepare(&rig.process, &block);
	assert_int_equal(rig.evictions, 81);
	np_slots_release(&rig.process);
	assert_null(rig.process.fresh.base);
}

/* --replay: new receive buffers have no pages, new send buffers have theirs, and are
 * evicted. */
static void check_fresh_pages(void **state)
{
	const struct np_options options = plain_options();
	struct rig rig;

	(void)state;
	for (int receives = 0; receives < 2; receives++) {
		const struct np_block block = { .mode = NP_MODE_FRESH,
						.axis = receives ? NP_AXIS_RECV :
								   NP_AXIS_SEND,
						.buffers = 1,
						.messages = 20,
						.batches = 1 };
		unsigned char present = 2;

		set_up_plain(&rig, &options, 1);
		lay(&rig, &block);
		np_slots_prepare(&rig.process, &block);
		assert_int_equal(mincore(rig.process.fresh.base, 1, &present), 0);
		assert_int_equal(present & 1, receives ? 0 : 1);
		assert_int_equal(rig.evictions, receives ? 0 : rig.endpoint.ring_end);
		np_slots_release(&rig.process);
	}
}

/* Where the other process's buffer lies in its region, only the own one is fresh, and only
 * that is evicted. */
static void check_fresh_origin(void **state)
{
	const struct np_options options = plain_options();
	const struct np_block block = { .mode = NP_MODE_FRESH,
					.messages = 3,
					.batches = 2 };
	struct rig rig;

	(void)state;
	for (int gets = 0; gets < 2; gets++) {
		set_up_plain(&rig, &options, 1);
		rig.process.request.reaches_region = true;
		rig.process.request.step = gets ? NP_ONE_SIDED_GET : NP_ONE_SIDED_PUT;
		lay(&rig, &block);
		for (size_t i = 0; i < rig.endpoint.ring_end; i++) {
			const struct np_slot *slot = &rig.table[i];
			const unsigned char *own = gets ? slot->recv : slot->send;

			assert_int_equal(gets ? send_index(&rig, i) : recv_index(&rig, i),
					 0);
			assert_true(own >= rig.process.fresh.base);
			assert_true(own + 64 <=
				    rig.process.fresh.base + rig.process.fresh.length);
		}
		np_slots_prepare(&rig.process, &block);
		assert_int_equal(rig.evictions, rig.endpoint.ring_end);
		for (size_t i = 0; i < rig.evictions; i++)
			assert_ptr_equal(rig.evicted[i].send, rig.evicted[i].recv);
		np_slots_release(&rig.process);
	}
}

static void check_same_buffer(void **state)
{
	const struct np_options options = plain_options();
	static const enum np_mode modes[] = { NP_MODE_REUSE, NP_MODE_ROTATE,
					      NP_MODE_FRESH };
	struct rig rig;

	(void)state;
	for (size_t m = 0; m < sizeof(modes) / sizeof(*modes); m++) {
		const struct np_block block = { .mode = modes[m],
						.messages = 3,
						.batches = 2 };

		set_up_plain(&rig, &options, 1);
		rig.process.request.same_buffer = true;
		lay(&rig, &block);
		for (size_t i = 0; i < rig.endpoint.ring_end; i++)
			assert_ptr_equal(rig.table[i].send, rig.table[i].recv);
		np_slots_release(&rig.process);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_fresh_origin),  cmocka_unit_test(check_same_buffer),
		cmocka_unit_test(check_rotation),      cmocka_unit_test(check_one_side),
		cmocka_unit_test(check_reuse),	       cmocka_unit_test(check_axes),
		cmocka_unit_test(check_registrations), cmocka_unit_test(check_alternating),
		cmocka_unit_test(check_warmth),	       cmocka_unit_test(check_lap),
		cmocka_unit_test(check_fresh),	       cmocka_unit_test(check_window),
		cmocka_unit_test(check_fresh_pages),
	};

	return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
