/*
 * test_ibv_rate.c - --rate-limit: every queue pair has the limit, and an adapter without
 * packet pacing is refused before anything is connected.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ibv_rig.h"
#include "modules/ibv/ibv_private.h"

enum { LIMIT = 2500 }; /* kbit/s */

/* Both devices keep their names. */
static void become(enum fake_adapter adapter)
{
	fake_verbs_reset();
	for (size_t rank = 0; rank < 2; rank++) {
		const struct ibv_device plain = ibv_rig_device(rank)->device;

		fake_verbs_become(rank, adapter);
		ibv_rig_device(rank)->device = plain;
	}
}

/* There are no queue pairs but those that carry messages: each has the limit. */
static int look_at_pairs(struct two_ends *pair, struct np_error *error)
{
	const int rc = ibv_rig_ping_pong(pair, error);

	if (rc != 0)
		return rc;
	const struct np_ibv *ibv = np_ibv_of(pair->process.endpoint);
	const uint32_t limit = np_ibv_options_of(ibv)->rate_limit > 0 ? LIMIT : 0;

	if (fake_verbs()->live[FAKE_QP] != 2 * ibv->queue_count)
		return two_ends_fail(error, "there are other queue pairs");
	for (size_t i = 0; i < ibv->queue_count; i++) {
		struct ibv_qp_attr attr;
		struct ibv_qp_init_attr made;

		ibv_query_qp(ibv->queues[i].qp, &attr, IBV_QP_RATE_LIMIT, &made);
		if (attr.rate_limit != limit)
			return two_ends_fail(error, "queue pair %zu: %u kbit/s", i,
					     attr.rate_limit);
	}
	return two_ends_meet(pair, error);
}

static void test_every_pair(void **state)
{
	static const struct {
		enum fake_adapter adapter;
		const char *settings[4];
	} cases[] = {
		{ FAKE_BNXT_RE, { "rate-limit=2.5", "qps=3" } },
		{ FAKE_BNXT_RE, { "qps=3" } },
		{ FAKE_MLX5, { "rate-limit=2.5", "connection=uc" } },
		{ FAKE_MLX5, { "rate-limit=2.5", "transfer=ud", "qps=2" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		become(cases[i].adapter);
		ibv_rig_succeeds(cases[i].settings, look_at_pairs);
	}
}

static void test_refused(void **state)
{
	static const struct {
		enum fake_adapter adapter;
		int code;
		const char *words, *setting, *other;
	} cases[] = {
		{ FAKE_IRDMA, EOPNOTSUPP, "irdma0 has no packet", "rate-limit=2.5" },
		{ FAKE_MLX5, EOPNOTSUPP, "pacing, but not of RC", "rate-limit=2.5" },
		{ FAKE_BNXT_RE, EOPNOTSUPP, "not of UD", "rate-limit=2.5", "transfer=ud" },
		{ FAKE_BNXT_RE, EINVAL, "0 has limits of 1 to 100000 Mb",
		  "rate-limit=0.9" },
		{ FAKE_BNXT_RE, EINVAL, "1 to 100000 Mbit/s", "rate-limit=0.0001" },
		{ FAKE_BNXT_RE, EINVAL, "1 to 100000 Mbit/s", "rate-limit=100000.001" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct ibv_rig_words expected = {
			NP_ERROR_USAGE, cases[i].code, { "--rate-limit: ", cases[i].words }
		};
		const char *const settings[] = { cases[i].setting, cases[i].other, NULL };
		struct ibv_rig_alone alone;

		fake_verbs_reset();
		fake_verbs_become(0, cases[i].adapter);
		assert_int_equal(ibv_rig_open(&alone, settings), -cases[i].code);
		ibv_rig_says(&alone.ep->error, &expected);
		ibv_rig_close(&alone);
	}
}

/* An adapter that reports packet pacing and then refuses a limit. */
static void test_failed(void **state)
{
	static const char *const settings[] = { "rate-limit=2.5", "qps=2", NULL };
	static const struct ibv_rig_words expected = {
		NP_ERROR_FAILED, EBUSY, { "ibv_modify_qp_rate_limit", "fake0" }
	};

	(void)state;
	become(FAKE_BNXT_RE);
	ibv_rig_refuse(0, FAKE_RATE_LIMIT, 2, EBUSY);
	ibv_rig_fails(settings, ibv_rig_ping_pong, 0, &expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_every_pair, ibv_rig_setup),
		cmocka_unit_test_setup(test_refused, ibv_rig_setup),
		cmocka_unit_test_setup(test_failed, ibv_rig_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
