/*
 * test_ibv_open.c - errors of NPibv when open() fails: no device, no port, no permission,
 * limits, and each refusal in turn.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ibv_rig.h"

static void assert_no_open(const char *const *settings,
			   const struct ibv_rig_words *expected)
{
	struct ibv_rig_alone alone;

	assert_int_equal(ibv_rig_open(&alone, settings), -expected->code);
	ibv_rig_says(&alone.ep->error, expected);
	ibv_rig_close(&alone);
}

/* ---- Devices and ports ----------------------------------------------------------------
 */

static void test_no_device(void **state)
{
	static const struct ibv_rig_words expected = {
		NP_ERROR_FAILED, ENODEV, { "no RDMA device", "driver", "rdma link" }
	};

	(void)state;
	fake_verbs()->device_count = 0;
	assert_no_open(NULL, &expected);
}

static void test_unknown_device(void **state)
{
	static const struct {
		const char *setting;
		struct ibv_rig_words expected;
	} cases[] = {
		{ "device=mlx5_0",
		  { NP_ERROR_USAGE, ENODEV, { "-D", "mlx5_0", "fake0, fake1" } } },
		{ "device=fake1:2",
		  { NP_ERROR_USAGE, ENODEV, { "-D", "fake1 with a port 2", "fake0" } } },
		{ "device=fake0:x", { NP_ERROR_USAGE, EINVAL, { "-D", "'x'", "port" } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *const settings[] = { cases[i].setting, NULL };

		assert_no_open(settings, &cases[i].expected);
	}
}

static void test_no_permission(void **state)
{
	static const int codes[] = { EACCES, EPERM };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct ibv_rig_words expected = {
			NP_ERROR_FAILED,
			codes[i],
			{ "no permission", "/dev/infiniband/uverbs0", "mode", "udev" }
		};
		const char *const settings[] = { "device=fake0", NULL };

		fake_verbs_reset();
		ibv_rig_refuse_for_good(0, FAKE_OPEN_DEVICE, codes[i]);
		assert_no_open(settings, &expected);
	}
}

static void test_port_down(void **state)
{
	static const struct ibv_rig_words expected = { NP_ERROR_FAILED,
						       ENETDOWN,
						       { "no port", "fake0:1 is down",
							 "fake1:1", "link" } };

	(void)state;
	ibv_rig_device(0)->port_state = IBV_PORT_DOWN;
	ibv_rig_device(1)->port_state = IBV_PORT_INIT;
	assert_no_open(NULL, &expected);
}

/* The first that will do is taken, whatever is wrong with those before it. */
static void test_other_device(void **state)
{
	struct ibv_rig_alone alone;

	(void)state;
	ibv_rig_device(0)->port_state = IBV_PORT_DOWN;
	assert_int_equal(ibv_rig_open(&alone, NULL), 0);
	ibv_rig_close(&alone);
	fake_verbs_reset();
	ibv_rig_refuse_for_good(0, FAKE_OPEN_DEVICE, EACCES);
	assert_int_equal(ibv_rig_open(&alone, NULL), 0);
	ibv_rig_close(&alone);
}

static void test_bad_gid(void **state)
{
	static const char *const beyond[] = { "gid-index=4", NULL };
	static const char *const empty[] = { "gid-index=2", NULL };
	static const struct ibv_rig_words no_such = { NP_ERROR_USAGE,
						      EINVAL,
						      { "--gid-index", "0 to 3", "4" } };
	static const struct ibv_rig_words no_gid = {
		NP_ERROR_USAGE, ENODATA, { "--gid-index", "fake0:1", "--list-devices" }
	};

	(void)state;
	assert_no_open(beyond, &no_such);
	/* The table of an InfiniBand port has one GID only. */
	ibv_rig_device(0)->ethernet = false;
	assert_no_open(empty, &no_gid);
}

/* ---- Limits of the device --------------------------------------------------------------
 */

static void test_limits(void **state)
{
	static const struct {
		const char *setting;
		struct ibv_rig_words expected;
	} cases[] = {
		{ "depth=2000,0",
		  { NP_ERROR_USAGE, EINVAL, { "--depth", "fake0", "1024", "2000" } } },
		{ "depth=0,5000",
		  { NP_ERROR_USAGE,
		    EINVAL,
		    { "--depth of receives", "fake0", "1008", "5000" } } },
		{ "mtu=2048",
		  { NP_ERROR_USAGE, EMSGSIZE, { "-m 2048", "fake0:1", "1024" } } },
		{ "pkey-index=1",
		  { NP_ERROR_USAGE, EINVAL, { "--pkey-index", "0 to 0", "fake0:1" } } },
		{ "register=odp",
		  { NP_ERROR_USAGE, EOPNOTSUPP, { "--register odp", "fake0" } } },
		{ "cq-moderation=16,8",
		  { NP_ERROR_USAGE, EOPNOTSUPP, { "--cq-moderation", "fake0" } } },
		{ "inline=300",
		  { NP_ERROR_USAGE, EINVAL, { "--inline", "fake0", "300" } } },
		{ "srq=yes",
		  { NP_ERROR_USAGE, EOPNOTSUPP, { "--srq", "fake0", "shared receive" } } },
	};

	(void)state;
	ibv_rig_device(0)->max_srq_wr = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *const settings[] = { cases[i].setting, NULL };

		assert_no_open(settings, &cases[i].expected);
	}
}

/* A device that reports a capability and then refuses to use it. */
static void test_moderation(void **state)
{
	static const char *const settings[] = { "cq-moderation=16,8", NULL };
	static const struct ibv_rig_words expected = {
		NP_ERROR_USAGE, EOPNOTSUPP, { "--cq-moderation", "fake0", "not supported" }
	};
	struct ibv_rig_alone alone;

	(void)state;
	ibv_rig_device(0)->moderation_most = 100;
	assert_int_equal(ibv_rig_open(&alone, settings), 0);
	ibv_rig_close(&alone);
	ibv_rig_refuse(0, FAKE_MODIFY_CQ, 2, EOPNOTSUPP);
	assert_no_open(settings, &expected);
}

/* ---- Refusals ---------------------------------------------------------------- */

static void test_refused_calls(void **state)
{
	static const struct {
		enum fake_call call;
		unsigned nth;
		int code;
		struct ibv_rig_words expected;
	} cases[] = {
		{ FAKE_ALLOC_PD,
		  1,
		  ENOMEM,
		  { NP_ERROR_FAILED, ENOMEM, { "ibv_alloc_pd", "fake0" } } },
		{ FAKE_CREATE_CHANNEL,
		  1,
		  EMFILE,
		  { NP_ERROR_FAILED, EMFILE, { "ibv_create_comp_channel", "fake0" } } },
		{ FAKE_CREATE_CHANNEL,
		  2,
		  EMFILE,
		  { NP_ERROR_FAILED, EMFILE, { "ibv_create_comp_channel", "fake0" } } },
		{ FAKE_CREATE_CQ,
		  1,
		  ENOMEM,
		  { NP_ERROR_FAILED, ENOMEM, { "ibv_create_cq", "fake0" } } },
		{ FAKE_CREATE_CQ,
		  2,
		  ENOMEM,
		  { NP_ERROR_FAILED, ENOMEM, { "ibv_create_cq", "fake0" } } },
		{ FAKE_MODIFY_TO_INIT,
		  1,
		  EINVAL,
		  { NP_ERROR_FAILED, EINVAL, { "ibv_modify_qp to INIT", "fake0" } } },
		{ FAKE_REG_MR,
		  1,
		  EFAULT,
		  { NP_ERROR_FAILED, EFAULT, { "fake0", "Bad address" } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fake_verbs_reset();
		ibv_rig_refuse(0, cases[i].call, cases[i].nth, cases[i].code);
		assert_no_open(NULL, &cases[i].expected);
	}
}

/* All attempts fail: bisection reduces the inline data of the queue pair first. */
static void test_no_queue_pair(void **state)
{
	static const struct ibv_rig_words expected = { NP_ERROR_FAILED,
						       ENOMEM,
						       { "ibv_create_qp", "fake0" } };

	(void)state;
	ibv_rig_refuse_for_good(0, FAKE_CREATE_QP, ENOMEM);
	assert_no_open(NULL, &expected);
}

/* iWARP in software: libsiw fails where a queue lies at a certain place, without an errno.
 */
static void test_siw(void **state)
{
	static const char *const counts[] = { "qps=1", "qps=4", "qps=8", "qps=16", NULL };
	static const char *const depths[] = { "depth=0,16", "depth=0,100", "depth=0,512",
					      NULL };
	struct ibv_rig_alone alone;

	(void)state;
	for (size_t i = 0; counts[i] != NULL; i++) {
		for (size_t k = 0; depths[k] != NULL; k++) {
			const char *const settings[] = { counts[i], depths[k], NULL };

			fake_verbs_become(0, FAKE_SIW);
			if (ibv_rig_open(&alone, settings) != 0)
				fail_msg("%s, %s: %s", counts[i], depths[k],
					 alone.ep->error.text);
			ibv_rig_close(&alone);
		}
	}
	/* What fails wherever it lies is reported. */
	ibv_rig_refuse_for_good(0, FAKE_CREATE_QP, EINVAL);
	assert_int_equal(ibv_rig_open(&alone, counts + 2), -EINVAL);
	ibv_rig_close(&alone);
}

/* Whatever cannot be had on the way, all that was had before goes back. */
static void test_each_refused_in_turn(void **state)
{
	static const char *const cases[][3] = {
		{ "qps=1" },
		{ "qps=3" },
		{ "transfer=ud" },
		{ "srq=yes" },
		{ "wait=event", "transfer=rdma_write_with_imm" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		unsigned nth = 0;
		int rc;

		do {
			struct ibv_rig_alone alone;

			fake_verbs_reset();
			ibv_rig_refuse(0, FAKE_ANY_CALL, ++nth, ENOMEM);
			ibv_rig_device(0)->refusal.for_good = true;
			/* The other must not stand in for it. */
			fake_verbs()->device_count = 1;
			rc = ibv_rig_open(&alone, cases[i]);
			if (rc != 0) {
				assert_int_equal(rc, alone.ep->error.code);
				assert_string_not_equal(alone.ep->error.text, "");
			}
			ibv_rig_close(&alone);
		} while (rc != 0);
		/* Device, domain, two channels, two queues, a pair. */
		assert_true(nth > 7);
	}
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, ibv_rig_setup)
	const struct CMUnitTest tests[] = {
		TEST(test_no_device),	  TEST(test_unknown_device),
		TEST(test_no_permission), TEST(test_port_down),
		TEST(test_other_device),  TEST(test_bad_gid),
		TEST(test_limits),	  TEST(test_moderation),
		TEST(test_refused_calls), TEST(test_no_queue_pair),
		TEST(test_siw),		  TEST(test_each_refused_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
