/*
 * test_ibv_lost.c - NPibv while a run loses what it needs: the peer, the port, the
 * device.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "ibv_rig.h"
#include "modules/ibv/ibv_private.h"

/* ---- A peer that leaves ------------------------------------------------------ */

enum { PAUSE_US = 50 * 1000 };

/* Rank 1 has had enough while rank 0 waits for what never comes: a message, or
 * room for one. */
static int leave(struct two_ends *pair, enum np_operation operation, struct np_error *error)
{
	int rc = two_ends_open(pair, &pair->process, operation, 1, 4096, error);
	struct np_endpoint *ep = pair->process.endpoint;

	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, IBV_RIG_LENGTH, 2, error);
	if (rc == 0)
		rc = two_ends_enter(pair, error);
	if (rc == 0 && pair->boot.rank == 1) {
		usleep(PAUSE_US);
		return two_ends_fail(error, "it had enough");
	}
	while (rc == 0) {
		rc = operation == NP_STREAM ? ep->code_path->hot->send(ep, 0) :
					      ep->code_path->hot->recv(ep, 0);
		if (rc != 0)
			return np_process_failed(&pair->process, rc, "move messages",
						 error);
	}
	return rc;
}

static int leave_receiver(struct two_ends *pair, struct np_error *error)
{
	return leave(pair, NP_PINGPONG, error);
}

static int leave_sender(struct two_ends *pair, struct np_error *error)
{
	return leave(pair, NP_STREAM, error);
}

static void test_peer_leaves(void **state)
{
	static const char *const settings[][3] = {
		{ "wait=poll" },
		{ "wait=event" },
		{ "transfer=rdma_write_with_imm", "wait=local_poll" },
		{ "transfer=rdma_write_with_imm", "wait=event" },
		{ "transfer=rdma_write" },
		{ "srq=yes" },
		{ "register=each" },
		{ "transfer=ud", "wait=event" },
	};
	static const char said[] = "at the peer: it had enough";

	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		ibv_rig_ends(settings[i], leave_receiver, said, said);
		/* A stream has no last bytes to wait for. */
		if (i != 2 && i != 4)
			ibv_rig_ends(settings[i], leave_sender, said, said);
	}
}

/* ---- A device that is pulled out --------------------------------------------- */

/* Some messages; then rank 1's device goes, unseen by either, and both go on. */
static int pull_out(struct two_ends *pair, struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_ROTATE,
					.messages = 20,
					.batches = 1,
					.timeout_ns = TWO_ENDS_PATIENCE_NS };
	struct np_counts counts = { .count = 0 };
	uint64_t ns[1];

	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 4096, error);
	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, IBV_RIG_LENGTH, 4, error);
	if (rc == 0)
		rc = np_block_run(&pair->process, &block, ns, &counts, error);
	if (rc == 0)
		rc = two_ends_meet(pair, error);
	if (rc == 0 && pair->boot.rank == 1)
		fake_verbs_remove(1);
	return rc != 0 ? rc : np_block_run(&pair->process, &block, ns, &counts, error);
}

static void test_removed(void **state)
{
	static const char *const settings[][3] = {
		{ "wait=poll" },
		{ "wait=event" },
		{ "signal-every=1" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		fake_verbs_reset();
		ibv_rig_ends(settings[i], pull_out, "Input/output error",
			     "IBV_EVENT_DEVICE_FATAL");
	}
}

/* ---- While a run waits or works --------------------------------------------------- */

static int wait_in_vain(struct two_ends *pair, enum ibv_event_type type,
			struct np_error *error)
{
	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 4096, error);
	struct np_endpoint *ep = pair->process.endpoint;

	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, IBV_RIG_LENGTH, 2, error);
	if (rc == 0)
		rc = two_ends_enter(pair, error);
	if (rc == 0 && pair->boot.rank == 1) {
		usleep(PAUSE_US);
		if (type == IBV_EVENT_DEVICE_FATAL)
			fake_verbs_remove(1);
		else
			fake_verbs_tell(1, type);
	}
	if (rc == 0 && (rc = ep->code_path->hot->recv(ep, 0)) != 0)
		return np_process_failed(&pair->process, rc, "receive", error);
	return rc;
}

static int lose_port(struct two_ends *pair, struct np_error *error)
{
	return wait_in_vain(pair, IBV_EVENT_PORT_ERR, error);
}

static int lose_device(struct two_ends *pair, struct np_error *error)
{
	return wait_in_vain(pair, IBV_EVENT_DEVICE_FATAL, error);
}

/* Messages go on, for a port that is down may still hold some. */
static int lose_port_working(struct two_ends *pair, struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_REUSE,
					.messages = 5,
					.batches = 1 };
	struct np_counts counts = { .count = 0 };
	uint64_t ns[1];

	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 4096, error);
	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, IBV_RIG_LENGTH, 4, error);
	if (rc == 0 && pair->boot.rank == 1)
		fake_verbs_tell(1, IBV_EVENT_PORT_ERR);
	while (rc == 0)
		rc = np_block_run(&pair->process, &block, ns, &counts, error);
	return rc;
}

static void test_lost(void **state)
{
	static const char *const settings[][3] = {
		{ "wait=poll" },
		{ "wait=event" },
		{ "transfer=rdma_write" },
		{ "transfer=ud", "wait=event" },
	};
	static const struct ibv_rig_words port = {
		NP_ERROR_FAILED, ENETDOWN, { "IBV_EVENT_PORT_ERR", "fake1 port 1" }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		fake_verbs_reset();
		ibv_rig_fails(settings[i], lose_port, 1, &port);
		ibv_rig_fails(settings[i], lose_port_working, 1, &port);
		/* The watcher or the waiting thread reports the error, whichever is first.
		 */
		ibv_rig_ends(settings[i], lose_device, "IBV_EVENT_DEVICE_FATAL",
			     "Input/output error");
	}
}

/* ---- A connection by which nothing comes --------------------------------------- */

static int send_first(struct two_ends *pair, struct np_error *error)
{
	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 4096, error);
	struct np_endpoint *ep = pair->process.endpoint;

	if (rc == 0 && pair->boot.rank == 0) {
		rc = np_ibv_send_first(np_ibv_of(ep), TWO_ENDS_PATIENCE_NS);
		ibv_rig_device(0)->stalls = true;
		if (rc == 0)
			rc = np_ibv_send_first(np_ibv_of(ep), 1000 * 1000);
		if (rc != 0)
			return np_process_failed(&pair->process, rc, "connect", error);
	}
	return rc == 0 ? two_ends_meet(pair, error) : rc;
}

/* The first read of iWARP has a deadline of its own, as no block is running. */
static void test_no_first_answer(void **state)
{
	static const char *const settings[] = { "qps=2", NULL };
	static const struct ibv_rig_words expected = {
		NP_ERROR_PEER, ETIMEDOUT, { "no answer to a first read from fake0" }
	};

	(void)state;
	ibv_rig_fails(settings, send_first, 0, &expected);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, ibv_rig_setup)
	const struct CMUnitTest tests[] = {
		TEST(test_peer_leaves),
		TEST(test_removed),
		TEST(test_lost),
		TEST(test_no_first_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
