/*
 * test_watch.c - the watcher hears what a transport tells beside the messages.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "boot/channel.h"
#include "base/clock.h"
#include "boot/reply.h"
#include "socket_pair.h"
#include "endpoint/watch.h"

/* A transport that tells numbers: 1 is harmless, others end the run. */
struct teller {
	struct np_endpoint np;
	int fd;
	bool drains;
	atomic_uint heard;
};

static int event_fd(struct np_endpoint *endpoint)
{
	return ((struct teller *)endpoint)->fd;
}

static int event(struct np_endpoint *endpoint, struct np_error *error)
{
	struct teller *teller = (struct teller *)endpoint;
	uint64_t number = 1;

	if (teller->drains && read(teller->fd, &number, sizeof(number)) != sizeof(number))
		return np_fail_errno(error, errno, "cannot hear what there is");
	atomic_fetch_add(&teller->heard, 1);
	if (number == 7)
		return -EIO;
	return number == 1 ? 0 :
			     np_fail(error, NP_ERROR_FAILED, ENETDOWN,
				     "event %d: the port is down", (int)number);
}

static const struct np_device_hooks device = { .event_fd = event_fd, .event = event };
static const struct np_module module = { .name = "teller", .device = &device };

/* A watcher, the peer's end of its socket, and what it listens to. */
struct watched {
	struct np_boot boot;
	struct np_watch watch;
	struct teller teller;
	int peer, control;
};

static int begin_with(void **state, bool related)
{
	struct np_error error = { 0 };
	int watch[2], control[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, watch) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, control) != 0)
		return -1;
	struct watched *it = calloc(1, sizeof(*it));
	if (it == NULL)
		return -1;
	np_boot_init(&it->boot, 0);
	it->boot.related = related;
	it->boot.heartbeat = watch[0];
	it->peer = watch[1];
	it->boot.control = control[0];
	it->control = control[1];
	it->teller.np.module = &module;
	it->teller.drains = true;
	it->teller.fd = eventfd(0, EFD_CLOEXEC);
	it->watch.boot = &it->boot;
	it->watch.signals = np_watch_signals(&error);
	*state = it;
	return np_watch_begin(&it->watch, &error);
}

static int begin(void **state)
{
	return begin_with(state, true);
}

static int begin_with_stranger(void **state)
{
	return begin_with(state, false);
}

static int end(void **state)
{
	struct watched *it = *state;
	const struct np_error peace = { .code = 0 };

	np_watch_end(&it->watch, &peace);
	close(it->boot.heartbeat);
	close(it->boot.control);
	close(it->peer);
	close(it->control);
	close(it->watch.signals);
	close_end(&it->teller.fd);
	free(it);
	return 0;
}

static void listen_to(struct watched *it)
{
	np_watch_endpoint(&it->watch, &it->teller.np);
	np_watch_events(&it->watch, device.event_fd(&it->teller.np));
}

static void tell(const struct watched *it, uint64_t number)
{
	assert_int_equal(write(it->teller.fd, &number, sizeof(number)), sizeof(number));
}

/* Until that many events were heard; what never comes is a failure. */
static void wait_for(struct watched *it, unsigned heard)
{
	for (unsigned ms = 0; atomic_load(&it->teller.heard) < heard; ms++) {
		assert_true(ms < PATIENCE_MS);
		usleep(1000);
	}
}

static void wait_for_stop(struct watched *it, struct np_error *why)
{
	for (unsigned ms = 0; !np_watch_stopped(&it->watch, why); ms++) {
		assert_true(ms < PATIENCE_MS);
		usleep(1000);
	}
}

static void check_harmless(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };

	listen_to(it);
	for (unsigned i = 1; i <= 5; i++) {
		tell(it, 1);
		wait_for(it, i);
	}
	assert_false(np_watch_stopped(&it->watch, &why));
	assert_int_equal(why.code, 0);
}

/* What the peer hears at the end, past the heartbeats. */
static void assert_goodbye(const struct watched *it, const char *text)
{
	struct np_error error = { 0 };
	struct np_frame frame;

	do {
		assert_int_equal(
			np_frame_receive(it->peer, &frame, np_deadline_in(PATIENCE_MS)), 0);
		if (frame.kind != NP_FRAME_GOODBYE)
			free(frame.payload);
	} while (frame.kind != NP_FRAME_GOODBYE);
	assert_true(np_reply_read(&frame, NULL, &error) < 0);
	assert_string_equal(error.text, text);
	assert_int_equal(error.kind, NP_ERROR_PEER);
	free(frame.payload);
}

static void check_end_of_run(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };

	listen_to(it);
	tell(it, 12);
	wait_for_stop(it, &why);
	assert_int_equal(why.code, -ENETDOWN);
	assert_int_equal(why.kind, NP_ERROR_FAILED);
	assert_string_equal(why.text, "event 12: the port is down");
	assert_goodbye(it, "at the peer: event 12: the port is down");
}

/* A module that gives no reason has one made for it. */
static void check_without_words(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };

	listen_to(it);
	tell(it, 7);
	wait_for_stop(it, &why);
	assert_int_equal(why.code, -EIO);
	assert_true(strlen(why.text) > 0);
}

/* Once the endpoint is taken back nobody asks it any more. */
static void check_closed(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };

	listen_to(it);
	tell(it, 1);
	wait_for(it, 1);
	np_watch_endpoint(&it->watch, NULL);
	tell(it, 12);
	usleep(700000); /* longer than a beat */
	assert_int_equal(atomic_load(&it->teller.heard), 1);
	assert_false(np_watch_stopped(&it->watch, &why));
	/* The next endpoint is heard again; no event is the other's. */
	listen_to(it);
	wait_for_stop(it, &why);
	assert_string_equal(why.text, "event 12: the port is down");
}

/* Ready for ever, with nothing to read: told once, not in a circle. */
static void check_broken(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	close_end(&it->teller.fd);
	close(ends[1]);
	it->teller.fd = ends[0];
	it->teller.drains = false;
	listen_to(it);
	wait_for(it, 1);
	usleep(100000);
	assert_int_equal(atomic_load(&it->teller.heard), 1);
	assert_false(np_watch_stopped(&it->watch, &why));
}

static void check_none(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };

	np_watch_endpoint(&it->watch, &it->teller.np);
	np_watch_events(&it->watch, -1);
	tell(it, 12);
	usleep(700000);
	assert_int_equal(atomic_load(&it->teller.heard), 0);
	assert_false(np_watch_stopped(&it->watch, &why));
}

static void answer(const struct watched *it, uint64_t starved_ns)
{
	unsigned char payload[8];

	np_put_u64(payload, starved_ns);
	assert_int_equal(
		np_frame_send(it->peer, NP_FRAME_HEARTBEAT, payload, sizeof(payload)), 0);
}

/* Hears so many beats, and answers each: for so long the peer has starved. */
static void hear_beats(const struct watched *it, unsigned count, uint64_t starved_ns)
{
	struct np_frame frame;

	for (unsigned beat = 0; beat < count; beat++) {
		assert_int_equal(
			np_frame_receive(it->peer, &frame, np_deadline_in(PATIENCE_MS)), 0);
		assert_int_equal(frame.kind, NP_FRAME_HEARTBEAT);
		assert_int_equal(frame.length, 8);
		free(frame.payload);
		answer(it, starved_ns);
	}
}

/* Each beat tells for how long an end has starved: while the peer gets no
 * processor, a message that is late is not lost. */
static void check_starved(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };

	atomic_store(&it->watch.block_deadline, np_clock_ns() + 4000000000u);
	hear_beats(it, 3, 0);
	hear_beats(it, 10, (uint64_t)1 << 62);
	assert_false(np_watch_stopped(&it->watch, &why));
	/* Another block, and it starves no more. */
	atomic_store(&it->watch.block_deadline, 1);
	wait_for_stop(it, &why);
	assert_int_equal(why.code, -ETIMEDOUT);
	assert_non_null(strstr(why.text, "message lost"));
}

/* Answers heartbeats until the watcher ends the run: a peer that lives. */
static void live_until_stop(struct watched *it, struct np_error *why)
{
	for (unsigned beat = 0; !np_watch_stopped(&it->watch, why); beat++) {
		assert_true(beat < PATIENCE_MS / NP_HEARTBEAT_MS);
		answer(it, 0);
		usleep(NP_HEARTBEAT_MS * 1000);
	}
}

static void *await_reply(void *context)
{
	struct np_error error = { .code = 0 };
	struct watched *it = context;
	struct np_frame frame;

	it->boot.began_ns = np_clock_ns();
	np_boot_receive(&it->boot, NP_FRAME_REPLY, &frame, &error);
	return NULL;
}

/* A peer that lives and does not answer: the wait is bounded by the command. */
static void check_silence(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };
	pthread_t waiting;
	const uint64_t begun = np_clock_ns();

	assert_int_equal(pthread_create(&waiting, NULL, await_reply, it), 0);
	live_until_stop(it, &why);
	pthread_join(waiting, NULL);
	assert_int_equal(why.kind, NP_ERROR_PEER);
	assert_string_equal(why.text, "no answer arrives although the peer is alive");
	assert_in_range(np_clock_ns() - begun, 5000000000u, 9500000000u);
}

/* While the peer gets no processor its answer is not overdue. */
static void check_starving(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };

	hear_beats(it, 1, 0);
	atomic_store(&it->boot.excused_beats, 100);
	atomic_store(&it->boot.answer_beats, 3);
	for (uint64_t beat = 1; beat <= 6; beat++)
		hear_beats(it, 1, beat * NP_HEARTBEAT_MS * 1000000u);
	assert_false(np_watch_stopped(&it->watch, &why));
	live_until_stop(it, &why);
	assert_string_equal(why.text, "no answer arrives although the peer is alive");
}

/* Claims of a peer that has proved nothing extend no wait for its plan, and a block by
 * little. */
static void check_claims(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };
	uint64_t claimed_ns = 0;

	assert_int_equal(np_boot_excuse_s(&it->boot), NP_EXCUSE_S);
	atomic_store(&it->boot.answer_beats, 3);
	for (unsigned beat = 0; !np_watch_stopped(&it->watch, &why); beat++) {
		assert_true(beat < NP_EXCUSE_TRUSTED_S);
		answer(it, claimed_ns += 1000000000000u);
		usleep(NP_HEARTBEAT_MS * 1000);
	}
	assert_string_equal(why.text, "no answer arrives although the peer is alive");
}

static void check_claims_of_block(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };
	uint64_t claimed_ns = 0;

	hear_beats(it, 1, 0);
	atomic_store(&it->watch.block_deadline, np_clock_ns());
	for (unsigned beat = 0; !np_watch_stopped(&it->watch, &why); beat++) {
		assert_true(beat < NP_EXCUSE_TRUSTED_S);
		answer(it, claimed_ns += 1000000000000u);
		usleep(NP_HEARTBEAT_MS * 1000);
	}
	assert_non_null(strstr(why.text, "message lost"));
}

static void *agree(void *context)
{
	struct np_error error = { .code = 0 }, outcome = { .code = 0 };
	struct watched *it = context;

	it->boot.began_ns = np_clock_ns();
	np_boot_agree(&it->boot, &outcome, &error);
	return NULL;
}

/* Exchanges that a peer sends in the place of its outcome do not begin the wait anew. */
static void check_exchanges_without_end(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };
	pthread_t agreeing;

	assert_int_equal(pthread_create(&agreeing, NULL, agree, it), 0);
	for (unsigned beat = 0; !np_watch_stopped(&it->watch, &why); beat++) {
		assert_true(beat < PATIENCE_MS / NP_HEARTBEAT_MS);
		np_frame_send(it->control, NP_FRAME_EXCHANGE, NULL, 0);
		answer(it, 0);
		usleep(NP_HEARTBEAT_MS * 1000);
	}
	pthread_join(agreeing, NULL);
	assert_string_equal(why.text, "no answer arrives although the peer is alive");
}

/* One that is stopped is not said to be alive. */
static void check_stopped(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };
	pthread_t waiting;

	assert_int_equal(pthread_create(&waiting, NULL, await_reply, it), 0);
	wait_for_stop(it, &why);
	pthread_join(waiting, NULL);
	assert_int_equal(why.code, -EHOSTDOWN);
	assert_string_equal(why.text, "the peer has not answered for 5 s");
}

/* Waits for the peer's reason do not add up: only the first of two callers sleeps. */
static void check_one_grace(void **state)
{
	struct watched *it = *state;
	struct np_error why = { .kind = NP_ERROR_PEER, .code = -ECONNRESET };
	struct rusage before, after;

	assert_false(np_watch_stopped(&it->watch, &why));
	assert_int_equal(getrusage(RUSAGE_THREAD, &before), 0);
	assert_false(np_watch_stopped(&it->watch, &why));
	assert_int_equal(getrusage(RUSAGE_THREAD, &after), 0);
	assert_true(after.ru_nvcsw - before.ru_nvcsw < 10);
}

static void say_goodbye(const struct watched *it)
{
	const struct np_error peace = { .code = 0 };

	assert_int_equal(np_reply_send(it->peer, NP_FRAME_GOODBYE, &peace, NULL), 0);
}

static void check_early_goodbye(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };

	say_goodbye(it);
	wait_for_stop(it, &why);
	assert_int_equal(why.kind, NP_ERROR_PEER);
	assert_string_equal(why.text, "the peer ended before the run was over");
}

static void check_goodbye_at_the_end(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };

	atomic_store(&it->watch.ending, true);
	say_goodbye(it);
	usleep(700000);
	assert_false(np_watch_stopped(&it->watch, &why));
}

static void check_other_frames(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };

	assert_int_equal(np_frame_send(it->peer, NP_FRAME_COMMAND, NULL, 0), 0);
	wait_for_stop(it, &why);
	assert_non_null(strstr(why.text, "unknown message"));
}

static void check_run_time(void **state)
{
	struct watched *it = *state;
	struct np_error why = { 0 };

	np_watch_limit(&it->watch, 1);
	live_until_stop(it, &why);
	assert_int_equal(why.kind, NP_ERROR_FAILED);
	assert_string_equal(why.text, "the run takes longer than 1 s: --max-run-time");
}

#define WATCHED(test)  cmocka_unit_test_setup_teardown(test, begin, end)
#define STRANGER(test) cmocka_unit_test_setup_teardown(test, begin_with_stranger, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WATCHED(check_harmless),
		WATCHED(check_end_of_run),
		WATCHED(check_without_words),
		WATCHED(check_closed),
		WATCHED(check_broken),
		WATCHED(check_none),
		WATCHED(check_starved),
		WATCHED(check_silence),
		WATCHED(check_starving),
		WATCHED(check_stopped),
		WATCHED(check_one_grace),
		WATCHED(check_early_goodbye),
		WATCHED(check_goodbye_at_the_end),
		WATCHED(check_other_frames),
		WATCHED(check_run_time),
		STRANGER(check_claims),
		STRANGER(check_claims_of_block),
		WATCHED(check_exchanges_without_end),
	};

	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
