/*
 * test_command_check.c - commands of the peer: order and numbers are checked before
 * anything is executed, and so are the numbers of its replies.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "boot/reply.h"
#include "endpoint/command.h"
#include "laid_out.h"

enum { UNOPENED = 0, OPENED = 1, MAPPED = 2, ARMED = 4, READY = OPENED | MAPPED | ARMED };
enum { LENGTH = 64, POOL = 1 << 14 };

static int reg(struct np_endpoint *endpoint, struct np_region *region)
{
	(void)endpoint;
	(void)region;
	return 0;
}

static const struct np_module registering = { .name = "registering", .reg = reg };
static const struct np_module plain = { .name = "plain" };

struct rig {
	struct np_endpoint endpoint;
	struct np_options options;
	struct np_process process;
};

static void set_up(struct rig *rig, unsigned state)
{
	*rig = (struct rig){ .options = plain_options() };
	rig->options.integrity = true;
	rig->process = (struct np_process){
		.module = &plain,
		.options = &rig->options,
		.endpoints = { &rig->endpoint },
		.endpoint = &rig->endpoint,
		.layout = np_layout_of(&rig->options, 0),
		.request = { .smallest = 1,
			     .largest = 4096,
			     .capabilities = NP_CAN_REGISTER },
		.opened = (state & OPENED) != 0,
		.registered = (state & MAPPED) != 0,
		.armed = (state & ARMED) != 0,
	};
	assert_int_equal(
		np_layout_cut(&rig->process.layout, POOL, LENGTH, &rig->process.cut), 0);
}

static struct np_command valid_command(enum np_command_kind kind)
{
	return (struct np_command){
		.kind = kind,
		.length = LENGTH,
		.memory = { .regions = 1, .parts = 1, .align = 64 },
		.block = { .messages = 1, .batches = 1, .timeout_ns = 1 }
	};
}

static int check(const struct rig *rig, const struct np_command *command,
		 struct np_error *error)
{
	*error = (struct np_error){ .code = 0 };
	const int rc = np_command_check(&rig->process, command, error);

	if (rc != 0)
		assert_int_equal(error->kind, NP_ERROR_PEER);
	return rc;
}

/* Every one of these words, separated by blanks, is in the text; NULL: the text is empty.
 */
static void assert_names(const char *text, const char *words)
{
	char copy[128] = "", *rest = copy;

	if (words == NULL) {
		assert_string_equal(text, "");
		return;
	}
	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word; (word = strsep(&rest, " ")) != NULL;)
		if (strstr(text, word) == NULL)
			fail_msg("'%s' does not name %s", text, word);
}

static void assert_refused(const struct rig *rig, const struct np_command *command,
			   const char *words)
{
	struct np_error error;

	assert_int_equal(check(rig, command, &error), -EPROTO);
	assert_names(error.text, words);
}

static void check_order(void **state)
{
	static const struct {
		unsigned state;
		enum np_command_kind kind;
		const char *refusal; /* its words; NULL: valid */
	} cases[] = {
		{ UNOPENED, NP_COMMAND_OPEN, NULL },
		{ OPENED, NP_COMMAND_OPEN, "OPEN open" },
		{ OPENED, NP_COMMAND_CLOSE, NULL },
		{ OPENED | MAPPED, NP_COMMAND_CLOSE, NULL },
		{ MAPPED, NP_COMMAND_OPEN, NULL },
		{ UNOPENED, NP_COMMAND_CLOSE, "CLOSE open" },
		{ READY, NP_COMMAND_CLOSE, "CLOSE armed" },
		{ UNOPENED, NP_COMMAND_MAP, "MAP open" },
		{ OPENED, NP_COMMAND_MAP, NULL },
		{ OPENED | MAPPED, NP_COMMAND_MAP, "MAP mapped" },
		{ OPENED, NP_COMMAND_UNMAP, "UNMAP mapped" },
		{ OPENED | MAPPED, NP_COMMAND_UNMAP, NULL },
		{ READY, NP_COMMAND_UNMAP, "UNMAP armed" },
		{ OPENED, NP_COMMAND_ARM, "ARM mapped" },
		{ MAPPED, NP_COMMAND_ARM, "ARM open" },
		{ OPENED | MAPPED, NP_COMMAND_ARM, NULL },
		{ READY, NP_COMMAND_ARM, "ARM armed" },
		{ READY, NP_COMMAND_DISARM, NULL },
		{ OPENED | MAPPED, NP_COMMAND_DISARM, "DISARM armed" },
		{ OPENED | MAPPED, NP_COMMAND_BLOCK, "BLOCK armed" },
		{ READY, NP_COMMAND_BLOCK, NULL },
		{ OPENED, NP_COMMAND_CHECK, "CHECK armed" },
		{ READY, NP_COMMAND_CHECK, NULL },
		{ OPENED | MAPPED, NP_COMMAND_PROBE, NULL },
		{ OPENED, NP_COMMAND_PROBE, "PROBE mapped" },
		{ READY, NP_COMMAND_PROBE, "PROBE armed" },
		{ UNOPENED, NP_COMMAND_END, NULL },
		{ READY, NP_COMMAND_END, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct np_command command = valid_command(cases[i].kind);
		struct np_error error;
		struct rig rig;

		set_up(&rig, cases[i].state);
		assert_int_equal(check(&rig, &command, &error),
				 cases[i].refusal != NULL ? -EPROTO : 0);
		assert_names(error.text, cases[i].refusal);
	}
}

static void check_registered_memory_is_not_closed(void **state)
{
	const struct np_command close = valid_command(NP_COMMAND_CLOSE);
	struct rig rig;

	(void)state;
	set_up(&rig, OPENED | MAPPED);
	rig.process.module = &registering;
	assert_refused(&rig, &close, "CLOSE mapped");
}

static void check_kinds(void **state)
{
	static const int kinds[] = { 0, -1, NP_COMMAND_END + 1, INT8_MAX };
	struct np_error error;
	struct rig rig;

	(void)state;
	set_up(&rig, READY);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct np_command command =
			valid_command((enum np_command_kind)kinds[i]);

		assert_int_equal(check(&rig, &command, &error), -EPROTO);
		assert_names(error.text, "unknown command");
	}
}

/* A valid command with one number changed. */
static void assert_number(unsigned state, const struct np_command *command, bool valid)
{
	struct np_error error;
	struct rig rig;

	set_up(&rig, state);
	assert_int_equal(check(&rig, command, &error), valid ? 0 : -EPROTO);
	if (!valid)
		assert_names(error.text, "command number");
}

static void check_numbers_of_blocks(void **state)
{
	struct np_command command = valid_command(NP_COMMAND_BLOCK);

	(void)state;
	command.block.messages = 0;
	assert_number(READY, &command, false);
	command.block.messages = UINT64_MAX;
	assert_number(READY, &command, false);
	command = valid_command(NP_COMMAND_BLOCK);
	command.block.batches = 0;
	assert_number(READY, &command, false);
	command = valid_command(NP_COMMAND_BLOCK);
	command.block.timeout_ns = 0;
	assert_number(READY, &command, false);
	command = valid_command(NP_COMMAND_BLOCK);
	command.block.mode = NP_MODES;
	assert_number(READY, &command, false);
	/* Capability that the module does not have. */
	command = valid_command(NP_COMMAND_BLOCK);
	command.block.mode = NP_MODE_FRESH;
	assert_number(READY, &command, false);
	command = valid_command(NP_COMMAND_BLOCK);
	command.block.axis = NP_AXIS_PAGES;
	assert_number(READY, &command, false);
	command.block.buffers = 2;
	assert_number(READY, &command, true);
	/* The pool has no 2 MiB: a rotation through no buffer divided by zero. */
	command.block.axis = NP_AXIS_LARGE_PAGES;
	assert_number(READY, &command, false);
}

static void check_numbers_of_maps(void **state)
{
	struct np_command command = valid_command(NP_COMMAND_MAP);

	(void)state;
	command.length = 0;
	assert_number(OPENED, &command, false);
	command.length = UINT64_MAX;
	assert_number(OPENED, &command, false);
	command.length = POOL;
	command.memory.regions = command.memory.parts = POOL / 4096;
	assert_number(OPENED, &command, true);
	command.memory.regions = ++command.memory.parts;
	assert_number(OPENED, &command, false);
	command.memory.regions = command.memory.parts = 0;
	assert_number(OPENED, &command, false);
	command = valid_command(NP_COMMAND_MAP);
	command.memory.align = 48;
	assert_number(OPENED, &command, false);
	command = valid_command(NP_COMMAND_MAP);
	command.memory.offsets[1] = SIZE_MAX;
	assert_number(OPENED, &command, false);
}

static void check_lengths(void **state)
{
	struct np_command command = valid_command(NP_COMMAND_ARM);

	(void)state;
	/* The module has prepared for the sizes of the plan. */
	command.length = 4097;
	assert_number(OPENED | MAPPED, &command, false);
	command.length = 0;
	assert_number(OPENED | MAPPED, &command, false);
	command = valid_command(NP_COMMAND_ARM);
	command.variant = 1;
	assert_number(OPENED | MAPPED, &command, false);
	command = valid_command(NP_COMMAND_PROBE);
	command.length = SIZE_MAX;
	assert_number(OPENED | MAPPED, &command, false);
}

static void check_guards(void **state)
{
	const struct np_command command = valid_command(NP_COMMAND_CHECK);
	struct rig rig;

	(void)state;
	set_up(&rig, READY);
	rig.options.integrity = false;
	assert_refused(&rig, &command, "CHECK number");
}

static void check_counts_of_the_peer(void **state)
{
	static const struct {
		const char *value;
		bool valid;
	} cases[] = {
		{ "0\tbytes\t", true },
		{ "1000\tbytes\tsource", true },
		{ "1000", false },
		{ "1001\tbytes\t", false },
		{ "-1\tbytes\t", false },
		{ " 1\tbytes\t", false },
		{ "\tbytes\t", false },
		{ "1x\tbytes\t", false },
		{ "1e3\tbytes\t", false },
		{ "1\tparsec\t", false },
		{ "99999999999999999999\tbytes\t", false },
		{ "nan\tbytes\t", false },
	};
	uint64_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct np_facts facts = { .list = NULL };
		struct np_error error = { .code = 0 };
		char line[64];

		snprintf(line, sizeof(line), "memory_bytes=%s\n", cases[i].value);
		np_facts_from_text(&facts, line);
		assert_int_equal(
			np_peer_count(&facts, "memory_bytes", 1000, &count, &error) == 0,
			cases[i].valid);
		if (strcmp(cases[i].value, "1001\tbytes\t") == 0)
			assert_names(error.text, "memory_bytes '1001'");
		np_facts_free(&facts);
	}
}

static void check_outcomes_of_the_peer(void **state)
{
	static const struct {
		enum np_command_kind kind;
		const char *facts;
		const char *refusal; /* its words; NULL: valid */
	} cases[] = {
		{ NP_COMMAND_MAP, "huge_share=1.000000\n", NULL },
		{ NP_COMMAND_MAP, "huge_share=nan\n", "huge_share nan" },
		{ NP_COMMAND_MAP, "huge_share=-1\n", "huge_share -1" },
		{ NP_COMMAND_MAP, "", "huge_share" },
		{ NP_COMMAND_BLOCK, "cycles=72057594037927936\tcount\t\n", NULL },
		{ NP_COMMAND_BLOCK, "cycles=72057594037927937\tcount\t\n",
		  "cycles 72057594037927937" },
		{ NP_COMMAND_BLOCK, "cycles=-1\tcount\t\n", "cycles -1 count" },
		{ NP_COMMAND_BLOCK, "Cyc les=1\tcount\t\n", "peer" },
		{ NP_COMMAND_PROBE,
		  "reuse_ns=1\nrotate_ns=9\ntranslation_ns=0\ncache_ns=9\n"
		  "lines=64\tcount\t\nverdict=0\tcount\t\n",
		  NULL },
		{ NP_COMMAND_PROBE,
		  "reuse_ns=1\nrotate_ns=inf\ntranslation_ns=0\ncache_ns=9\n"
		  "lines=64\tcount\t\nverdict=0\tcount\t\n",
		  "rotate_ns inf" },
		{ NP_COMMAND_PROBE,
		  "reuse_ns=1\nrotate_ns=9\ntranslation_ns=0\ncache_ns=9\n"
		  "lines=64\tcount\t\nverdict=9\tcount\t\n",
		  "verdict 9" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct np_command command = valid_command(cases[i].kind);
		struct np_outcome outcome = { .huge_share = 1 };
		struct np_facts facts = { .list = NULL };
		struct np_error error = { .code = 0 };

		np_facts_from_text(&facts, cases[i].facts);
		assert_int_equal(np_outcome_unpack(&command, &facts, &outcome, &error),
				 cases[i].refusal != NULL ? -EPROTO : 0);
		assert_names(error.text, cases[i].refusal);
		np_facts_free(&facts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_order),
		cmocka_unit_test(check_registered_memory_is_not_closed),
		cmocka_unit_test(check_kinds),
		cmocka_unit_test(check_numbers_of_blocks),
		cmocka_unit_test(check_numbers_of_maps),
		cmocka_unit_test(check_lengths),
		cmocka_unit_test(check_guards),
		cmocka_unit_test(check_counts_of_the_peer),
		cmocka_unit_test(check_outcomes_of_the_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
