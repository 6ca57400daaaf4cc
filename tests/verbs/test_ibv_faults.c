/*
 * test_ibv_faults.c - errors of NPibv when a device fails while two processes use it.
 *
 * The device of one process fails: the run ends with an error at both, and no object
 * leaks.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include <cmocka.h>

#include "ibv_rig.h"

static const char *const each[] = { "register=each", NULL };

/* ---- Connecting ------------------------------------------------------------------------
 */

static void test_not_connected(void **state)
{
	static const struct {
		enum fake_call call;
		const char *word, *setting;
	} cases[] = {
		{ FAKE_MODIFY_TO_RTR, "ibv_modify_qp to RTR", "qps=1" },
		{ FAKE_MODIFY_TO_RTS, "ibv_modify_qp to RTS", "qps=2" },
		{ FAKE_CREATE_AH, "ibv_create_ah", "transfer=ud" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *const settings[] = { cases[i].setting, NULL };
		const struct ibv_rig_words expected = { NP_ERROR_FAILED,
							EINVAL,
							{ cases[i].word, "fake1",
							  "Invalid argument" } };

		fake_verbs_reset();
		ibv_rig_refuse(1, cases[i].call, 1, EINVAL);
		ibv_rig_fails(settings, ibv_rig_ping_pong, 1, &expected);
	}
}

/* Whatever one end cannot have, both give back what they had before. */
static void test_each_refused_in_turn(void **state)
{
	static const struct {
		const char *settings[3];
		unsigned most; /* calls that are needed, at most; 0: without end */
	} cases[] = {
		{ { "regions=3" }, 20 },
		{ { "transfer=ud" }, 20 },
		{ { "register=each", "wait=event" }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct two_threads_outcome outcome;
		unsigned nth = 0;
		bool good;

		do {
			fake_verbs_reset();
			ibv_rig_refuse(1, FAKE_ANY_CALL, ++nth, ENOMEM);
			ibv_rig_device(1)->refusal.for_good = true;
			good = ibv_rig_run(cases[i].settings, ibv_rig_ping_pong, &outcome);
			ibv_rig_check();
			if (!good)
				assert_string_not_equal(outcome.failure[1].text, "");
		} while (!good && nth < 20);
		assert_true(good == (cases[i].most != 0));
		assert_true(nth > 8);
	}
}

/* ---- Inline data and registration -------------------------------------------- */

static void test_no_inline(void **state)
{
	(void)state;
	ibv_rig_device(0)->no_inline = true;
	ibv_rig_device(1)->inline_most = 50;
	ibv_rig_succeeds(NULL, ibv_rig_both_ways);
}

static void test_no_registration(void **state)
{
	static const char *const regions[] = { "regions=3", NULL };
	static const struct ibv_rig_words bad_address = {
		NP_ERROR_FAILED, EFAULT, { "cannot register", "fake1", "Bad address" }
	};
	static const struct ibv_rig_words no_more = {
		NP_ERROR_USAGE, ENOSPC, { "--regions 3", "fake1", "2", "max_mr" }
	};
	static const struct ibv_rig_words too_large = { NP_ERROR_FAILED,
							EINVAL,
							{ "cannot register", "4096",
							  "max_mr_size", "--regions" } };

	(void)state;
	/* The first is the buffer of the module's own messages. */
	ibv_rig_refuse(1, FAKE_REG_MR, 2, EFAULT);
	ibv_rig_fails(NULL, ibv_rig_ping_pong, 1, &bad_address);
	ibv_rig_refuse(1, FAKE_REG_MR, 4, EFAULT);
	ibv_rig_fails(regions, ibv_rig_ping_pong, 1, &bad_address);
	fake_verbs_reset();
	ibv_rig_device(1)->max_mr = 2;
	ibv_rig_fails(regions, ibv_rig_ping_pong, 1, &no_more);
	fake_verbs_reset();
	ibv_rig_device(1)->max_mr_size = 4096;
	ibv_rig_fails(NULL, ibv_rig_ping_pong, 1, &too_large);
}

/* A process that may lock without limit gets no message about a limit. */
static bool set_may_lock(bool may)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) != 0)
		return false;
	if (may)
		data[0].effective |= data[0].permitted & 1u << CAP_IPC_LOCK;
	else
		data[0].effective &= ~(1u << CAP_IPC_LOCK);
	return syscall(SYS_capset, &header, data) == 0;
}

static void test_no_memory(void **state)
{
	static const struct ibv_rig_words limited = {
		NP_ERROR_FAILED,
		ENOMEM,
		{ "cannot register", "8192 KiB", "ulimit -l", "memlock", "limits.conf" }
	};
	static const struct ibv_rig_words unlimited = {
		NP_ERROR_FAILED, ENOMEM, { "cannot register", "fake1", "max_mr is 4096" }
	};
	struct rlimit before, limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &before), 0);
	limit = (struct rlimit){ .rlim_cur = 8u << 20, .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	assert_true(set_may_lock(false));
	ibv_rig_refuse(1, FAKE_REG_MR, 2, ENOMEM);
	ibv_rig_fails(NULL, ibv_rig_ping_pong, 1, &limited);
	/* In the middle of a block. */
	ibv_rig_refuse(1, FAKE_REG_MR, 9, ENOMEM);
	ibv_rig_fails(each, ibv_rig_ping_pong, 1, &limited);

	limit.rlim_cur = RLIM_INFINITY;
	if (setrlimit(RLIMIT_MEMLOCK, &limit) == 0 || set_may_lock(true)) {
		ibv_rig_refuse(1, FAKE_REG_MR, 2, ENOMEM);
		ibv_rig_fails(NULL, ibv_rig_ping_pong, 1, &unlimited);
	}
	set_may_lock(true);
	setrlimit(RLIMIT_MEMLOCK, &before);
}

/* ---- Completions ------------------------------------------------------------- */

static const char *const polling[] = { "wait=poll", NULL };
static const char *const sleeping[] = { "wait=event", NULL };
static const char *const immediate[] = { "transfer=rdma_write_with_imm", "wait=local_poll",
					 NULL };
static const char *const writing[] = { "transfer=rdma_write", NULL };
static const char *const reading[] = { "transfer=rdma_read", NULL };
static const char *const datagrams[] = { "transfer=ud", NULL };
static const char *const small[] = { "depth=2,0", "signal-every=1", NULL };

static void fail_request(size_t rank, bool send, unsigned nth, enum ibv_wc_status status)
{
	ibv_rig_device(rank)->failure[send] =
		(struct fake_failure){ .nth = nth, .status = status };
}

/* However an end waits, and whatever it sends. */
static void test_failed_sends(void **state)
{
	static const struct ibv_rig_words expected = {
		NP_ERROR_PEER,
		ENOBUFS,
		{ "IBV_WC_RNR_RETRY_EXC_ERR", "1000 bytes", "slot", "no buffer" }
	};
	static const struct {
		const char *const *settings;
		two_ends_test *test;
		unsigned nth;
	} cases[] = {
		/* In the check every second request is the fence behind a message; the
		 * 160th is the last fence. */
		{ polling, ibv_rig_ping_pong, 1 },     { polling, ibv_rig_ping_pong, 21 },
		{ polling, ibv_rig_ping_pong, 200 },   { polling, ibv_rig_both_ways, 7 },
		{ polling, ibv_rig_both_ways, 121 },   { polling, ibv_rig_stream, 21 },
		{ polling, ibv_rig_stream, 180 },      { sleeping, ibv_rig_ping_pong, 21 },
		{ sleeping, ibv_rig_ping_pong, 200 },  { sleeping, ibv_rig_stream, 180 },
		{ sleeping, ibv_rig_both_ways, 121 },  { immediate, ibv_rig_ping_pong, 9 },
		{ immediate, ibv_rig_ping_pong, 200 }, { writing, ibv_rig_ping_pong, 9 },
		{ writing, ibv_rig_ping_pong, 200 },   { small, ibv_rig_stream, 5 },
		{ small, ibv_rig_ping_pong, 100 },     { reading, ibv_rig_ping_pong, 9 },
		{ datagrams, ibv_rig_ping_pong, 9 },   { each, ibv_rig_ping_pong, 9 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fake_verbs_reset();
		fake_verbs()->lazy = i % 2 != 0;
		fail_request(0, true, cases[i].nth, IBV_WC_RNR_RETRY_EXC_ERR);
		ibv_rig_fails(cases[i].settings, cases[i].test, 0, &expected);
	}
}

/* Each status by its name and in its own words. */
static void test_statuses(void **state)
{
	static const struct {
		enum ibv_wc_status status;
		struct ibv_rig_words expected;
	} cases[] = {
		{ IBV_WC_RETRY_EXC_ERR,
		  { NP_ERROR_PEER,
		    ETIMEDOUT,
		    { "IBV_WC_RETRY_EXC_ERR", "send_recv of 1000 bytes from slot",
		      "does not answer", "here GID ::ffff:192.0.0.1, RoCE v2; peer",
		      "peer GID ::ffff:192.0.0.2, RoCE v2; MTU 1024 B",
		      "UDP port 4791" } } },
		{ IBV_WC_LOC_PROT_ERR,
		  { NP_ERROR_FAILED,
		    EFAULT,
		    { "IBV_WC_LOC_PROT_ERR", "send_recv of 1000 bytes from slot",
		      "outside its memory region", "vendor error 0x51" } } },
		{ IBV_WC_REM_ACCESS_ERR,
		  { NP_ERROR_FAILED,
		    EACCES,
		    { "IBV_WC_REM_ACCESS_ERR", "peer's memory region" } } },
		{ IBV_WC_LOC_QP_OP_ERR,
		  { NP_ERROR_FAILED, EIO, { "IBV_WC_LOC_QP_OP_ERR" } } },
		{ IBV_WC_FATAL_ERR, { NP_ERROR_FAILED, EIO, { "IBV_WC_FATAL_ERR" } } },
		{ IBV_WC_REM_ABORT_ERR,
		  { NP_ERROR_PEER, ECONNABORTED, { "IBV_WC_REM_ABORT_ERR" } } },
		{ IBV_WC_GENERAL_ERR, { NP_ERROR_FAILED, EIO, { "IBV_WC_GENERAL_ERR" } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fake_verbs_reset();
		fail_request(0, true, 7, cases[i].status);
		ibv_rig_device(0)->failure[1].vendor = 0x51;
		ibv_rig_fails(NULL, ibv_rig_ping_pong, 0, &cases[i].expected);
	}
}

/* The receiver of a message can be the one who fails. */
static void test_failed_receives(void **state)
{
	static const struct ibv_rig_words expected = {
		NP_ERROR_FAILED,
		EFAULT,
		{ "IBV_WC_LOC_PROT_ERR", "receive of 1000 bytes into slot" }
	};
	static const char *const *const settings[] = { polling, sleeping, immediate,
						       datagrams };

	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		fake_verbs_reset();
		fail_request(1, false, 5, IBV_WC_LOC_PROT_ERR);
		ibv_rig_fails(settings[i], ibv_rig_ping_pong, 1, &expected);
	}
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, ibv_rig_setup)
	const struct CMUnitTest tests[] = {
		TEST(test_not_connected), TEST(test_each_refused_in_turn),
		TEST(test_no_inline),	  TEST(test_no_registration),
		TEST(test_no_memory),	  TEST(test_failed_sends),
		TEST(test_statuses),	  TEST(test_failed_receives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
