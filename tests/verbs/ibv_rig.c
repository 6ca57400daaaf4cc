/*
 * ibv_rig.c - two threads, a fake device each.
 */
#include "ibv_rig.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "boot/channel.h"
#include "endpoint/block.h"

/* Many times what a test takes; only a bug waits for it. */
enum { HANGS_AFTER = 120 };

int ibv_rig_setup(void **state)
{
	(void)state;
	fake_verbs_reset();
	return 0;
}

static size_t count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t count = 0;

	assert_non_null(folder);
	while (readdir(folder) != NULL)
		count++;
	closedir(folder);
	return count;
}

bool ibv_rig_run(const char *const *settings, two_ends_test *test,
		 struct two_threads_outcome *outcome)
{
	const char *all[2][IBV_RIG_SETTINGS + 2] = { { "device=fake0" },
						     { "device=fake1" } };
	const char *const *const each[2] = { all[0], all[1] };
	const size_t before = count_descriptors();

	for (size_t i = 0; i < IBV_RIG_SETTINGS && settings != NULL && settings[i] != NULL;
	     i++) {
		all[0][1 + i] = settings[i];
		all[1][1 + i] = settings[i];
	}
	alarm(HANGS_AFTER);
	const bool good = two_threads_run(&np_module_ibv, each, test, outcome);
	assert_int_equal(count_descriptors(), before);
	return good;
}

void ibv_rig_check(void)
{
	static const char *const names[FAKE_KINDS] = {
		[FAKE_LIST] = "device lists",
		[FAKE_CONTEXT] = "open devices",
		[FAKE_PD] = "protection domains",
		[FAKE_MR] = "memory regions",
		[FAKE_CHANNEL] = "completion channels",
		[FAKE_CQ] = "completion queues",
		[FAKE_QP] = "queue pairs",
		[FAKE_SRQ] = "shared receive queues",
		[FAKE_AH] = "address handles",
		[FAKE_CM_CHANNEL] = "event channels of librdmacm",
		[FAKE_CM_ID] = "identifiers of librdmacm",
		[FAKE_CM_EVENT] = "events of librdmacm",
	};
	const struct fake_verbs *fake = fake_verbs();

	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		if (fake->live[kind] != 0)
			fail_msg("%zu %s were not given back", fake->live[kind],
				 names[kind]);
	}
	if (fake->misuse != NULL)
		fail_msg("%s", fake->misuse);
}

/* ---- Errors ------------------------------------------------------------------ */

void ibv_rig_says(const struct np_error *error, const struct ibv_rig_words *expected)
{
	for (size_t i = 0; i < IBV_RIG_WORDS && expected->words[i] != NULL; i++) {
		if (strstr(error->text, expected->words[i]) == NULL)
			fail_msg("\"%s\" does not say \"%s\"", error->text,
				 expected->words[i]);
	}
	if (error->kind != expected->kind || error->code != -expected->code)
		fail_msg("\"%s\" is of kind %d and code %d, not %d and %d", error->text,
			 (int)error->kind, error->code, (int)expected->kind,
			 -expected->code);
}

void ibv_rig_fails(const char *const *settings, two_ends_test *test, int rank,
		   const struct ibv_rig_words *expected)
{
	struct two_threads_outcome outcome;

	if (ibv_rig_run(settings, test, &outcome))
		fail_msg("both ends succeed, instead of saying \"%s\"", expected->words[0]);
	ibv_rig_says(&outcome.failure[rank], expected);
	assert_int_not_equal(outcome.failure[1 - rank].code, 0);
	assert_string_not_equal(outcome.failure[1 - rank].text, "");
	ibv_rig_check();
}

void ibv_rig_ends(const char *const *settings, two_ends_test *test, const char *one,
		  const char *other)
{
	struct two_threads_outcome outcome;
	bool said = false;

	assert_false(ibv_rig_run(settings, test, &outcome));
	for (size_t rank = 0; rank < 2; rank++) {
		assert_int_not_equal(outcome.failure[rank].code, 0);
		assert_string_not_equal(outcome.failure[rank].text, "");
		said |= strstr(outcome.failure[rank].text, one) != NULL ||
			strstr(outcome.failure[rank].text, other) != NULL;
	}
	if (!said)
		fail_msg("neither \"%s\" nor \"%s\" in: %s; %s", one, other,
			 outcome.failure[0].text, outcome.failure[1].text);
	ibv_rig_check();
}

void ibv_rig_succeeds(const char *const *settings, two_ends_test *test)
{
	struct two_threads_outcome outcome;

	if (!ibv_rig_run(settings, test, &outcome))
		fail_msg("rank 0 in %s: %s; rank 1 in %s: %s", outcome.doing[0],
			 outcome.failure[0].text, outcome.doing[1],
			 outcome.failure[1].text);
	ibv_rig_check();
}

/* ---- What they do ----------------------------------------------------------------------
 */

static int exchange(struct two_ends *pair, enum np_operation operation,
		    struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_ROTATE,
					.messages = 40,
					.batches = 2,
					.timeout_ns = TWO_ENDS_PATIENCE_NS };
	struct np_counts counts = { .count = 0 };
	uint64_t ns[2];

	pair->options.window = operation == NP_STREAM ? 8 : 0;
	int rc = two_ends_open(pair, &pair->process, operation, 1, 4096, error);
	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, IBV_RIG_LENGTH, 12, error);
	if (rc == 0)
		rc = np_check_run(&pair->process, &block, 0, error);
	if (rc == 0)
		rc = np_block_run(&pair->process, &block, ns, &counts, error);
	return rc == 0 ? two_ends_meet(pair, error) : rc;
}

int ibv_rig_ping_pong(struct two_ends *pair, struct np_error *error)
{
	return exchange(pair, NP_PINGPONG, error);
}

int ibv_rig_stream(struct two_ends *pair, struct np_error *error)
{
	return exchange(pair, NP_STREAM, error);
}

int ibv_rig_both_ways(struct two_ends *pair, struct np_error *error)
{
	return exchange(pair, NP_BIDIRECTIONAL, error);
}

/* ---- An end alone ------------------------------------------------------------ */

int ibv_rig_open(struct ibv_rig_alone *alone, const char *const *settings)
{
	struct np_error error = { .code = 0 };

	*alone = (struct ibv_rig_alone){ .pair.module = &np_module_ibv };
	alone->ep = calloc(1, np_module_ibv.endpoint_size);
	assert_non_null(alone->ep);
	assert_int_equal(two_ends_set_options(&alone->pair, settings, &error), 0);
	alone->ep->module = &np_module_ibv;
	alone->ep->options = alone->pair.module_options;
	alone->ep->stop = &alone->stop;
	np_boot_init(&alone->boot, 0);
	alone->ep->boot = &alone->boot;
	return np_module_ibv.open(alone->ep);
}

void ibv_rig_close(struct ibv_rig_alone *alone)
{
	np_module_ibv.close(alone->ep);
	free(alone->ep);
	free(alone->pair.module_options);
	ibv_rig_check();
}

/* ---- What befalls them ------------------------------------------------------------------
 */

struct fake_device *ibv_rig_device(size_t rank)
{
	return &fake_verbs()->devices[rank];
}

void ibv_rig_refuse(size_t rank, enum fake_call call, unsigned nth, int code)
{
	ibv_rig_device(rank)->calls = 0;
	ibv_rig_device(rank)->refusal =
		(struct fake_refusal){ .call = call, .nth = nth, .code = code };
}

void ibv_rig_refuse_for_good(size_t rank, enum fake_call call, int code)
{
	ibv_rig_refuse(rank, call, 1, code);
	ibv_rig_device(rank)->refusal.for_good = true;
}
