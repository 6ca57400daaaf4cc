/*
 * watch.h - the thread that notices what the timed loops must not look for: a
 * peer that dies or stalls, a signal, a port that goes down, a message that never
 * comes.
 *
 * It owns the watch socket of the boot channel.  Twice a second each end says
 * that it lives; an end that misses ten of its own beats without a word from
 * the other calls it stalled (SIGSTOP and a pulled cable look alike).  Where the
 * transport tells of events beside the messages, it hears them.  When the
 * run has to end it sets the stop flag that spinning hooks read, calls the
 * module's interrupt() for those blocked in the kernel, and closes the control
 * socket to whoever waits there.  A main thread that does not come back even
 * then is left behind: the watcher writes what was measured, and leaves.
 */
#ifndef NP_WATCH_H
#define NP_WATCH_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "contract/boot.h"
#include "contract/np_module.h"
#include "endpoint/patience.h"

struct np_watch {
	struct np_boot *boot;
	int signals; /* signalfd of the signals that end a run */
	int wake;    /* eventfd: the main thread wants the watcher to end */
	/* Called in the watcher's thread when the main thread is beyond help:
	 * writes what was measured.  The process ends with the exit code that
	 * belongs to the error, after it returns. */
	void (*emergency)(void *context, const struct np_error *why);
	void *context;

	pthread_t thread;
	bool running;
	atomic_bool stop;
	/* Monotonic ns by which the block in progress must be over; 0: none.  See
	 * patience.h for what is not counted. */
	_Atomic uint64_t block_deadline;
	struct np_patience patience;
	int starving;		  /* tells how long the main thread has starved, or -1 */
	uint64_t peer_starved_ns; /* as the peer tells */

	pthread_mutex_t lock;	      /* of all below */
	struct np_endpoint *endpoint; /* that may be interrupted now, or NULL */
	int events;		      /* its descriptor of events, or -1 */
	struct np_error why;
};

/* Blocks SIGINT, SIGTERM and SIGHUP in the caller (and threads made later) and
 * returns a descriptor that they can be read from, or -errno. */
int np_watch_signals(struct np_error *error);

/* Lets these signals end the process as they do by default, or blocks them
 * again: for a wait in which nobody reads that descriptor. */
void np_watch_hold_signals(bool hold);

/* In a child that is about to become another program, which knows nothing of that
 * descriptor: no signal is blocked any more, and SIGPIPE is not ignored. */
void np_watch_default_signals(void);

/* Records which signal arrived at the descriptor: its text and kind. */
void np_watch_read_signal(int signals, struct np_error *error);

/* Starts the thread; the caller is the end's main thread.  watch lives until
 * np_watch_end().  Returns 0 or -errno. */
int np_watch_begin(struct np_watch *watch, struct np_error *error);

/* Names the endpoint whose interrupt() may be called from now on, or NULL; when
 * it returns, no call is in progress for the former one. */
void np_watch_endpoint(struct np_watch *watch, struct np_endpoint *endpoint);

/* Waits from now on for what that endpoint's transport tells on fd, and calls its
 * event(); -1: for nothing.  Naming another endpoint, or none, ends it. */
void np_watch_events(struct np_watch *watch, int fd);

/* True once the run has to end; *error then gets the reason, which wins over
 * what the main thread noticed of it. */
bool np_watch_stopped(struct np_watch *watch, struct np_error *error);

/* Ends the thread and tells the peer how this end finished: in peace if
 * error->code is 0, else with its words.  Does nothing if it is not running. */
void np_watch_end(struct np_watch *watch, const struct np_error *error);

#endif
