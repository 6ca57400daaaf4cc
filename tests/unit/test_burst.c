/*
 * test_burst.c - with -B all receives of a block are posted before its first message,
 * each in a buffer of its own, and no loop posts one.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "laid_out.h"
#include "contract/np_loop.h"
#include "endpoint/block.h"

enum { SLOTS = 100, ENTRIES = 400, MESSAGES = 5, BATCHES = 4, TOTAL = MESSAGES * BATCHES };

/* An end of a transport that counts its receives. */
struct rig {
	struct np_endpoint endpoint; /* first: the hooks get it */
	struct np_options options;
	struct np_slot table[ENTRIES];
	struct np_boot boot;
	struct np_watch watch;
	struct np_process process;
	unsigned char *buffers[ENTRIES];
	size_t posted, moved; /* receives; messages sent and received */
	size_t posted_first;  /* of them, before the first message */
};

static int post(struct np_endpoint *endpoint, size_t slot)
{
	struct rig *rig = (struct rig *)endpoint;

	rig->buffers[rig->posted++] = endpoint->transfer->slots[slot].recv;
	return 0;
}

static int move(struct np_endpoint *endpoint, size_t slot)
{
	struct rig *rig = (struct rig *)endpoint;

	(void)slot;
	if (rig->moved++ == 0)
		rig->posted_first = rig->posted;
	return 0;
}

static int no_touch_needed(struct np_endpoint *endpoint, struct np_region *region,
			   size_t length, uint64_t key)
{
	(void)endpoint;
	(void)key;
	region->base = far_base();
	region->length = length;
	return 0;
}

static void leave_region(struct np_endpoint *endpoint, struct np_region *region)
{
	(void)endpoint;
	(void)region;
}

static void leave_slot(struct np_endpoint *endpoint, const struct np_slot *slot,
		       size_t length)
{
	(void)endpoint;
	(void)slot;
	(void)length;
}

static uint64_t no_time(struct np_endpoint *endpoint)
{
	(void)endpoint;
	return 0;
}

static const struct np_hot hot = { post,       move,	   move,	   np_no_hook,
				   np_no_hook, np_no_hook, np_no_hook_slot };
static const struct np_code_path generic = { .name = "generic", .hot = &hot };
NP_CODE_PATH(posting, "compiled", hot);
NP_CODE_PATH_BURST(burst, "compiled", hot);

static const struct np_memory_hooks memory = { .allocate = no_touch_needed,
					       .free = leave_region,
					       .touch = leave_slot,
					       .evict = leave_slot };
/* The clock of a model needs no peer to wait for. */
static const struct np_model_hooks model = { .now = no_time };
static const struct np_module module = {
	.name = "rig",
	.capabilities = NP_CAN_BURST | NP_POSTS_RECEIVES | NP_CAN_FRESH,
	.memory = &memory,
	.model = &model,
};

static void set_up(struct rig *rig, enum np_operation operation, int rank,
		   const struct np_code_path *path)
{
	struct np_error error = { .code = 0 };

	*rig = (struct rig){ .options = plain_options(), .boot = { .rank = rank } };
	rig->options.burst = path != &posting;
	rig->endpoint.code_path = path;
	rig->process = (struct np_process){
		.module = &module,
		.options = &rig->options,
		.boot = &rig->boot,
		.watch = &rig->watch,
		.endpoint = &rig->endpoint,
		.endpoints = { &rig->endpoint },
		.opened = 1,
		.table = rig->table,
		.capacity = ENTRIES,
		.request = { .operation = operation,
			     .window = 3,
			     .capabilities = module.capabilities },
		.layout = np_layout_of(&rig->options, 0),
		.region = { .base = far_base(), .length = (size_t)SLOTS * 128 },
	};
	assert_int_equal(np_process_arm(&rig->process, 64, 0, false, &error), 0);
}

static void run_block(struct rig *rig, enum np_mode mode)
{
	const struct np_block block = { .mode = mode,
					.messages = MESSAGES,
					.batches = BATCHES };
	struct np_counts counts = { .count = 0 };
	struct np_error error = { .code = 0 };
	uint64_t ns[BATCHES];

	rig->posted = rig->moved = 0;
	assert_int_equal(np_block_run(&rig->process, &block, ns, &counts, &error), 0);
	assert_true(rig->moved >= TOTAL);
}

static void assert_own_buffers(const struct rig *rig)
{
	for (size_t i = 0; i < rig->posted; i++) {
		for (size_t k = 0; k < i; k++)
			assert_ptr_not_equal(rig->buffers[i], rig->buffers[k]);
	}
}

static const struct case_of_burst {
	enum np_operation operation;
	int rank;
	size_t receives;
} cases[] = {
	{ NP_PINGPONG, 0, TOTAL },
	{ NP_PINGPONG, 1, TOTAL },
	{ NP_STREAM, 0, 0 },
	{ NP_STREAM, 1, TOTAL },
	{ NP_STREAM_ACKED, 0, 0 },
	{ NP_STREAM_ACKED, 1, TOTAL },
	/* One more, for the exchange that completes a block. */
	{ NP_BIDIRECTIONAL, 0, TOTAL + 1 },
	{ NP_BIDIRECTIONAL, 1, TOTAL + 1 },
};

enum { CASES = sizeof(cases) / sizeof(*cases) };

static void check_posts(void **state)
{
	static const struct np_code_path *const paths[] = { &generic, &burst };
	static const enum np_mode modes[] = { NP_MODE_REUSE, NP_MODE_ROTATE,
					      NP_MODE_FRESH };
	static struct rig rig;

	(void)state;
	for (size_t i = 0; i < CASES * 2 * 3; i++) {
		const struct case_of_burst *at = &cases[i % CASES];

		set_up(&rig, at->operation, at->rank, paths[i / CASES % 2]);
		run_block(&rig, modes[i / CASES / 2]);
		assert_int_equal(rig.posted_first, at->receives);
		assert_int_equal(rig.posted, at->receives);
		assert_own_buffers(&rig);
	}
}

/* Without -B the loops post all but the first. */
static void check_without(void **state)
{
	static const size_t first[CASES] = { 1, 1, 0, 3, 0, 1, 2, 2 };
	static struct rig rig;

	(void)state;
	for (size_t i = 0; i < CASES; i++) {
		set_up(&rig, cases[i].operation, cases[i].rank, &posting);
		run_block(&rig, NP_MODE_REUSE);
		assert_int_equal(rig.posted, cases[i].receives);
		assert_int_equal(rig.posted_first, first[i]);
	}
}

/* A block has as many messages as receives can be posted and have buffers. */
static void check_most(void **state)
{
	static struct rig rig;

	(void)state;
	set_up(&rig, NP_PINGPONG, 0, &posting);
	assert_true(np_process_block_most(&rig.process) == UINT64_MAX);
	set_up(&rig, NP_PINGPONG, 0, &burst);
	assert_int_equal(np_process_block_most(&rig.process), SLOTS);
	rig.endpoint.receives_most = 10;
	np_process_arm(&rig.process, 64, 0, false, NULL);
	assert_int_equal(np_process_block_most(&rig.process), 10);
	rig.process.request.operation = NP_BIDIRECTIONAL;
	assert_int_equal(np_process_block_most(&rig.process), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_posts),
		cmocka_unit_test(check_without),
		cmocka_unit_test(check_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
