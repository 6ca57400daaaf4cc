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
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/channel.h"
#include "boot/reply.h"
#include "endpoint/process.h"
#include "laid_out.h"

enum { CAPACITY = 64, MOST = 1 << 20 };

static const struct np_module plain = { .name = "plain",
					.endpoint_size = sizeof(struct np_endpoint) };

struct rig {
	struct np_options options;
	struct np_boot boot;
	struct np_process process;
	const void *variant_options[4];
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

/* The length that note_connect() and note_reg() fail for. */
enum { UNCONNECTABLE = 1111, UNREGISTRABLE = 2222 };

static int note_connect(struct np_endpoint *endpoint)
{
	((struct noted *)endpoint)->connected++;
	endpoint->longest = *(const size_t *)endpoint->options;
	return endpoint->longest != UNCONNECTABLE ?
		       0 :
		       np_refuse(&endpoint->error, "no way to the peer");
}

static int note_reg(struct np_endpoint *endpoint, struct np_region *region)
{
	(void)region;
	((struct noted *)endpoint)->registered++;
	return endpoint->longest != UNREGISTRABLE ?
		       0 :
		       np_fail(&endpoint->error, NP_ERROR_FAILED, ENOMEM, "memlock");
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

static void note_unreg(struct np_endpoint *endpoint, struct np_region *region)
{
	(void)region;
	assert_false(((struct noted *)endpoint)->closed);
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
					 .unreg = note_unreg,
					 .arm = note_arm,
					 .close = note_close,
					 .describe = note_facts };

/* What the peer says of one endpoint after the other; it is this process that reads it. */
static void answer(struct rig *rig, int peer, const char *failure)
{
	struct np_error outcome = { .code = 0 };

	if (failure != NULL)
		np_refuse(&outcome, "%s", failure);
	assert_int_equal(np_reply_send(peer, NP_FRAME_REPLY, &outcome, NULL), 0);
	rig->error = (struct np_error){ .code = 0 };
}

static int connect_pair(struct rig *rig)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	rig->boot.control = ends[0];
	return ends[1];
}

/* Four variants, whose option is the longest message.  Returns the peer's end. */
static int set_up_variants(struct rig *rig, struct np_watch *watch, const size_t longest[4])
{
	set_up(rig);
	for (size_t i = 0; i < 4; i++)
		rig->variant_options[i] = &longest[i];
	rig->process.module = &noting;
	rig->process.watch = watch;
	rig->process.variant_options = rig->variant_options;
	rig->process.request = (struct np_request){ .variants = { "a", "b", "c", "d" },
						    .variant_count = 4 };
	assert_int_equal(np_process_prepare(&rig->process, CAPACITY, &rig->error), 0);
	return connect_pair(rig);
}

/* One that cannot connect here, one that cannot at the peer, one that cannot register. */
static void check_left_out(void **state)
{
	static const size_t longest[] = { 8192, UNCONNECTABLE, 16, UNREGISTRABLE };
	struct np_watch watch = { .running = false };
	struct np_facts facts = { .list = NULL };
	struct rig rig;

	(void)state;
	const int peer = set_up_variants(&rig, &watch, longest);

	answer(&rig, peer, NULL);
	/* The peer was in an exchange of the second when this process failed. */
	assert_int_equal(np_frame_send(peer, NP_FRAME_EXCHANGE, "mine", 4), 0);
	answer(&rig, peer, NULL);
	answer(&rig, peer, "no such device");
	answer(&rig, peer, NULL);
	assert_int_equal(np_process_open(&rig.process, &rig.error), 0);
	assert_true(np_process_holds(&rig.process, 0));
	assert_string_equal(rig.process.left_out[1].text, "no way to the peer");
	assert_string_equal(rig.process.left_out[2].text, "at the peer: no such device");
	assert_int_equal(np_process_longest(&rig.process), UNREGISTRABLE);
	answer(&rig, peer, NULL);
	answer(&rig, peer, NULL);
	assert_int_equal(np_process_map(&rig.process, MOST / 4, 1, &rig.error), 0);
	assert_string_equal(rig.process.left_out[3].text, "memlock");
	np_process_describe(&rig.process, &facts);
	assert_string_equal(np_facts_find(&facts, "d.left_out"), "memlock");
	np_facts_free(&facts);
	assert_int_equal(np_process_arm(&rig.process, 64, 0, false, &rig.error), 0);
	np_process_disarm(&rig.process);
	np_process_unmap(&rig.process);
	np_process_close(&rig.process);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(((struct noted *)rig.process.endpoints[i])->closed, 1);
	/* Again, and they are not tried. */
	answer(&rig, peer, NULL);
	assert_int_equal(np_process_open(&rig.process, &rig.error), 0);
	np_process_finish(&rig.process);
	np_boot_close(&rig.boot);
	close(peer);
}

/* Lets this process have so many descriptors.  Returns how many it could have before. */
static rlim_t allow_descriptors(rlim_t most)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	const rlim_t before = limit.rlim_cur;
	limit.rlim_cur = most;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return before;
}

/* A descriptor for the first endpoint only, then for none: what was not opened is not
 * closed. */
static void check_without_descriptors(void **state)
{
	static const size_t longest[] = { 8192, 8192, 8192, 8192 };
	struct np_watch watch = { .running = false };
	struct rig rig;

	(void)state;
	const int peer = set_up_variants(&rig, &watch, longest);
	const int lowest = dup(peer);

	assert_true(lowest >= 0);
	close(lowest);
	for (size_t i = 0; i < 5; i++)
		answer(&rig, peer, NULL);
	const rlim_t before = allow_descriptors((rlim_t)lowest + 1);
	const int rc = np_process_open(&rig.process, &rig.error);
	np_process_close(&rig.process);
	allow_descriptors((rlim_t)lowest);
	const int again = np_process_open(&rig.process, &rig.error);
	allow_descriptors(before);
	assert_int_equal(rc, 0);
	for (size_t i = 1; i < 4; i++) {
		assert_non_null(strstr(rig.process.left_out[i].text, "an eventfd"));
		assert_int_equal(((struct noted *)rig.process.endpoints[i])->closed, 0);
	}
	assert_int_equal(again, -EMFILE);
	np_process_close(&rig.process);
	assert_int_equal(((struct noted *)rig.process.endpoints[0])->closed, 0);
	np_process_finish(&rig.process);
	np_boot_close(&rig.boot);
	close(peer);
}

static void check_without_base(void **state)
{
	static const size_t longest[] = { UNCONNECTABLE, 8192, 8192, 8192 };
	struct np_watch watch = { .running = false };
	struct rig rig;

	(void)state;
	const int peer = set_up_variants(&rig, &watch, longest);

	answer(&rig, peer, NULL);
	assert_int_equal(np_process_open(&rig.process, &rig.error), -EINVAL);
	assert_string_equal(rig.error.text, "no way to the peer (variant a)");
	np_process_finish(&rig.process);
	np_boot_close(&rig.boot);
	close(peer);
}

static void check_variants(void **state)
{
	static const size_t longest[] = { 8192, 0, 4096, 4096 };
	struct np_watch watch = { .running = false };
	struct np_facts facts = { .list = NULL };
	struct rig rig;

	(void)state;
	const int peer = set_up_variants(&rig, &watch, longest);

	for (size_t i = 0; i < 8; i++)
		answer(&rig, peer, NULL);
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
	for (size_t i = 4; i-- > 0;) {
		assert_int_equal(np_process_arm(&rig.process, 64, i, false, &rig.error), 0);
		assert_ptr_equal(rig.process.endpoint->options, &longest[i]);
		np_process_disarm(&rig.process);
	}
	np_process_unmap(&rig.process);
	np_process_close(&rig.process);
	for (size_t i = 0; i < 4; i++) {
		const struct noted *noted = (const struct noted *)rig.process.endpoints[i];

		assert_int_equal(noted->connected, 1);
		assert_int_equal(noted->registered, 1);
		assert_int_equal(noted->armed, 1);
		assert_int_equal(noted->closed, 1);
	}
	np_process_finish(&rig.process);
	np_boot_close(&rig.boot);
	close(peer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_sum),
		cmocka_unit_test(check_table),
		cmocka_unit_test(check_variants),
		cmocka_unit_test(check_left_out),
		cmocka_unit_test(check_without_base),
		cmocka_unit_test(check_without_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
