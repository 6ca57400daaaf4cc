/*
 * test_process.c - the memory of a process is bounded by the sum of what it maps; a process
 * with an endpoint of each variant.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "boot/channel.h"
#include "endpoint/process.h"
#include "laid_out.h"

enum { CAPACITY = 64, MOST = 1 << 20 };

static const struct np_module plain = { .name = "plain",
					.endpoint_size = sizeof(struct np_endpoint) };

struct rig {
	struct np_options options;
	struct np_boot boot;
	struct np_process process;
	struct np_error error;
};

static void set_up(struct rig *rig)
{
	*rig = (struct rig){ .options = plain_options() };
	np_boot_init(&rig->boot, 1);
	rig->process = (struct np_process){ .module = &plain,
					    .options = &rig->options,
					    .boot = &rig->boot,
					    .memory_most = MOST };
}

static void assert_too_much(const struct rig *rig, int rc)
{
	assert_int_equal(rc, -ENOMEM);
	assert_int_equal(rig->error.kind, NP_ERROR_USAGE);
	assert_non_null(strstr(rig->error.text, "--max-memory allows 1048576"));
}

static void check_sum(void **state)
{
	struct rig rig;

	(void)state;
	set_up(&rig);
	assert_int_equal(np_process_prepare(&rig.process, CAPACITY, &rig.error), 0);
	assert_int_equal(np_process_map(&rig.process, MOST / 2, 1, &rig.error), 0);
	/* Each alone is within the bound. */
	assert_too_much(&rig, np_process_map_memory(&rig.process, &rig.process.fresh,
						    MOST / 2, 1, &rig.error));
	rig.error = (struct np_error){ .code = 0 };
	assert_int_equal(np_process_map_memory(&rig.process, &rig.process.fresh, MOST / 4,
					       1, &rig.error),
			 0);
	np_process_unmap_memory(&rig.process, &rig.process.fresh);
	np_process_unmap(&rig.process);
	assert_int_equal(np_process_map(&rig.process, MOST / 4 * 3, 1, &rig.error), 0);
	np_process_finish(&rig.process);
}

static void check_table(void **state)
{
	struct rig rig;

	(void)state;
	set_up(&rig);
	assert_too_much(&rig, np_process_prepare(&rig.process, MOST / 16 + 1, &rig.error));
	np_process_finish(&rig.process);
	set_up(&rig);
	assert_int_equal(np_process_prepare(&rig.process, MOST / 32, &rig.error), 0);
	assert_too_much(&rig, np_process_map(&rig.process, MOST / 4 * 3, 1, &rig.error));
	np_process_finish(&rig.process);
}

/* A module whose endpoints know their options, and what was done to them. */
struct noted {
	struct np_endpoint endpoint;
	unsigned connected, registered, armed, closed;
};

static int note_connect(struct np_endpoint *endpoint)
{
	((struct noted *)endpoint)->connected++;
	endpoint->longest = *(const size_t *)endpoint->options;
	return 0;
}

static int note_reg(struct np_endpoint *endpoint, struct np_region *region)
{
	(void)region;
	((struct noted *)endpoint)->registered++;
	return 0;
}

static int note_arm(struct np_endpoint *endpoint, const struct np_transfer *transfer)
{
	assert_int_equal(transfer->variant, 0);
	((struct noted *)endpoint)->armed++;
	return 0;
}

static void note_close(struct np_endpoint *endpoint)
{
	((struct noted *)endpoint)->closed++;
}

static void note_facts(struct np_endpoint *endpoint, struct np_facts *facts)
{
	np_facts_add(facts, "kind", "noted");
	np_facts_add_number(facts, "longest_bytes", endpoint->longest, NP_UNIT_BYTES, NULL);
}

static const struct np_module noting = { .name = "noting",
					 .endpoint_size = sizeof(struct noted),
					 .connect = note_connect,
					 .reg = note_reg,
					 .arm = note_arm,
					 .close = note_close,
					 .describe = note_facts };

static void check_variants(void **state)
{
	static const size_t longest[] = { 8192, 0, 4096 };
	const void *const options[] = { &longest[0], &longest[1], &longest[2] };
	struct np_watch watch = { .running = false };
	struct np_facts facts = { .list = NULL };
	struct rig rig;

	(void)state;
	set_up(&rig);
	rig.process.module = &noting;
	rig.process.watch = &watch;
	rig.process.variant_options = options;
	rig.process.request =
		(struct np_request){ .variants = { "a", "b", "c" }, .variant_count = 3 };
	assert_int_equal(np_process_prepare(&rig.process, CAPACITY, &rig.error), 0);
	assert_int_equal(np_process_open(&rig.process, &rig.error), 0);
	assert_int_equal(np_process_longest(&rig.process), 4096);
	np_process_describe(&rig.process, &facts);
	assert_int_equal(np_facts_number(&facts, "longest_bytes"), 8192);
	assert_string_equal(np_facts_find(&facts, "b.longest_bytes"), "0");
	assert_string_equal(np_facts_find(&facts, "c.longest_bytes"), "4096");
	assert_null(np_facts_find(&facts, "b.kind"));
	/* What is no limit of the base is none of its curve. */
	assert_int_equal(np_facts_number(&facts, "c.longest_bytes"), 0);
	np_facts_free(&facts);

	assert_int_equal(np_process_map(&rig.process, MOST / 4, 1, &rig.error), 0);
	for (size_t i = 3; i-- > 0;) {
		assert_int_equal(np_process_arm(&rig.process, 64, i, false, &rig.error), 0);
		assert_ptr_equal(rig.process.endpoint->options, options[i]);
		np_process_disarm(&rig.process);
	}
	np_process_unmap(&rig.process);
	np_process_close(&rig.process);
	for (size_t i = 0; i < 3; i++) {
		const struct noted *noted = (const struct noted *)rig.process.endpoints[i];

		assert_int_equal(noted->connected, 1);
		assert_int_equal(noted->registered, 1);
		assert_int_equal(noted->armed, 1);
		assert_int_equal(noted->closed, 1);
	}
	np_process_finish(&rig.process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_sum),
		cmocka_unit_test(check_table),
		cmocka_unit_test(check_variants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
