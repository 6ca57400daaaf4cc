/*
 * test_ibv_data.c - messages arrive by every transport of NPibv, however they
 * are waited for and however small its queues are.
 *
 * The device is the strict one in memory: it fails where a queue is overrun, a
 * completion is left behind, a key does not open exactly the bytes of a buffer,
 * or a buffer is used before the device is done with it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/conform.h"
#include "ibv_rig.h"

static const size_t sizes[] = { 1, 8, 64, 236, 237, 1000 };
static const size_t large_sizes[] = { 1024, 1025, 4096, 65536 + 3 };

static int sweep(struct two_ends *pair, enum np_operation operation, struct np_error *error)
{
	int rc = two_ends_open(pair, &pair->process, operation, 1, 1 << 17, error);
	const size_t longest = rc == 0 ? pair->process.endpoint->longest : 0;

	for (size_t i = 0; rc == 0 && i < sizeof(sizes) / sizeof(*sizes); i++)
		rc = conform_size(pair, sizes[i], 9, error);
	for (size_t i = 0; rc == 0 && i < sizeof(large_sizes) / sizeof(*large_sizes); i++) {
		/* The largest takes longest, and once of each two is enough. */
		if (large_sizes[i] <= longest &&
		    (large_sizes[i] <= 4096 || !fake_verbs()->lazy))
			rc = conform_size(pair, large_sizes[i], 9, error);
	}
	return rc;
}

static int ping_pong(struct two_ends *pair, struct np_error *error)
{
	return sweep(pair, NP_PINGPONG, error);
}

static int stream(struct two_ends *pair, struct np_error *error)
{
	/* Fewer than a batch has: the receiver has to let the rest come. */
	pair->options.window = 2;
	return sweep(pair, NP_STREAM, error);
}

static int acked(struct two_ends *pair, struct np_error *error)
{
	return sweep(pair, NP_STREAM_ACKED, error);
}

static int both_ways(struct two_ends *pair, struct np_error *error)
{
	return sweep(pair, NP_BIDIRECTIONAL, error);
}

static const struct way {
	const char *name;
	enum np_operation operation;
	two_ends_test *test;
} ways[] = {
	{ "ping-pong", NP_PINGPONG, ping_pong },
	{ "stream", NP_STREAM, stream },
	{ "acknowledged", NP_STREAM_ACKED, acked },
	{ "both ways", NP_BIDIRECTIONAL, both_ways },
};

/* Runs each operation that the module takes with these settings.  Returns how
 * many it took. */
static unsigned run_ways(const char *const *settings, const char *name)
{
	unsigned taken = 0;

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const struct subject subject = { .module = &np_module_ibv,
						 .settings = settings };
		enum np_operation operation = ways[i].operation;
		struct two_threads_outcome outcome;
		struct np_error refusal = { .code = 0 };

		if (two_ends_consider(&subject, 1, &operation, &refusal) != 0)
			continue;
		taken++;
		if (!ibv_rig_run(settings, ways[i].test, &outcome))
			fail_msg("%s, %s: rank 0 in %s: %s; rank 1 in %s: %s", name,
				 ways[i].name, outcome.doing[0], outcome.failure[0].text,
				 outcome.doing[1], outcome.failure[1].text);
		ibv_rig_check();
		assert_int_equal(fake_verbs()->dropped, 0);
	}
	return taken;
}

static const char *const transports[] = {
	"transfer=send_recv",  "transfer=send_recv_with_imm",
	"transfer=rdma_write", "transfer=rdma_write_with_imm",
	"transfer=rdma_read",  "transfer=ud",
};

/* Every way to wait, with one memory region and with several. */
static void test_transport(void **state)
{
	static const char *const completions[] = { "wait=poll", "wait=local_poll",
						   "wait=event" };
	static const char *const regions[] = { "regions=1", "regions=3", "regions=8" };
	const char *transport = *state;
	unsigned taken = 0;

	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 3; k++) {
			const char *const settings[] = { transport, completions[i],
							 regions[k], NULL };
			char name[128];

			/* As early as a device may, and as late. */
			fake_verbs()->lazy = (i + k) % 2 != 0;
			snprintf(name, sizeof(name), "%s %s %s", transport, completions[i],
				 regions[k]);
			taken += run_ways(settings, name);
		}
	}
	assert_true(taken >= 3);
}

/* Send queues of a few entries, signalled now and then, over several queue
 * pairs. */
static void test_small_queues(void **state)
{
	const char *transport = *state;
	unsigned taken = 0, turn = 0;

	for (unsigned depth = 2; depth <= 9; depth += 1 + depth / 4) {
		/* More is refused: a full queue would never empty. */
		for (unsigned every = 1; every <= depth / 2; every++) {
			char queue[32], signal[32], pairs[32], name[128];
			const char *const settings[] = { transport, queue, signal, pairs,
							 NULL };

			fake_verbs()->lazy = turn % 2 != 0;
			snprintf(queue, sizeof(queue), "depth=%u,0", depth);
			snprintf(signal, sizeof(signal), "signal-every=%u", every);
			snprintf(pairs, sizeof(pairs), "qps=%u", 1 + turn++ % 3);
			snprintf(name, sizeof(name), "%s %s %s %s", transport, queue,
				 signal, pairs);
			taken += run_ways(settings, name);
		}
	}
	assert_true(taken >= turn);
}

static void run_cases(const char *const (*cases)[IBV_RIG_SETTINGS], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fake_verbs()->lazy = i % 2 != 0;
		assert_true(run_ways(cases[i], cases[i][0]) > 0);
	}
}

/* Further options. */
static void test_options(void **state)
{
	static const char *const cases[][IBV_RIG_SETTINGS] = {
		{ "qps=3", "transfer=send_recv", "wait=event" },
		{ "connection=uc", "transfer=send_recv" },
		{ "connection=uc", "transfer=send_recv_with_imm", "wait=event" },
		{ "connection=uc", "transfer=rdma_write", "qps=3" },
		{ "connection=uc", "transfer=rdma_write_with_imm", "burst=yes" },
		{ "connection=uc", "register=each", "depth=4,0" },
		{ "srq=yes", "transfer=send_recv" },
		{ "srq=yes", "transfer=ud", "wait=event" },
		{ "register=each", "transfer=send_recv" },
		{ "register=each", "transfer=send_recv_with_imm", "wait=event" },
		{ "inline=0" },
		{ "inline=16" },
		{ "depth=0,9" },
		{ "burst=yes" },
		{ "burst=yes", "wait=event", "qps=3" },
		{ "burst=yes", "transfer=ud", "regions=3" },
		{ "burst=yes", "transfer=send_recv_with_imm", "depth=0,9" },
		{ "burst=yes", "transfer=rdma_write_with_imm" },
		{ "burst=yes", "transfer=rdma_write_with_imm", "wait=local_poll" },
		{ "burst=yes", "transfer=rdma_write_with_imm", "wait=event" },
		{ "burst=yes", "srq=yes", "depth=4,0" },
		{ "mtu=256", "transfer=ud" },
		{ "gid-index=0" },
		{ "relaxed-ordering=yes", "regions=4" },
		{ "like=perftest", "depth=4,0" },
		{ "like=perftest", "transfer=rdma_write", "depth=5,0" },
		{ "like=perftest", "transfer=rdma_read", "qps=3" },
	};

	(void)state;
	run_cases(cases, sizeof(cases) / sizeof(*cases));
}

/* Registration alone, which moves nothing that could be checked. */
static int register_only(struct two_ends *pair, struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_ROTATE,
					.messages = 5,
					.batches = 3,
					.timeout_ns = TWO_ENDS_PATIENCE_NS };
	struct np_counts counts = { .count = 0 };
	struct np_process *process = &pair->process;
	uint64_t ns[3];

	/* The request is refused because of -i; its other members are used. */
	struct np_error ignored = { .code = 0 };
	two_ends_request(pair, process, NP_PINGPONG, 1, 4096, &ignored);
	process->request.integrity = false;
	int rc = pair->module->check(pair->module_options, &process->request, error);
	if (rc == 0)
		rc = np_process_prepare(process, TWO_ENDS_CAPACITY, error);
	if (rc == 0)
		rc = np_process_open(process, error);
	for (size_t choice = 0; rc == 0 && choice < process->request.variant_count;
	     choice++) {
		rc = two_ends_arm(pair, process, 4096, 9, error);
		if (rc == 0)
			rc = np_process_arm(process, 4096, choice, false, error);
		for (int i = 0; rc == 0 && i < 2; i++)
			rc = np_block_run(process, &block, ns, &counts, error);
		if (rc == 0)
			rc = two_ends_meet(pair, error);
		two_ends_disarm(process);
	}
	return rc;
}

static void test_registration_cost(void **state)
{
	static const char *const settings[] = { "register=cost", NULL };

	(void)state;
	ibv_rig_succeeds(settings, register_only);
	/* By the choice, two blocks of 15; and an end's own control buffer. */
	assert_int_equal(ibv_rig_device(0)->registrations, 1 + 2 * 2 * 15);
	assert_int_equal(ibv_rig_device(1)->registrations, 1);
}

static int read_words(struct two_ends *pair, enum np_operation operation, size_t offset,
		      struct np_error *error)
{
	int rc;

	pair->options.offsets[0] = offset;
	pair->options.offsets[1] = offset;
	rc = two_ends_open(pair, &pair->process, operation, 8, 8, error);
	return rc == 0 ? conform_size(pair, 8, 9, error) : rc;
}

static int one_by_one(struct two_ends *pair, struct np_error *error)
{
	return read_words(pair, NP_PINGPONG, 0, error);
}

static int many_at_once(struct two_ends *pair, struct np_error *error)
{
	return read_words(pair, NP_STREAM, 0, error);
}

static int not_aligned(struct two_ends *pair, struct np_error *error)
{
	return read_words(pair, NP_PINGPONG, 4, error);
}

/* More queue pairs than messages, and than a process may have descriptors for. */
static void test_many_pairs(void **state)
{
	static const char *const cases[][IBV_RIG_SETTINGS] = {
		{ "qps=600", "transfer=send_recv" },
		{ "qps=70", "transfer=rdma_read", "wait=event" },
		{ "qps=70", "transfer=send_recv", "wait=event", "signal-every=3" },
	};
	static const char *const too_many[] = { "qps=601", NULL };
	static const struct ibv_rig_words expected = {
		NP_ERROR_USAGE, EINVAL, { "--qps: fake0 has 600 queue pairs" }
	};

	(void)state;
	for (size_t i = 0; i < FAKE_DEVICES; i++)
		ibv_rig_device(i)->max_qp = 600;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ibv_rig_succeeds(cases[i], ibv_rig_ping_pong);
		ibv_rig_succeeds(cases[i], ibv_rig_stream);
	}
	ibv_rig_fails(too_many, ibv_rig_ping_pong, 0, &expected);
}

/* Atomic operations fetch the peer's bytes and leave them unchanged. */
static void test_atomics(void **state)
{
	static const char *const cases[][IBV_RIG_SETTINGS] = {
		{ "transfer=fetch_and_add" },
		{ "transfer=fetch_and_add", "wait=event", "regions=3" },
		{ "transfer=compare_and_swap" },
		{ "transfer=compare_and_swap", "qps=3", "depth=4,0" },
	};
	static const struct ibv_rig_words aligned = {
		NP_ERROR_USAGE, EINVAL, { "-t fetch_and_add: addresses", "multiples of 8" }
	};
	static const struct ibv_rig_words none = {
		NP_ERROR_USAGE,
		EOPNOTSUPP,
		{ "-t fetch_and_add: device fake1 has no atomic operations" }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fake_verbs()->lazy = i % 2 != 0;
		ibv_rig_succeeds(cases[i], one_by_one);
		ibv_rig_succeeds(cases[i], many_at_once);
	}
	ibv_rig_fails(cases[0], not_aligned, 0, &aligned);
	ibv_rig_device(1)->no_atomics = true;
	ibv_rig_fails(cases[0], one_by_one, 1, &none);
}

/* Endpoints that come and go, one after the other and two at a time. */
static void test_life(void **state)
{
	static const char *const cases[][3] = {
		{ "transfer=send_recv" },
		{ "transfer=rdma_write", "regions=3" },
		{ "transfer=ud", "wait=event" },
		{ "transfer=rdma_read" },
		{ "srq=yes" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fake_verbs()->lazy = i % 2 != 0;
		ibv_rig_succeeds(cases[i], conform_reopen);
		ibv_rig_succeeds(cases[i], conform_two_endpoints);
		ibv_rig_succeeds(cases[i], conform_facts);
		ibv_rig_succeeds(cases[i], conform_close_after_open);
		ibv_rig_succeeds(cases[i], conform_unreg_without_reg);
	}
}

/* A device whose link layer is InfiniBand needs no GID. */
static void test_infiniband(void **state)
{
	static const char *const cases[][IBV_RIG_SETTINGS] = {
		{ "transfer=send_recv" },
		{ "transfer=ud" },
		{ "transfer=rdma_write" },
		{ "gid-index=0" },
	};

	(void)state;
	for (size_t i = 0; i < FAKE_DEVICES; i++)
		fake_verbs()->devices[i].ethernet = false;
	run_cases(cases, sizeof(cases) / sizeof(*cases));
}

int main(void)
{
	struct CMUnitTest tests[2 * sizeof(transports) / sizeof(*transports) + 6];
	char names[sizeof(tests) / sizeof(*tests)][80];
	size_t count = 0;

	for (size_t i = 0; i < sizeof(transports) / sizeof(*transports); i++) {
		for (int small = 0; small < 2; small++) {
			snprintf(names[count], sizeof(names[count]), "%s, %s",
				 transports[i],
				 small ? "small queues" : "every completion");
			tests[count] = (struct CMUnitTest){
				.name = names[count],
				.test_func = small ? test_small_queues : test_transport,
				.setup_func = ibv_rig_setup,
				.initial_state = (void *)(uintptr_t)transports[i],
			};
			count++;
		}
	}
	const struct CMUnitTest others[] = {
		cmocka_unit_test_setup(test_options, ibv_rig_setup),
		cmocka_unit_test_setup(test_registration_cost, ibv_rig_setup),
		cmocka_unit_test_setup(test_many_pairs, ibv_rig_setup),
		cmocka_unit_test_setup(test_atomics, ibv_rig_setup),
		cmocka_unit_test_setup(test_life, ibv_rig_setup),
		cmocka_unit_test_setup(test_infiniband, ibv_rig_setup),
	};

	memcpy(&tests[count], others, sizeof(others));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
