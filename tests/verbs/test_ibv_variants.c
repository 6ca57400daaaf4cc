/*
 * test_ibv_variants.c - queue pairs of several variants in one run: each has the completion
 * mode, MTU, inline limit and posting calls of its own, moves messages in turn, and one
 * that the device refuses is left out.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "endpoint/block.h"
#include "ibv_rig.h"
#include "modules/ibv/ibv_private.h"

enum { VARIANTS = 6, ROUNDS = 3 };

static int expect_fact(const struct np_facts *facts, const char *name, const char *text,
		       struct np_error *error)
{
	const char *found = np_facts_find(facts, name);

	return found != NULL && strstr(found, text) == found ?
		       0 :
		       two_ends_fail(error, "%s is %s, not %s", name,
				     found != NULL ? found : "missing", text);
}

static int check_facts(struct np_process *process, struct np_error *error)
{
	struct np_facts facts = { .list = NULL };
	int rc;

	np_process_describe(process, &facts);
	rc = expect_fact(&facts, "mtu", "1024", error);
	if (rc == 0)
		rc = expect_fact(&facts, "small.mtu", "512", error);
	if (rc == 0)
		rc = expect_fact(&facts, "none.inline_limit", "0", error);
	if (rc == 0)
		rc = expect_fact(&facts, "much.left_out", "--inline", error);
	if (rc == 0)
		rc = expect_fact(&facts, "new.post", "ibv_wr_start", error);
	if (rc == 0 && np_facts_find(&facts, "event.mtu") != NULL)
		rc = two_ends_fail(error, "event has another MTU");
	np_facts_free(&facts);
	return rc;
}

/* Sends messages of one variant after the other, by the code path of each. */
static int take_turns(struct two_ends *pair, struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_ROTATE,
					.messages = 20,
					.batches = 2,
					.timeout_ns = TWO_ENDS_PATIENCE_NS };
	struct np_process *process = &pair->process;
	struct np_counts counts = { .count = 0 };
	uint64_t ns[2];
	int rc = 0;

	for (size_t i = 0; i < (size_t)ROUNDS * VARIANTS && rc == 0; i++) {
		const size_t variant = i % VARIANTS;

		if (!np_process_holds(process, variant))
			continue;
		rc = np_process_arm(process, IBV_RIG_LENGTH, variant, false, error);
		if (rc == 0 && (strstr(process->endpoint->code_path->name, "event") !=
				NULL) != (variant == 1))
			rc = two_ends_fail(error, "variant %zu waits by %s", variant,
					   process->endpoint->code_path->name);
		if (rc == 0 && (strstr(process->endpoint->code_path->name, "ibv_wr") !=
				NULL) != (variant == 5))
			rc = two_ends_fail(error, "variant %zu posts by %s", variant,
					   process->endpoint->code_path->name);
		if (rc == 0)
			rc = np_check_run(process, &block, 0, error);
		if (rc == 0)
			rc = np_block_run(process, &block, ns, &counts, error);
		np_process_disarm(process);
	}
	return rc;
}

static void set_apart(struct np_ibv_options own[VARIANTS])
{
	own[1].completion = "event";
	own[2].mtu = 512;
	own[3].inline_limit = "0";
	own[4].inline_limit = "9999";
	own[5].posting = NP_IBV_POST_WR;
}

static int hold(struct two_ends *pair, struct np_error *error)
{
	struct np_ibv_options own[VARIANTS];
	const void *list[VARIANTS];
	struct np_process *process = &pair->process;
	int rc = two_ends_request(pair, process, NP_PINGPONG, 1, 4096, error);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < VARIANTS; i++) {
		own[i] = *(const struct np_ibv_options *)pair->module_options;
		list[i] = &own[i];
	}
	set_apart(own);
	process->request.variant_count = VARIANTS;
	memcpy(process->request.variants,
	       (const char *[]){ "base", "event", "small", "none", "much", "new" },
	       VARIANTS * sizeof(char *));
	process->variant_options = list;
	rc = np_process_prepare(process, TWO_ENDS_CAPACITY, error);
	if (rc == 0)
		rc = np_process_open(process, error);
	if (rc == 0)
		rc = check_facts(process, error);
	if (rc == 0)
		rc = np_process_map(process, 1 << 20, 1, error);
	if (rc == 0)
		rc = take_turns(pair, error);
	if (rc == 0)
		rc = two_ends_meet(pair, error);
	/* The options are this function's. */
	np_process_finish(process);
	return rc;
}

static void test_hold(void **state)
{
	const char *const settings[] = { "wait=poll", NULL };

	(void)state;
	ibv_rig_succeeds(settings, hold);
}

/* The program holds variants in these options, and runs those in others apart. */
static void test_options(void **state)
{
	static const char *const held[] = { "wait", "mtu",  "inline",
					    "post", "like", "prefetch" };
	size_t count = 0;

	(void)state;
	for (const struct np_option *option = np_ibv_options_table; option->name != NULL;
	     option++) {
		if (!option->varies)
			continue;
		assert_in_range(count, 0, 5);
		assert_string_equal(option->name, held[count++]);
		assert_int_equal(option->scope, NP_SCOPE_PLAN);
	}
	assert_int_equal(count, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_hold, ibv_rig_setup),
		cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
