/*
 * test_process.c - the memory of a process is bounded by the sum of what it maps.
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_sum),
		cmocka_unit_test(check_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
