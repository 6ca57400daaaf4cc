/*
 * test_ibv_events.c - NPibv with asynchronous events, overrun queues, and verbs that fail
 * under way.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ibv_rig.h"

/* ---- Asynchronous events ----------------------------------------------------- */

static bool is_readable(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, 0) == 1;
}

/* As the watcher: waits for the descriptor, then reads the event. */
static int hear(struct ibv_rig_alone *alone, enum ibv_event_type type,
		struct np_error *error)
{
	const int fd = np_module_ibv.device->event_fd(alone->ep);

	assert_true(fd >= 0);
	assert_false(is_readable(fd));
	/* Without an event the call does not block. */
	assert_int_equal(np_module_ibv.device->event(alone->ep, error), 0);
	fake_verbs_tell(0, type);
	assert_true(is_readable(fd));
	const int rc = np_module_ibv.device->event(alone->ep, error);
	assert_false(is_readable(fd));
	return rc;
}

static void test_events(void **state)
{
	static const struct {
		enum ibv_event_type type;
		struct ibv_rig_words expected; /* code 0: the run goes on */
	} cases[] = {
		{ IBV_EVENT_PORT_ERR,
		  { NP_ERROR_FAILED,
		    ENETDOWN,
		    { "port error", "IBV_EVENT_PORT_ERR", "fake0", "port 1" } } },
		{ IBV_EVENT_DEVICE_FATAL,
		  { NP_ERROR_FAILED, EIO, { "IBV_EVENT_DEVICE_FATAL", "fake0" } } },
		{ IBV_EVENT_CQ_ERR,
		  { NP_ERROR_FAILED, EIO, { "IBV_EVENT_CQ_ERR", "fake0" } } },
		{ IBV_EVENT_QP_FATAL,
		  { NP_ERROR_FAILED, EIO, { "IBV_EVENT_QP_FATAL", "fake0" } } },
		{ IBV_EVENT_QP_ACCESS_ERR,
		  { NP_ERROR_FAILED, EIO, { "IBV_EVENT_QP_ACCESS_ERR", "fake0" } } },
		{ IBV_EVENT_SRQ_ERR,
		  { NP_ERROR_FAILED, EIO, { "IBV_EVENT_SRQ_ERR", "fake0" } } },
		{ (enum ibv_event_type)99,
		  { NP_ERROR_FAILED, EIO, { "no known name", "fake0" } } },
		{ IBV_EVENT_PORT_ACTIVE, { .code = 0 } },
		{ IBV_EVENT_COMM_EST, { .code = 0 } },
		{ IBV_EVENT_GID_CHANGE, { .code = 0 } },
		{ IBV_EVENT_SM_CHANGE, { .code = 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct np_error error = { .code = 0 };
		struct ibv_rig_alone alone;

		assert_int_equal(ibv_rig_open(&alone, NULL), 0);
		assert_int_equal(hear(&alone, cases[i].type, &error),
				 -cases[i].expected.code);
		if (cases[i].expected.code != 0)
			ibv_rig_says(&error, &cases[i].expected);
		else
			assert_int_equal(error.code, 0);
		/* The endpoint's error belongs to the main thread. */
		assert_int_equal(alone.ep->error.code, 0);
		ibv_rig_close(&alone);
	}
}

/* An end that is in no call of the library when its device goes. */
static void test_removed_at_rest(void **state)
{
	static const struct ibv_rig_words expected = {
		NP_ERROR_FAILED, EIO, { "IBV_EVENT_DEVICE_FATAL", "fake0" }
	};
	struct np_error error = { .code = 0 };
	struct ibv_rig_alone alone;

	(void)state;
	assert_int_equal(ibv_rig_open(&alone, NULL), 0);
	fake_verbs_remove(0);
	assert_true(is_readable(np_module_ibv.device->event_fd(alone.ep)));
	assert_int_equal(np_module_ibv.device->event(alone.ep, &error), -EIO);
	ibv_rig_says(&error, &expected);
	ibv_rig_close(&alone);
}

/* ---- Queues ----------------------------------------------------------------------------
 */

static const char *const polling[] = { "wait=poll", NULL };
static const char *const sleeping[] = { "wait=event", NULL };
static const char *const telling[] = { "signal-every=1", NULL };
static const char *const telling_asleep[] = { "signal-every=1", "wait=event", NULL };

/* A window has more messages than the completion queue has entries. */
static void test_overrun(void **state)
{
	(void)state;
	ibv_rig_device(0)->cq_entries = 4;
	ibv_rig_ends(telling, ibv_rig_stream, "ibv_poll_cq", "IBV_EVENT_CQ_ERR");
	ibv_rig_ends(telling_asleep, ibv_rig_stream, "ibv_poll_cq", "IBV_EVENT_CQ_ERR");
}

static void test_refused_posts(void **state)
{
	static const struct ibv_rig_words full = { NP_ERROR_FAILED,
						   ENOMEM,
						   { "ibv_post_send", "full",
						     "send depth 8", "receive depth" } };
	static const struct ibv_rig_words invalid = {
		NP_ERROR_FAILED, EINVAL, { "ibv_post_send", "Invalid argument" }
	};
	static const struct ibv_rig_words no_receive = { NP_ERROR_FAILED,
							 ENOMEM,
							 { "ibv_post_recv", "full" } };
	static const struct ibv_rig_words not_armed = {
		NP_ERROR_FAILED, EIO, { "ibv_req_notify_cq", "Input/output error" }
	};
	static const char *const depth[] = { "depth=8,0", NULL };

	(void)state;
	ibv_rig_refuse(0, FAKE_POST_SEND, 9, ENOMEM);
	ibv_rig_fails(depth, ibv_rig_ping_pong, 0, &full);
	ibv_rig_refuse(0, FAKE_POST_SEND, 120, EINVAL);
	ibv_rig_fails(polling, ibv_rig_both_ways, 0, &invalid);
	ibv_rig_refuse(1, FAKE_POST_RECV, 30, ENOMEM);
	ibv_rig_fails(polling, ibv_rig_stream, 1, &no_receive);
	ibv_rig_refuse_for_good(1, FAKE_REQ_NOTIFY, EIO);
	ibv_rig_fails(sleeping, ibv_rig_ping_pong, 1, &not_armed);
}

/* ---- Causes and echoes ------------------------------------------------------- */

/* Sends one message for which the peer posts no receive, without retries. */
static int send_unawaited(struct two_ends *pair, struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_REUSE,
					.messages = 1,
					.batches = 1 };
	struct np_process *process = &pair->process;

	int rc = two_ends_open(pair, process, NP_PINGPONG, 1, 4096, error);
	if (rc == 0)
		rc = two_ends_arm(pair, process, IBV_RIG_LENGTH, 1, error);
	if (rc == 0)
		rc = np_block_enter(process, &block, error);
	if (rc == 0)
		rc = two_ends_meet(pair, error);
	if (rc != 0 || pair->boot.rank == 1)
		return rc != 0 ? rc : two_ends_meet(pair, error);
	struct np_endpoint *ep = process->endpoint;

	rc = np_block_post_receives(process, 1, error);
	if (rc == 0 && (rc = ep->code_path->hot->send(ep, 0)) != 0)
		return np_process_failed(process, rc, "send", error);
	/* The answer's receive is flushed, and seen before the send that failed. */
	if (rc == 0 && (rc = ep->code_path->hot->recv(ep, 0)) != 0)
		return np_process_failed(process, rc, "receive", error);
	return two_ends_meet(pair, error);
}

static void test_not_awaited(void **state)
{
	static const char *const settings[][4] = {
		{ "retry=7,0" },
		{ "retry=7,6", "wait=event" },
		{ "retry=7,0", "signal-every=1", "transfer=rdma_write_with_imm" },
	};
	static const struct ibv_rig_words expected = { NP_ERROR_PEER,
						       ENOBUFS,
						       { "IBV_WC_RNR_RETRY_EXC_ERR",
							 "of 1000 bytes from slot 0",
							 "offered no buffer" } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		fake_verbs()->lazy = i == 0;
		ibv_rig_fails(settings[i], send_unawaited, 0, &expected);
	}
}

/* A flushed request is an error even if its cause is unknown. */
static void test_echo_alone(void **state)
{
	static const struct ibv_rig_words expected = { NP_ERROR_FAILED,
						       EIO,
						       { "IBV_WC_WR_FLUSH_ERR",
							 "1000 bytes", "unknown cause" } };

	(void)state;
	ibv_rig_device(0)->failure[1] =
		(struct fake_failure){ .nth = 7, .status = IBV_WC_WR_FLUSH_ERR };
	ibv_rig_fails(polling, ibv_rig_ping_pong, 0, &expected);
}

/* A sleep reads one event, and events are acknowledged at the end.  On a busy machine one
 * end may find all its completions without a sleep. */
static void test_sleeps(void **state)
{
	unsigned sleeps = 0;

	(void)state;
	ibv_rig_succeeds(sleeping, ibv_rig_ping_pong);
	for (size_t rank = 0; rank < 2; rank++) {
		const unsigned reads = ibv_rig_device(rank)->event_reads[true];

		assert_int_equal(ibv_rig_device(rank)->event_reads[false], 0);
		assert_in_range(ibv_rig_device(rank)->acknowledgements, reads > 0, 2);
		sleeps += reads;
	}
	assert_true(sleeps > 0);
}

/* Whoever takes no part in a one-sided operation leaves its core alone. */
static int read_and_ask(struct two_ends *pair, struct np_error *error)
{
	const int rc = ibv_rig_ping_pong(pair, error);
	const struct np_endpoint *endpoint = pair->process.endpoint;
	const char *expected = endpoint->rank == 0 ? "poll" : "event";

	if (rc == 0 && strcmp(endpoint->code_path->name, expected) != 0)
		return np_fail(error, NP_ERROR_FAILED, EPROTO, "rank %d has path %s",
			       endpoint->rank, endpoint->code_path->name);
	return rc;
}

static void test_passive(void **state)
{
	static const char *const reads[] = { "transfer=rdma_read", NULL };

	(void)state;
	ibv_rig_succeeds(reads, read_and_ask);
}

static void test_vector(void **state)
{
	static const char *const third[] = { "comp-vector=3", "wait=event", NULL };
	static const char *const absent[] = { "comp-vector=4", NULL };
	static const struct ibv_rig_words expected = {
		NP_ERROR_USAGE, EINVAL, { "--comp-vector", "completion vectors 0 to 3" }
	};
	struct ibv_rig_alone alone;

	(void)state;
	ibv_rig_succeeds(third, ibv_rig_ping_pong);
	assert_int_equal(ibv_rig_device(0)->vector, 3);
	assert_int_equal(ibv_rig_open(&alone, absent), -EINVAL);
	ibv_rig_says(&alone.ep->error, &expected);
	ibv_rig_close(&alone);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, ibv_rig_setup)
	const struct CMUnitTest tests[] = {
		TEST(test_events),	  TEST(test_overrun),
		TEST(test_refused_posts), TEST(test_removed_at_rest),
		TEST(test_not_awaited),	  TEST(test_echo_alone),
		TEST(test_sleeps),	  TEST(test_passive),
		TEST(test_vector),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
