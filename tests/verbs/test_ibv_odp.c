/*
 * test_ibv_odp.c - on-demand paging: --register odp and odp-implicit, with --prefetch and
 * without, over a device in memory that maps a page when it first reaches it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ibv_rig.h"

enum {
	ALL = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE |
	      IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC
};

/* Both devices page on demand; implicit: whole address spaces, too. */
static void allow(bool implicit)
{
	for (size_t rank = 0; rank < 2; rank++) {
		ibv_rig_device(rank)->odp = (struct ibv_odp_caps){
			.general_caps =
				IBV_ODP_SUPPORT | (implicit ? IBV_ODP_SUPPORT_IMPLICIT : 0),
			.per_transport_caps = { ALL, ALL, ALL }
		};
	}
}

static unsigned count_faults(void)
{
	return ibv_rig_device(0)->faults + ibv_rig_device(1)->faults;
}

/* Each transport, by regions of either kind: pages are mapped when the device reaches them,
 * and not at all if they are mapped before. */
static void test_transports(void **state)
{
	static const char *const kinds[] = { "register=odp", "register=odp-implicit" };
	static const char *const transports[] = { "transfer=send_recv",
						  "transfer=rdma_write",
						  "transfer=rdma_write_with_imm",
						  "transfer=ud" };

	(void)state;
	for (size_t i = 0; i < sizeof(transports) / sizeof(*transports); i++) {
		for (size_t kind = 0; kind < 2; kind++) {
			const char *settings[] = { transports[i], kinds[kind], NULL, NULL };

			fake_verbs_reset();
			allow(true);
			ibv_rig_succeeds(settings, ibv_rig_ping_pong);
			assert_in_range(count_faults(), 1, 1 << 20);
			assert_int_equal(ibv_rig_device(0)->prefetched, 0);

			fake_verbs_reset();
			allow(true);
			settings[2] = "prefetch=yes";
			ibv_rig_succeeds(settings, ibv_rig_ping_pong);
			assert_int_equal(count_faults(), 0);
			assert_in_range(ibv_rig_device(0)->prefetched, 1, 1 << 20);
		}
	}
}

/* Memory that is pinned has no faults. */
static void test_pinned(void **state)
{
	(void)state;
	allow(true);
	ibv_rig_succeeds(NULL, ibv_rig_ping_pong);
	assert_int_equal(count_faults(), 0);
}

static void assert_no_open(const char *const *settings,
			   const struct ibv_rig_words *expected)
{
	struct ibv_rig_alone alone;

	assert_int_equal(ibv_rig_open(&alone, settings), -expected->code);
	ibv_rig_says(&alone.ep->error, expected);
	ibv_rig_close(&alone);
}

/* Devices without it, without an operation of it, and without whole address spaces. */
static void test_refused(void **state)
{
	static const char *const explicit[] = { "register=odp", "transfer=rdma_read",
						NULL };
	static const char *const implicit[] = { "register=odp-implicit", NULL };
	static const struct ibv_rig_words none = { NP_ERROR_USAGE,
						   EOPNOTSUPP,
						   { "--register odp-implicit", "fake0",
						     "no on-demand paging",
						     "-t send_recv" } };
	static const struct ibv_rig_words no_read = {
		NP_ERROR_USAGE,
		EOPNOTSUPP,
		{ "--register odp: ", "fake0", "no on-demand paging", "-t rdma_read" }
	};
	static const struct ibv_rig_words no_space = {
		NP_ERROR_USAGE,
		EOPNOTSUPP,
		{ "--register odp-implicit", "fake0", "address space", "--register odp" }
	};

	(void)state;
	assert_no_open(implicit, &none);
	allow(false);
	ibv_rig_device(0)->odp.per_transport_caps.rc_odp_caps = ALL & ~IBV_ODP_SUPPORT_READ;
	assert_no_open(explicit, &no_read);
	assert_no_open(implicit, &no_space);
}

/* A device, or a kernel, that takes no advice. */
static void test_no_advice(void **state)
{
	static const char *const settings[] = { "register=odp", "prefetch=yes", NULL };
	static const struct ibv_rig_words expected = {
		NP_ERROR_USAGE, EOPNOTSUPP, { "--prefetch", "fake1", "ibv_advise_mr" }
	};

	(void)state;
	allow(false);
	ibv_rig_device(1)->no_advice = true;
	ibv_rig_fails(settings, ibv_rig_ping_pong, 1, &expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_transports, ibv_rig_setup),
		cmocka_unit_test_setup(test_pinned, ibv_rig_setup),
		cmocka_unit_test_setup(test_refused, ibv_rig_setup),
		cmocka_unit_test_setup(test_no_advice, ibv_rig_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
