/*
 * test_ibv_inline.c - inline data: exactly as much as an adapter takes, of each adapter
 * that the device in memory can stand for.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/conform.h"
#include "ibv_rig.h"
#include "modules/ibv/ibv_private.h"

enum { WISH = 236 };

/* Bytes found by --inline auto with these settings. */
static uint32_t found(const char *const *settings)
{
	struct ibv_rig_alone alone;

	if (ibv_rig_open(&alone, settings) != 0)
		fail_msg("%s", alone.ep->error.text);
	const uint32_t limit = np_ibv_of(alone.ep)->inline_limit;

	ibv_rig_close(&alone);
	return limit;
}

static void test_adapters(void **state)
{
	static const struct {
		const char *setting;
		enum fake_adapter adapter;
		uint32_t limit;
	} cases[] = {
		{ "transfer=send_recv", FAKE_MLX5, WISH },
		{ "transfer=rdma_write", FAKE_IRDMA, 101 },
		{ "transfer=send_recv", FAKE_I40IW, 48 },
		{ "transfer=send_recv", FAKE_BNXT_RE, 96 },
		{ "transfer=ud", FAKE_EFA, 32 },
		{ "transfer=rdma_write", FAKE_HNS, 32 },
		{ "transfer=send_recv", FAKE_SIW, 80 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *const settings[] = { cases[i].setting, NULL };

		fake_verbs_reset();
		fake_verbs_become(0, cases[i].adapter);
		if (found(settings) != cases[i].limit)
			fail_msg("%s: %u bytes", ibv_rig_device(0)->device.name,
				 found(settings));
	}
}

/* Each limit from none to beyond what is wished for. */
static void test_every_limit(void **state)
{
	(void)state;
	for (uint32_t limit = 0; limit < WISH + 4; limit++) {
		ibv_rig_device(0)->inline_most = limit;
		assert_int_equal(found(NULL), limit < WISH ? limit : WISH);
	}
}

/* Every queue pair has what the first was found to take. */
static void test_several_pairs(void **state)
{
	static const char *const settings[] = { "qps=4", NULL };

	(void)state;
	for (size_t rank = 0; rank < 2; rank++)
		ibv_rig_device(rank)->inline_most = 100;
	assert_int_equal(found(settings), 100);
	ibv_rig_succeeds(settings, ibv_rig_both_ways);
}

static int sweep(struct two_ends *pair, struct np_error *error)
{
	static const size_t sizes[] = { 31, 32, 33,  48,  49,  80, 81,
					96, 97, 101, 102, 236, 237 };
	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 1 << 17, error);

	for (size_t i = 0; rc == 0 && i < sizeof(sizes) / sizeof(*sizes); i++)
		rc = conform_size(pair, sizes[i], 9, error);
	return rc;
}

/* Messages of every length about the limit; the device refuses more inline data than
 * its queue pair has. */
static void test_messages(void **state)
{
	(void)state;
	for (int adapter = 0; adapter < FAKE_ADAPTERS; adapter++) {
		static const char *const datagrams[] = { "transfer=ud", NULL };

		fake_verbs_reset();
		for (size_t rank = 0; rank < 2; rank++) {
			struct ibv_device *device = &ibv_rig_device(rank)->device;
			char name[sizeof(device->name)];

			memcpy(name, device->name, sizeof(name));

			fake_verbs_become(rank, (enum fake_adapter)adapter);
			memcpy(device->name, name, sizeof(name));
		}
		ibv_rig_succeeds(adapter == FAKE_EFA ? datagrams : NULL, sweep);
	}
}

static void test_no_connections(void **state)
{
	static const struct ibv_rig_words expected = {
		NP_ERROR_USAGE,
		EOPNOTSUPP,
		{ "-t send_recv", "efa_0", "reliable connections", "-t ud" }
	};
	struct ibv_rig_alone alone;

	(void)state;
	fake_verbs_become(0, FAKE_EFA);
	assert_int_equal(ibv_rig_open(&alone, NULL), -EOPNOTSUPP);
	ibv_rig_says(&alone.ep->error, &expected);
	ibv_rig_close(&alone);
}

static void test_given(void **state)
{
	static const char *const fits[] = { "inline=101", NULL };
	static const char *const none[] = { "inline=0", NULL };
	static const char *const more[] = { "inline=102", NULL };
	static const struct ibv_rig_words expected = {
		NP_ERROR_USAGE, EINVAL, { "--inline", "irdma0", "102 bytes" }
	};
	struct ibv_rig_alone alone;

	(void)state;
	fake_verbs_become(0, FAKE_IRDMA);
	assert_int_equal(found(fits), 101);
	assert_int_equal(found(none), 0);
	assert_int_equal(ibv_rig_open(&alone, more), -EINVAL);
	ibv_rig_says(&alone.ep->error, &expected);
	ibv_rig_close(&alone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_adapters, ibv_rig_setup),
		cmocka_unit_test_setup(test_every_limit, ibv_rig_setup),
		cmocka_unit_test_setup(test_several_pairs, ibv_rig_setup),
		cmocka_unit_test_setup(test_messages, ibv_rig_setup),
		cmocka_unit_test_setup(test_no_connections, ibv_rig_setup),
		cmocka_unit_test_setup(test_given, ibv_rig_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
