/*
 * test_ibv_queues.c - by which queue pairs NPibv's messages go.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ibv_rig.h"
#include "modules/ibv/ibv_private.h"

enum { QUEUES = 5 };

/* Runs a block and fails unless so many work requests were posted to each queue pair. */
static int expect_posts(struct two_ends *pair, const struct np_block *block,
			const unsigned posts[QUEUES], struct np_error *error)
{
	const struct np_ibv *ibv = np_ibv_of(pair->process.endpoint);
	struct np_counts counts = { .count = 0 };
	uint64_t before[QUEUES], ns[1];

	for (size_t i = 0; i < QUEUES; i++)
		before[i] = ibv->queues[i].posted;
	const int rc = np_block_run(&pair->process, block, ns, &counts, error);
	/* Rank 1 has a fence behind its last message, which nothing answers. */
	for (size_t i = 0; rc == 0 && pair->boot.rank == 0 && i < QUEUES; i++) {
		const uint64_t posted = ibv->queues[i].posted - before[i];

		if (posted != posts[i])
			return two_ends_fail(error, "queue pair %zu: %u posts, not %u", i,
					     (unsigned)posted, posts[i]);
	}
	return rc == 0 ? two_ends_meet(pair, error) : rc;
}

/* All of them, from one block to the next; as many as the point of a sweep has; and one
 * where they are not what is swept. */
static int take_turns(struct two_ends *pair, struct np_error *error)
{
	static const unsigned first[] = { 2, 1, 1, 1, 1 }, next[] = { 1, 2, 1, 1, 1 },
			      three[] = { 1, 2, 1, 0, 0 }, one[] = { 4, 0, 0, 0, 0 };
	struct np_block block = { .mode = NP_MODE_ROTATE,
				  .messages = 6,
				  .batches = 1,
				  .position = 4,
				  .timeout_ns = TWO_ENDS_PATIENCE_NS };

	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 4096, error);
	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, IBV_RIG_LENGTH, 4, error);
	if (rc == 0)
		rc = expect_posts(pair, &block, first, error);
	if (rc == 0)
		rc = expect_posts(pair, &block, next, error);
	block.axis = NP_AXIS_QUEUE_PAIRS;
	block.buffers = 3;
	block.messages = 4;
	if (rc == 0)
		rc = expect_posts(pair, &block, three, error);
	block.mode = NP_MODE_REUSE;
	if (rc == 0)
		rc = expect_posts(pair, &block, one, error);
	block.axis = NP_AXIS_LINES;
	block.mode = NP_MODE_ROTATE;
	return rc == 0 ? expect_posts(pair, &block, one, error) : rc;
}

static void test_turns(void **state)
{
	static const char *const settings[][3] = {
		{ "qps=5", NULL },
		{ "qps=5", "completion=event", NULL },
		{ "qps=5", "transport=rdma_write_with_imm", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		ibv_rig_succeeds(settings[i], take_turns);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, ibv_rig_setup)
	const struct CMUnitTest tests[] = {
		TEST(test_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
