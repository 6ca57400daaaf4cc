/*
 * watch.c - watcher thread: heartbeats, signals, asynchronous events, block timeout.
 */
#include "endpoint/watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/child.h"
#include "boot/frame.h"
#include "boot/reply.h"

static void fill_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	/* CPU limit, warning of a batch system, alarm(2) of the parent: measurements until
	 * then are valid. */
	sigaddset(set, SIGXCPU);
	sigaddset(set, SIGUSR1);
	sigaddset(set, SIGALRM);
}

void np_watch_block_signals(bool block)
{
	sigset_t set;

	fill_set(&set);
	pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

void np_watch_allow_alarm(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void np_watch_default_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

int np_watch_signals(struct np_error *error)
{
	sigset_t set;

	fill_set(&set);
	if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0)
		return np_fail_errno(error, errno, "cannot block signals");
	const int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd >= 0 ? fd : np_fail_errno(error, errno, "cannot wait for signals");
}

void np_watch_read_signal(int signals, struct np_error *error)
{
	struct signalfd_siginfo info = { .ssi_signo = SIGTERM };
	const ssize_t length = read(signals, &info, sizeof(info));

	if (length != (ssize_t)sizeof(info))
		info.ssi_signo = SIGTERM;
	np_fail(error, (enum np_error_kind)(128 + (int)info.ssi_signo), EINTR,
		"stopped by SIG%s", sigabbrev_np((int)info.ssi_signo));
}

enum {
	HEARTBEATS_LATE = 2, /* a peer that misses more of them is not counted as alive */
	HEARTBEATS_MISSED = 10, /* 5 s without a heartbeat */
	STOPPING_MS = 100,	/* between calls of interrupt() */
	STOPPING_ROUNDS = 30,	/* 3 s for the main thread to return */
	FRAME_TIMEOUT_MS = 1000,
	HEARTBEAT_LENGTH = 8,
	SIGNAL_GRACE_MS = 200, /* for a signal that went to both processes */
	REASON_GRACE_MS = 500, /* for the watcher to receive the peer's reason */
	EMERGENCY_SECONDS = 5,
	SPEAKER_MS = 2000 /* for rank 0 to print the reason and exit */
};

/* Keeps the first reason: later ones are its consequences. */
static void stop_run(struct np_watch *watch, const struct np_error *why)
{
	pthread_mutex_lock(&watch->lock);
	if (watch->why.code == 0)
		watch->why = *why;
	pthread_mutex_unlock(&watch->lock);
	atomic_store(&watch->stop, true);
}

static void read_signal(struct np_watch *watch)
{
	struct np_error why = { .code = 0 };

	np_watch_read_signal(watch->signals, &why);
	stop_run(watch, &why);
}

/* A signal from the terminal or the launcher reaches both processes, and the peer's message
 * may arrive first: the reason is the signal. */
static void stop_run_at_goodbye(struct np_watch *watch, const struct np_error *why)
{
	struct pollfd wait = { .fd = watch->signals, .events = POLLIN };

	if (poll(&wait, 1, SIGNAL_GRACE_MS) > 0)
		read_signal(watch);
	stop_run(watch, why);
}

static void stop_run_for_peer(struct np_watch *watch, int code, const char *text)
{
	struct np_error why = { .code = 0 };

	np_fail(&why, NP_ERROR_PEER, code, "%s", text);
	stop_run(watch, &why);
}

/* Reads one message of the peer. Returns false after its regular end: nothing is left to
 * watch. */
static bool read_peer(struct np_watch *watch)
{
	struct np_error why = { .code = 0 };
	struct np_frame frame;
	const int rc = np_frame_receive(watch->boot->heartbeat, &frame,
					np_deadline_in(FRAME_TIMEOUT_MS));

	if (rc != 0) {
		np_fail(&why, NP_ERROR_PEER, rc, "connection to the peer lost");
		stop_run_at_goodbye(watch, &why);
		return true;
	}
	bool watching = true;
	if (frame.kind == NP_FRAME_HEARTBEAT && frame.length == HEARTBEAT_LENGTH) {
		watch->peer_starved_ns = np_get_u64(frame.payload);
	} else if (frame.kind != NP_FRAME_GOODBYE) {
		np_boot_lost(-EPROTO, &why);
		stop_run(watch, &why);
	} else if (np_reply_read(&frame, NULL, &why) != 0) {
		stop_run_at_goodbye(watch, &why);
	} else if (!atomic_load(&watch->ending)) {
		stop_run_for_peer(watch, ECONNRESET,
				  "the peer ended before the run was over");
	} else {
		watching = false;
	}
	free(frame.payload);
	return watching;
}

/* Bytes of a message that fits every path of IPv6 with its headers (RFC 8200: 1280). */
enum { FITS_EVERY_PATH = 1200 };

void np_watch_name_size(struct np_watch *watch, struct np_error *error)
{
	const size_t length = atomic_load(&watch->block_length);
	const size_t arrived = atomic_load(&watch->arrived);
	const size_t used = strlen(error->text);
	char before[64] = "";

	if (error->code != -ETIMEDOUT || length <= FITS_EVERY_PATH || arrived >= length)
		return;
	if (arrived != 0)
		snprintf(before, sizeof(before), "messages of %zu B arrived, ", arrived);
	snprintf(error->text + used, sizeof(error->text) - used,
		 "; %snone of %zu B: if the path drops long packets, lower the MTU of both "
		 "hosts (ping -M do -s finds it)",
		 before, length);
}

static void check_deadline(struct np_watch *watch, uint64_t starved_ns)
{
	const uint64_t starved[2] = { starved_ns, watch->peer_starved_ns };
	struct np_error why = { .code = 0 };

	if (!np_block_timeout_is_over(&watch->timeout, atomic_load(&watch->block_deadline),
				      np_clock_ns(), starved))
		return;
	np_fail(&why, NP_ERROR_PEER, ETIMEDOUT,
		"message lost: none arrives although the peer is alive");
	np_watch_name_size(watch, &why);
	stop_run(watch, &why);
}

/* Returns true if the peer waited for a processor for at least half of the last heartbeat
 * interval. */
static bool starved_since(struct np_watch *watch)
{
	const uint64_t before_ns = watch->peer_starved_before_ns;

	watch->peer_starved_before_ns = watch->peer_starved_ns;
	/* Compared as a difference: a sum with the peer's value could overflow. */
	return watch->peer_starved_ns > before_ns &&
	       watch->peer_starved_ns - before_ns >= NP_HEARTBEAT_MS * 1000000ull / 2;
}

/* Counts down to the deadline of the peer's answer: a process may be alive and silent.
 * Heartbeats in which the peer gets no processor do not count, as far as it is excused. */
static void check_answer(struct np_watch *watch)
{
	_Atomic unsigned *beats = &watch->boot->answer_beats;
	_Atomic unsigned *excused = &watch->boot->excused_beats;
	unsigned left = atomic_load(beats), may = atomic_load(excused);
	const bool starved = starved_since(watch);

	if (left != 0 && starved && may != 0 &&
	    atomic_compare_exchange_strong(excused, &may, may - 1))
		return;
	/* Compare and exchange: the main thread may have received the answer, and await
	 * another. */
	if (left != 0 && atomic_compare_exchange_strong(beats, &left, left - 1) &&
	    left == 1)
		stop_run_for_peer(watch, ETIMEDOUT,
				  "no answer arrives although the peer is alive");
}

static void check_run_time(struct np_watch *watch)
{
	const uint64_t limit = atomic_load(&watch->run_limit_ns);
	struct np_error why = { .code = 0 };

	if (limit == 0 || np_clock_ns() - watch->began_ns < limit)
		return;
	/* At rank 1 the peer is at fault: the client decides how long a run takes. */
	np_fail(&why, watch->boot->rank == 0 ? NP_ERROR_FAILED : NP_ERROR_PEER, ETIMEDOUT,
		"the run takes longer than %.4g s: --max-run-time", (double)limit * 1e-9);
	stop_run(watch, &why);
}

/* Every NP_HEARTBEAT_MS: sends a heartbeat and checks all timeouts. */
static void send_heartbeat(struct np_watch *watch, bool peer, unsigned *missed)
{
	const uint64_t starved_ns = np_starved_ns(watch->schedstat);
	unsigned char payload[HEARTBEAT_LENGTH];

	np_put_u64(payload, starved_ns);
	/* A failed send is noticed as a closed socket by the reader. */
	if (peer)
		np_frame_send(watch->boot->heartbeat, NP_FRAME_HEARTBEAT, payload,
			      sizeof(payload));
	/* Counts own heartbeats, not time: a process that was itself stopped or starved
	 * must not declare the peer stalled. */
	if (peer && ++*missed > HEARTBEATS_MISSED)
		stop_run_for_peer(watch, EHOSTDOWN, "the peer has not answered for 5 s");
	/* While the peer sends no heartbeat, a late message is not lost and no answer is
	 * due. */
	if (!peer || *missed <= HEARTBEATS_LATE) {
		check_deadline(watch, starved_ns);
		check_answer(watch);
	}
	check_run_time(watch);
}

static int event_fd(struct np_watch *watch)
{
	pthread_mutex_lock(&watch->lock);
	const int fd = watch->events;
	pthread_mutex_unlock(&watch->lock);
	return fd;
}

/* Calls the module's event().  The endpoint may have been closed since the poll, or
 * another opened: under the lock the current descriptor is polled again. */
static void handle_event(struct np_watch *watch)
{
	struct np_error why = { .code = 0 };
	int rc = 0;

	pthread_mutex_lock(&watch->lock);
	struct pollfd wait = { .fd = watch->events, .events = POLLIN };
	if (watch->endpoint != NULL && poll(&wait, 1, 0) > 0) {
		rc = watch->endpoint->module->device->event(watch->endpoint, &why);
		/* An invalid descriptor would be reported for ever. */
		if ((wait.revents & POLLIN) == 0)
			watch->events = -1;
	}
	pthread_mutex_unlock(&watch->lock);
	if (rc == 0)
		return;
	if (why.code == 0)
		np_fail_errno(&why, rc, "the transport reports an error");
	stop_run(watch, &why);
}

/* Watches until the run has to stop (returns true) or the main thread ends the watcher
 * (returns false). */
static bool watch_run(struct np_watch *watch)
{
	unsigned missed = 0;
	uint64_t next_heartbeat = np_clock_ns();
	bool peer = true;

	while (!atomic_load(&watch->stop)) {
		struct pollfd wait[4] = {
			{ .fd = watch->wake, .events = POLLIN },
			{ .fd = watch->signals, .events = POLLIN },
			{ .fd = peer ? watch->boot->heartbeat : -1, .events = POLLIN },
			{ .fd = event_fd(watch), .events = POLLIN },
		};
		const uint64_t now = np_clock_ns();

		if (now >= next_heartbeat) {
			send_heartbeat(watch, peer, &missed);
			next_heartbeat = now + NP_HEARTBEAT_MS * 1000000ull;
		}
		if (poll(wait, 4, (int)((next_heartbeat - now) / 1000000) + 1) <= 0)
			continue;
		if (wait[1].revents != 0)
			read_signal(watch);
		/* First the transport's event: the peer's message is a consequence. */
		if (wait[3].revents != 0)
			handle_event(watch);
		if (wait[2].revents != 0) {
			peer = read_peer(watch);
			missed = 0;
		}
		/* Last: the main thread may have returned because of the peer's message. */
		if (wait[0].revents != 0)
			return atomic_load(&watch->stop);
	}
	return true;
}

static void interrupt_main(struct np_watch *watch)
{
	pthread_mutex_lock(&watch->lock);
	if (watch->endpoint != NULL)
		np_interrupt(watch->endpoint);
	pthread_mutex_unlock(&watch->lock);
	shutdown(watch->boot->control, SHUT_RDWR);
}

/* A launcher kills all processes as soon as one exits: wait until rank 0 has printed the
 * reason. */
static void wait_for_speaker(const struct np_boot *boot)
{
	struct pollfd wait = { .fd = boot->heartbeat, .events = POLLRDHUP };

	if (boot->rank != 0 && boot->heartbeat >= 0)
		poll(&wait, 1, SPEAKER_MS);
}

static void *watcher(void *context)
{
	struct np_watch *watch = context;

	if (!watch_run(watch))
		return NULL;
	/* Notify the peer first: it may wait for a message that never comes. */
	np_reply_send(watch->boot->heartbeat, NP_FRAME_GOODBYE, &watch->why, NULL);
	for (unsigned round = 0; round < STOPPING_ROUNDS; round++) {
		struct pollfd wait = { .fd = watch->wake, .events = POLLIN };

		interrupt_main(watch);
		if (poll(&wait, 1, STOPPING_MS) > 0)
			return NULL;
	}
	/* The main thread may hold the lock of a stdio stream. */
	np_watch_allow_alarm();
	alarm(EMERGENCY_SECONDS);
	if (watch->emergency != NULL)
		watch->emergency(watch->context, &watch->why);
	/* A rank 0 that has stopped prints nothing. */
	if (watch->why.code != -EHOSTDOWN)
		wait_for_speaker(watch->boot);
	np_drain_output();
	/* The one exit besides main.c: the main thread is in a call that does not
	 * return. */
	_exit((int)watch->why.kind);
}

static void close_schedstat(struct np_watch *watch)
{
	if (watch->schedstat >= 0)
		close(watch->schedstat);
	watch->schedstat = -1;
}

int np_watch_begin(struct np_watch *watch, struct np_error *error)
{
	watch->wake = eventfd(0, EFD_CLOEXEC);
	if (watch->wake < 0)
		return np_fail_errno(error, errno, "cannot start the watcher");
	watch->events = -1;
	watch->began_ns = np_clock_ns();
	watch->timeout =
		(struct np_block_timeout){ .excuse_ns = np_boot_excuse_s(watch->boot) *
							1000000000ull };
	watch->schedstat = np_starved_open();
	pthread_mutex_init(&watch->lock, NULL);
	const int code = pthread_create(&watch->thread, NULL, watcher, watch);
	if (code != 0) {
		close(watch->wake);
		close_schedstat(watch);
		np_fail_errno(error, code,
			      "cannot start the watcher thread (ulimit -u bounds processes "
			      "and threads)");
		np_reply_send(watch->boot->heartbeat, NP_FRAME_GOODBYE, error, NULL);
		return error->code;
	}
	watch->running = true;
	return 0;
}

void np_watch_limit(struct np_watch *watch, double seconds)
{
	atomic_store(&watch->run_limit_ns, (uint64_t)(seconds * 1e9));
}

void np_watch_endpoint(struct np_watch *watch, struct np_endpoint *endpoint)
{
	/* After np_watch_end() the lock is destroyed. */
	if (!watch->running)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->endpoint = endpoint;
	watch->events = -1;
	pthread_mutex_unlock(&watch->lock);
}

void np_watch_events(struct np_watch *watch, int fd)
{
	if (!watch->running)
		return;
	/* The watcher polls it from its next heartbeat on. */
	pthread_mutex_lock(&watch->lock);
	watch->events = fd;
	pthread_mutex_unlock(&watch->lock);
}

bool np_watch_stopped(struct np_watch *watch, struct np_error *error)
{
	const struct timespec interval = { .tv_nsec = 1000000 };

	if (!watch->running)
		return false;
	/* The main thread may notice the loss of the peer before the watcher has
	 * received the reason.  One deadline for all callers that pass an error on. */
	if (watch->reason.at_ns == 0)
		watch->reason = np_deadline_in(REASON_GRACE_MS);
	while ((error->kind == NP_ERROR_PEER || error->code == -ECANCELED) &&
	       !atomic_load(&watch->stop) && !np_deadline_is_over(watch->reason))
		nanosleep(&interval, NULL);
	if (!atomic_load(&watch->stop))
		return false;
	pthread_mutex_lock(&watch->lock);
	*error = watch->why;
	pthread_mutex_unlock(&watch->lock);
	return true;
}

void np_watch_end(struct np_watch *watch, const struct np_error *error)
{
	const uint64_t one = 1;

	if (!watch->running)
		return;
	if (write(watch->wake, &one, sizeof(one)) != (ssize_t)sizeof(one))
		atomic_store(&watch->stop, true);
	pthread_join(watch->thread, NULL);
	if (!atomic_load(&watch->stop))
		np_reply_send(watch->boot->heartbeat, NP_FRAME_GOODBYE, error, NULL);
	close(watch->wake);
	close_schedstat(watch);
	pthread_mutex_destroy(&watch->lock);
	watch->running = false;
}
