/*
 * conform.c - runs what every module is held to over every module of the build.
 *
 *     conform [MODULE]     all modules, or one
 *
 * A module that was left out is skipped with configure's reason, unless the
 * environment's NP_REQUIRE names it: then that is a failure.
 */
#include "conform.h"

#include <stdlib.h>
#include <string.h>

#include "registry.h"
#include "tap.h"

/* What a test needs of the module, beyond its capabilities. */
enum need {
	ALWAYS,
	TWO_SIDED, /* both ends move messages: a copy has no peer to lose */
	OPTIONAL   /* once a module is enough: not with other settings */
};

static const struct test {
	const char *name;
	two_ends_test *run;
	unsigned seconds; /* until it is killed; many times what it takes */
	enum need need;
	unsigned capabilities;
	enum np_operation operation;
	size_t smallest;
} tests[] = {
	{ "ping-pong", conform_pingpong, 120, ALWAYS, 0, NP_PINGPONG, 1 },
	{ "ping-pong at odd offsets", conform_offsets, 60, ALWAYS, 0, NP_PINGPONG, 1 },
	{ "stream", conform_stream, 120, ALWAYS, NP_CAN_STREAM, NP_STREAM, 1 },
	{ "stream with a window of 5", conform_stream_window, 120, ALWAYS,
	  NP_CAN_STREAM | NP_CAN_WINDOW, NP_STREAM, 1 },
	{ "stream, each message acknowledged", conform_acked, 120, ALWAYS, NP_CAN_STREAM,
	  NP_STREAM_ACKED, 1 },
	{ "both directions at once to 16 MiB", conform_bidirectional, 180, ALWAYS,
	  NP_CAN_BIDIRECTIONAL, NP_BIDIRECTIONAL, 1 },
	{ "no bytes, ping-pong", conform_zero_bytes, 60, ALWAYS, NP_CAN_ZERO_BYTES,
	  NP_PINGPONG, 0 },
	{ "no bytes, stream", conform_zero_bytes_stream, 60, ALWAYS,
	  NP_CAN_ZERO_BYTES | NP_CAN_STREAM, NP_STREAM, 0 },
	{ "opened 100 times", conform_reopen, 120, OPTIONAL, NP_CAN_RECONNECT, NP_PINGPONG,
	  1 },
	{ "two endpoints in a process", conform_two_endpoints, 60, ALWAYS, 0, NP_PINGPONG,
	  1 },
	{ "hooks, facts and counters", conform_facts, 60, ALWAYS, 0, NP_PINGPONG, 1 },
	{ "closed after open()", conform_close_after_open, 60, ALWAYS, 0, NP_PINGPONG, 1 },
	{ "unreg() without reg()", conform_unreg_without_reg, 60, ALWAYS, 0, NP_PINGPONG,
	  1 },
	{ "no receiver to connect to", conform_connect_fails_at_0, 60, TWO_SIDED, 0,
	  NP_PINGPONG, 1 },
	{ "no transmitter to connect to", conform_connect_fails_at_1, 60, TWO_SIDED, 0,
	  NP_PINGPONG, 1 },
	{ "the peer dies during recv()", conform_peer_dies, 60, TWO_SIDED, 0, NP_PINGPONG,
	  1 },
	{ "interrupted in recv()", conform_interrupt_recv, 60, TWO_SIDED, 0, NP_PINGPONG,
	  1 },
	{ "interrupted in send()", conform_interrupt_send, 60, TWO_SIDED, NP_CAN_STREAM,
	  NP_STREAM, 1 },
};

/* Settings that choose other code than the default ones do. */
static const struct {
	const char *module, *group;
	const char *const settings[6];
} variants[] = {
	{ "tcp", "tcp, polling", { "receive=poll" } },
	{ "tcp", "tcp, epoll", { "receive=epoll" } },
	{ "tcp", "tcp, small buffers", { "buffer-size=8K", "nagle=yes" } },
	{ "shm", "shm, single copy", { "transfer=single" } },
	{ "shm", "shm, memory copy", { "transfer=memcpy" } },
	{ "shm", "shm, futex", { "wait=futex" } },
	{ "shm", "shm, single copy, futex", { "transfer=single", "wait=futex" } },
	{ "shm", "shm, tiny ring", { "mailbox=0", "chunk=64" } },
	{ "skeleton", "skeleton, small buffer", { "send-buffer=4K" } },
	{ "fault", "fault around skeleton", { "wrap=skeleton" } },
	{ "fault", "fault around tcp", { "wrap=tcp" } },
};

/* NP_REQUIRE is a list of names with commas or blanks between. */
static bool is_required(const char *name)
{
	const char *list = getenv("NP_REQUIRE");
	const size_t length = strlen(name);

	while (list != NULL && *list != '\0') {
		const size_t word = strcspn(list, ", ");

		if (word == length && strncmp(list, name, length) == 0)
			return true;
		list += word + strspn(list + word, ", ");
	}
	return false;
}

static void report_failure(const struct two_ends_note *note)
{
	for (unsigned rank = 0; rank < 2; rank++) {
		const char *text = note->failure[rank].code != 0 ?
					   note->failure[rank].text :
					   "no failure of its own";

		tap_comment("rank %u: %s; %s", rank, note->doing[rank], text);
	}
}

static void run_one(struct tap *tap, const struct subject *subject, const char *group,
		    const struct test *test, struct two_ends_note *note)
{
	enum np_operation operation = test->operation;
	struct np_error refusal = { .code = 0 };

	if ((subject->module->capabilities & test->capabilities) != test->capabilities ||
	    (subject->settings != NULL && test->need == OPTIONAL))
		return;
	if (two_ends_consider(subject, test->smallest, &operation, &refusal) != 0) {
		/* What settings exclude is left out; but not everything. */
		if (subject->settings == NULL && operation == NP_PINGPONG &&
		    is_required(subject->module->name)) {
			tap_result(tap, false, group, test->name);
			tap_comment("required, but: %s", refusal.text);
		} else {
			tap_skip(tap, group, test->name, refusal.text);
		}
		return;
	}
	if (operation != test->operation && test->need == TWO_SIDED)
		return;
	const bool ok = two_ends_run(subject, test->run, test->seconds, note);
	tap_result(tap, ok, group, test->name);
	if (!ok)
		report_failure(note);
}

static void run_all(struct tap *tap, const struct subject *subject, const char *group,
		    struct two_ends_note *note)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		run_one(tap, subject, group, &tests[i], note);
}

static void run_module(struct tap *tap, const struct np_module *module,
		       struct two_ends_note *note)
{
	struct subject subject = { .module = module };
	struct np_error error = { .code = 0 };
	const bool ok = conform_table(module, &error) == 0;

	tap_result(tap, ok, module->name, "its table");
	if (!ok) {
		tap_comment("%s", error.text);
		return;
	}
	run_all(tap, &subject, module->name, note);
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		if (strcmp(variants[i].module, module->name) != 0)
			continue;
		subject.settings = variants[i].settings;
		run_all(tap, &subject, variants[i].group, note);
	}
}

static void report_absent(struct tap *tap, const char *name, const char *reason)
{
	if (!is_required(name)) {
		tap_skip(tap, name, "", reason);
		return;
	}
	tap_result(tap, false, name, "required, but not in this build");
	tap_comment("%s", reason);
}

int main(int argc, char **argv)
{
	struct two_ends_note *note = two_ends_make_note();
	const char *only = argc > 1 ? argv[1] : NULL;
	struct tap tap = { .count = 0 };

	if (note == NULL) {
		puts("Bail out! no memory");
		return 1;
	}
	for (size_t i = 0; np_registry_built[i] != NULL; i++) {
		if (only == NULL || strcmp(only, np_registry_built[i]->name) == 0)
			run_module(&tap, np_registry_built[i], note);
	}
	for (size_t i = 0; np_registry_absent[i].name != NULL; i++) {
		if (only == NULL || strcmp(only, np_registry_absent[i].name) == 0)
			report_absent(&tap, np_registry_absent[i].name,
				      np_registry_absent[i].reason);
	}
	return tap_done(&tap);
}
