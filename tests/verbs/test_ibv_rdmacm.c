/*
 * test_ibv_rdmacm.c - NPibv through librdmacm: RoCE by --connection rdmacm and iWARP
 * always, over an imitation of both libraries; the MTU of the path, the partition, and
 * connections that are not to be had.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ibv_rig.h"

static const char *const by_manager[] = { "connection=rdmacm", NULL };

static void become_iwarp(void)
{
	for (size_t rank = 0; rank < 2; rank++)
		ibv_rig_device(rank)->device.transport_type = IBV_TRANSPORT_IWARP;
}

static void test_roce(void **state)
{
	static const char *const several[] = { "connection=rdmacm", "qps=4",
					       "traffic-class=32", NULL };

	(void)state;
	ibv_rig_succeeds(by_manager, ibv_rig_ping_pong);
	ibv_rig_succeeds(several, ibv_rig_both_ways);
}

/* Rank 0 sends first; the buffer of a read is written by the peer. */
static void test_iwarp(void **state)
{
	static const char *const transports[] = { "transfer=send_recv",
						  "transfer=rdma_write",
						  "transfer=rdma_read" };

	(void)state;
	for (size_t i = 0; i < sizeof(transports) / sizeof(*transports); i++) {
		const char *const settings[] = { transports[i], NULL };

		fake_verbs_reset();
		become_iwarp();
		ibv_rig_succeeds(settings, ibv_rig_ping_pong);
	}
}

static int expect_mtu(struct two_ends *pair, uint64_t bytes, struct np_error *error)
{
	struct np_facts facts = { .count = 0 };
	const int rc = ibv_rig_ping_pong(pair, error);

	if (rc != 0)
		return rc;
	np_module_ibv.describe(pair->process.endpoint, &facts);
	const uint64_t found = np_facts_number(&facts, "mtu");

	np_facts_free(&facts);
	return found == bytes ?
		       0 :
		       two_ends_fail(error, "the MTU is %llu, not %llu",
				     (unsigned long long)found, (unsigned long long)bytes);
}

static int expect_512(struct two_ends *pair, struct np_error *error)
{
	return expect_mtu(pair, 512, error);
}

static int expect_256(struct two_ends *pair, struct np_error *error)
{
	return expect_mtu(pair, 256, error);
}

/* A switch between the ports carries less than they do. */
static void test_path_mtu(void **state)
{
	static const char *const smaller[] = { "connection=rdmacm", "mtu=256", NULL };

	(void)state;
	fake_verbs()->path_mtu = IBV_MTU_512;
	ibv_rig_succeeds(by_manager, expect_512);
	ibv_rig_succeeds(smaller, expect_256);
}

/* The path of librdmacm has its partition. */
static void test_partition(void **state)
{
	static const char *const settings[] = { "connection=rdmacm", "pkey-index=1", NULL };
	static const struct ibv_rig_words expected = {
		NP_ERROR_USAGE,
		EINVAL,
		{ "--pkey-index", "--connection rdmacm", "partition" }
	};
	struct ibv_rig_alone alone;

	(void)state;
	assert_int_equal(ibv_rig_open(&alone, settings), -EINVAL);
	ibv_rig_says(&alone.ep->error, &expected);
	ibv_rig_close(&alone);
}

static void test_no_connection(void **state)
{
	static const struct {
		struct fake_cm_fault fault;
		struct ibv_rig_words expected;
	} cases[] = {
		{ { RDMA_CM_EVENT_ROUTE_RESOLVED, RDMA_CM_EVENT_ROUTE_ERROR, -ENETUNREACH },
		  { NP_ERROR_FAILED,
		    ENETUNREACH,
		    { "--connection rdmacm", "no way to the peer from fake0:1",
		      "ROUTE_ERROR" } } },
		{ { RDMA_CM_EVENT_CONNECT_RESPONSE, RDMA_CM_EVENT_REJECTED, 28 },
		  { NP_ERROR_PEER,
		    ECONNREFUSED,
		    { "--connection rdmacm", "refused the connection", "reason 28" } } },
		{ { RDMA_CM_EVENT_CONNECT_RESPONSE, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT },
		  { NP_ERROR_PEER,
		    ETIMEDOUT,
		    { "--connection rdmacm", "the peer cannot be reached",
		      "UNREACHABLE" } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fake_verbs_reset();
		fake_verbs()->cm_fault = cases[i].fault;
		ibv_rig_fails(by_manager, ibv_rig_ping_pong, 0, &cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_roce, ibv_rig_setup),
		cmocka_unit_test_setup(test_iwarp, ibv_rig_setup),
		cmocka_unit_test_setup(test_path_mtu, ibv_rig_setup),
		cmocka_unit_test_setup(test_partition, ibv_rig_setup),
		cmocka_unit_test_setup(test_no_connection, ibv_rig_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
