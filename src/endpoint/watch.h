/*
 * watch.h - watcher thread: heartbeats, signals, asynchronous events, block timeout.
 *
 * The watcher detects conditions that timed loops must not poll for: a peer that dies or
 * stalls, a signal, a port that goes down, a lost message. The watcher alone uses the
 * heartbeat socket of the control channel. Each process sends a heartbeat every 500 ms; a
 * process that sends ten without receiving any declares the peer stalled (SIGSTOP and a
 * pulled cable look alike). The watcher polls the transport's event descriptor as well. To
 * end a run it sets the stop flag that spinning hooks poll, calls the module's interrupt()
 * for those that block in the kernel, and shuts down the control socket. If the main thread
 * does not return even then, the watcher writes the results and exits.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/error.h"
#include "boot/channel.h"
#include "contract/np_module.h"
#include "endpoint/block_timeout.h"

struct np_watch {
	struct np_boot *boot;
	int signals; /* signalfd of the signals that end a run */
	int wake;    /* eventfd: the main thread ends the watcher */
	/* Writes the results; called in the watcher thread if the main thread does not
	 * return. The process then exits with the kind of the error. */
	void (*emergency)(void *context, const struct np_error *why);
	void *context;

	pthread_t thread;
	bool running;
	atomic_bool stop;
	/* Deadline of the block in progress, monotonic ns; 0: none.  Extended as in
	 * block_timeout.h. */
	_Atomic uint64_t block_deadline;
	struct np_block_timeout timeout;
	/* Message length, bytes: of the block in progress or the last one; longest of a
	 * completed block. */
	_Atomic size_t block_length, arrived;
	/* Time limit of the run in ns from np_watch_begin(); 0: none. */
	_Atomic uint64_t run_limit_ns;
	uint64_t began_ns;
	atomic_bool ending; /* END was sent or received: GOODBYE of the peer is regular */
	/* Deadline of the wait for the peer's reason, from the first error on. */
	struct np_deadline reason;
	int schedstat;			 /* of np_starved_open(), or -1 */
	uint64_t peer_starved_ns;	 /* from the peer's last heartbeat */
	uint64_t peer_starved_before_ns; /* at this process's last heartbeat */

	pthread_mutex_t lock;	      /* protects the members below */
	struct np_endpoint *endpoint; /* whose interrupt() may be called, or NULL */
	int events;		      /* event descriptor of the transport, or -1 */
	struct np_error why;
};

/* Starts the thread, from the main thread of the process.  watch must live until
 * np_watch_end().  Returns 0 or -errno. */
int np_watch_begin(struct np_watch *watch, struct np_error *error);

/* Ends the run `seconds` after np_watch_begin(). */
void np_watch_limit(struct np_watch *watch, double seconds);

/* Sets the endpoint whose interrupt() may be called, or NULL; when it returns, no call
 * for the previous one is in progress. */
void np_watch_endpoint(struct np_watch *watch, struct np_endpoint *endpoint);

/* Polls fd for events of that endpoint's transport and calls its event(); -1: none.
 * Another endpoint, or NULL, ends it. */
void np_watch_events(struct np_watch *watch, int fd);

/* Returns true once the run has to end; *error then becomes the reason, in place of the
 * error that the main thread saw. */
bool np_watch_stopped(struct np_watch *watch, struct np_error *error);

/* Appends to the error of a message that timed out the size from which on none arrives;
 * nothing if longer messages have arrived. */
void np_watch_name_size(struct np_watch *watch, struct np_error *error);

/* Ends the thread and sends the peer the result of this process: success if error->code
 * is 0, else the error.  Does nothing if the thread is not running. */
void np_watch_end(struct np_watch *watch, const struct np_error *error);

/* Blocks the signals that end a run (SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGALRM)
 * in the caller and in threads created later.  Returns a signalfd, or -errno. */
int np_watch_signals(struct np_error *error);

/* Unblocks these signals, or blocks them again: for a wait in which the signalfd is not
 * read. */
void np_watch_block_signals(bool block);

/* Unblocks SIGALRM in the calling thread, for a timer of this process. */
void np_watch_allow_alarm(void);

/* For a child before exec: unblocks all signals and restores SIGPIPE and SIGXFSZ. */
void np_watch_default_signals(void);

/* Reads the signal that arrived at the signalfd into error: text and kind. */
void np_watch_read_signal(int signals, struct np_error *error);
