/*
 * test_ibv_queues.c - by which queue pairs NPibv's messages go, in which lists, and by
 * which calls.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "endpoint/block.h"
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
		{ "qps=5", "wait=event", NULL },
		{ "qps=5", "post=wr", NULL },
		{ "qps=5", "transfer=rdma_write_with_imm", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		ibv_rig_succeeds(settings[i], take_turns);
}

/* ---- Lists of work requests ------------------------------------------------------ */

enum { MESSAGES = 40, LIST = 8, MOST_OTHER_POSTS = 4 };

/* Runs a block of 40 messages.  `calls`: by how much a counter of the first end's device
 * grew, which its own thread alone may read. */
static int count_calls(struct two_ends *pair, const unsigned *counter, unsigned *calls,
		       struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_ROTATE,
					.messages = MESSAGES,
					.batches = 1,
					.timeout_ns = TWO_ENDS_PATIENCE_NS };
	const bool counts_here = pair->boot.rank == 0;
	struct np_counts counts = { .count = 0 };
	uint64_t ns[1];
	const unsigned before = counts_here ? *counter : 0;
	const int rc = np_block_run(&pair->process, &block, ns, &counts, error);

	*calls = counts_here ? *counter - before : 0;
	return rc;
}

/* Calls that post, of a stream of 40 messages: 5; and by ibv_post_send() a fence and
 * acknowledgements.  Without --post-list at least one for each message. */
static int post_lists_by(struct two_ends *pair, const unsigned *counter, unsigned others,
			 struct np_error *error)
{
	unsigned calls = 0;

	pair->options.window = 2 * LIST;
	int rc = two_ends_open(pair, &pair->process, NP_STREAM, 1, 4096, error);
	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, 8, 12, error);
	if (rc == 0)
		rc = count_calls(pair, counter, &calls, error);
	if (rc == 0 && pair->boot.rank == 0 &&
	    (calls < MESSAGES / LIST || calls > MESSAGES / LIST + others))
		return two_ends_fail(error, "%u calls post %d messages in lists of %d",
				     calls, MESSAGES, LIST);
	return rc == 0 ? two_ends_meet(pair, error) : rc;
}

static int post_lists(struct two_ends *pair, struct np_error *error)
{
	return post_lists_by(pair, &ibv_rig_device(0)->posts, MOST_OTHER_POSTS, error);
}

static int post_wr_lists(struct two_ends *pair, struct np_error *error)
{
	return post_lists_by(pair, &ibv_rig_device(0)->wr_posts, 0, error);
}

static void test_post_list(void **state)
{
	static const char *const settings[][4] = {
		{ "post-list=8", "transfer=send_recv_with_imm", NULL },
		{ "post-list=8", "transfer=rdma_write_with_imm", "wait=event", NULL },
		{ "post-list=8", "transfer=rdma_write", "wait=event", NULL },
		{ "post-list=8", "transfer=rdma_read", NULL },
		{ "post-list=8", "transfer=fetch_and_add", NULL },
		{ "post-list=8", "transfer=ud", NULL },
	};
	/* A queue of two lists, and lists that do not divide the messages. */
	static const char *const others[][4] = {
		{ "post-list=4", "depth=8,0", "signal-every=3", NULL },
		{ "post-list=3", "wait=event", NULL },
		{ "post-list=3", "transfer=rdma_write", "depth=7,0", NULL },
		{ "post-list=4", "depth=8,0", "post=wr", NULL },
		{ "post-list=3", "wait=event", "post=wr", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		fake_verbs()->lazy = i % 2 != 0;
		ibv_rig_succeeds(settings[i], post_lists);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ibv_rig_succeeds(others[i], ibv_rig_stream);
}

/* By the newer calls, with inline data and without. */
static void test_post_wr_list(void **state)
{
	static const char *const how[][2] = {
		{ "wait=poll", "inline=auto" },
		{ "wait=event", "inline=0" },
		{ "wait=poll", "inline=0" },
		{ "wait=event", "inline=auto" },
	};

	(void)state;
	for (int transport = 0; transport < NP_IBV_TRANSPORTS; transport++) {
		char carries[64];

		snprintf(carries, sizeof(carries), "transfer=%s",
			 np_ibv_transport_names[transport]);
		for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
			const char *const settings[] = { "post-list=8", "post=wr", carries,
							 how[i][0],	how[i][1], NULL };

			fake_verbs()->lazy = i % 2 != 0;
			ibv_rig_succeeds(settings, post_wr_lists);
		}
	}
}

/* A list of which one is refused ends the run as a single request does. */
static void test_post_list_refused(void **state)
{
	static const char *const settings[] = { "post-list=4", NULL };
	static const char *const deep[] = { "post-list=4", "depth=0,0", NULL };
	static const struct ibv_rig_words short_queues = {
		NP_ERROR_USAGE, EINVAL, { "--post-list 4: fake0 has send queues of 7" }
	};
	static const struct ibv_rig_words expected = { NP_ERROR_FAILED,
						       ENOMEM,
						       { "ibv_post_send" } };

	(void)state;
	ibv_rig_refuse(0, FAKE_POST_SEND, 2, ENOMEM);
	ibv_rig_fails(settings, ibv_rig_stream, 0, &expected);
	fake_verbs_reset();
	ibv_rig_device(0)->max_qp_wr = 7;
	ibv_rig_fails(deep, ibv_rig_stream, 0, &short_queues);
}

/* ---- ibv_wr_start() to ibv_wr_complete() ------------------------------------------ */

/* Checked and timed messages of a length, each by those calls. */
static int post_by_wr(struct two_ends *pair, enum np_operation operation, size_t length,
		      struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_ROTATE,
					.messages = MESSAGES,
					.batches = 1,
					.timeout_ns = TWO_ENDS_PATIENCE_NS };
	unsigned calls = 0;

	pair->options.window = operation == NP_STREAM ? LIST : 0;
	int rc = two_ends_open(pair, &pair->process, operation, 1, 4096, error);
	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, length, 12, error);
	if (rc == 0)
		rc = np_check_run(&pair->process, &block, 0, error);
	if (rc == 0)
		rc = count_calls(pair, &ibv_rig_device(0)->wr_posts, &calls, error);
	if (rc == 0 && pair->boot.rank == 0 && calls != MESSAGES)
		return two_ends_fail(error, "%u of %d messages were posted by ibv_wr_start",
				     calls, MESSAGES);
	return rc == 0 ? two_ends_meet(pair, error) : rc;
}

static int post_short(struct two_ends *pair, struct np_error *error)
{
	return post_by_wr(pair, NP_PINGPONG, 8, error);
}

static int post_long(struct two_ends *pair, struct np_error *error)
{
	return post_by_wr(pair, NP_PINGPONG, IBV_RIG_LENGTH, error);
}

static int post_stream(struct two_ends *pair, struct np_error *error)
{
	return post_by_wr(pair, NP_STREAM, 8, error);
}

static int post_long_stream(struct two_ends *pair, struct np_error *error)
{
	return post_by_wr(pair, NP_STREAM, IBV_RIG_LENGTH, error);
}

static void test_posting(void **state)
{
	/* Every second of them is of a longer message. */
	static two_ends_test *const tests[] = { post_short, post_long, post_stream,
						post_long_stream };
	static const char *const settings[][4] = {
		{ "post=wr", "transfer=send_recv", NULL },
		{ "post=wr", "transfer=send_recv", "wait=event", NULL },
		{ "post=wr", "transfer=send_recv_with_imm", NULL },
		{ "post=wr", "transfer=send_recv_with_imm", "wait=event", NULL },
		{ "post=wr", "transfer=rdma_write", NULL },
		{ "post=wr", "transfer=rdma_write_with_imm", NULL },
		{ "post=wr", "transfer=rdma_write_with_imm", "wait=event", NULL },
		{ "post=wr", "transfer=rdma_write_with_imm", "wait=local_poll", NULL },
		{ "post=wr", "transfer=rdma_read", NULL },
		{ "post=wr", "transfer=rdma_read", "wait=event", NULL },
		{ "post=wr", "transfer=ud", NULL },
		{ "post=wr", "transfer=ud", "wait=event", "qps=3" },
		{ "post=wr", "transfer=fetch_and_add", NULL },
		{ "post=wr", "transfer=fetch_and_add", "wait=event", NULL },
		{ "post=wr", "transfer=compare_and_swap", NULL },
		{ "post=wr", "transfer=compare_and_swap", "wait=event", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		for (size_t k = 0; k < sizeof(tests) / sizeof(*tests); k++) {
			const char *const with[] = { settings[i][0], settings[i][1],
						     settings[i][2], settings[i][3], NULL };

			/* Atomic operations have 8 bytes, and a stream polls none. */
			if ((k % 2 != 0 && strstr(with[1], "_and_") != NULL) ||
			    (k >= 2 && with[2] != NULL &&
			     strstr(with[2], "local_poll") != NULL))
				continue;
			fake_verbs()->lazy = (i + k) % 2 != 0;
			ibv_rig_succeeds(with, tests[k]);
		}
	}
}

static void test_posting_refused(void **state)
{
	static const char *const settings[] = { "post=wr", NULL };
	static const struct ibv_rig_words
		none = { NP_ERROR_USAGE,
			 EOPNOTSUPP,
			 { "--post wr: device fake0 has no queue pairs for ibv_wr_start "
			   "and send_recv: --post send goes without" } },
		full = { NP_ERROR_FAILED, ENOMEM, { "ibv_wr_complete" } };

	(void)state;
	ibv_rig_device(0)->no_wr = true;
	ibv_rig_fails(settings, ibv_rig_ping_pong, 0, &none);
	fake_verbs_reset();
	ibv_rig_refuse(0, FAKE_POST_SEND, 3, ENOMEM);
	ibv_rig_fails(settings, ibv_rig_ping_pong, 0, &full);
}

/* The device in memory sees calls out of order, and posts all of a batch or nothing. */
static void test_posting_rules(void **state)
{
	static const char *const settings[] = { "post=wr", NULL };
	struct ibv_rig_alone alone;
	unsigned char byte = 0;

	(void)state;
	assert_int_equal(ibv_rig_open(&alone, settings), 0);
	struct ibv_qp_ex *pair = np_ibv_of(alone.ep)->queues[0].extended;

	for (int rule = 0; rule < 5; rule++) {
		if (rule != 0)
			ibv_wr_start(pair);
		if (rule == 2)
			ibv_wr_rdma_read(pair, 1, 0);
		else
			ibv_wr_send(pair);
		if (rule != 1)
			ibv_wr_set_inline_data(pair, &byte, 1);
		if (rule == 3)
			ibv_wr_set_sge(pair, 1, 0, 1);
		if (rule == 4)
			ibv_wr_set_ud_addr(pair, NULL, 1, 1);
		/* The queue pair is not connected. */
		assert_int_equal(ibv_wr_complete(pair), EINVAL);
		assert_non_null(fake_verbs()->misuse);
		fake_verbs()->misuse = NULL;
	}
	ibv_wr_start(pair);
	ibv_wr_abort(pair);
	ibv_rig_close(&alone);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, ibv_rig_setup)
	const struct CMUnitTest tests[] = {
		TEST(test_turns),	  TEST(test_post_list),
		TEST(test_post_wr_list),  TEST(test_post_list_refused),
		TEST(test_posting),	  TEST(test_posting_refused),
		TEST(test_posting_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
