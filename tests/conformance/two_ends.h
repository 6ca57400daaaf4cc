/*
 * two_ends.h - runs a test as the driver runs a module: two processes, each with a control
 * channel, a watcher and an endpoint.
 *
 * Each test has processes of its own, so that a test that hangs, dies or leaks affects no
 * other, and a deadline after which it is killed.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "endpoint/block.h"
#include "endpoint/process.h"

/* Entries of the table of slots. */
enum { TWO_ENDS_CAPACITY = 256 };

/* Timeout of a block, ns: longer than the watcher needs to report a stalled peer, shorter
 * than the deadline of a test. */
#define TWO_ENDS_PATIENCE_NS 15000000000u

/* Module and settings under test, as on a command line. */
struct subject {
	const struct np_module *module;
	const char *const *settings; /* "name=value" of options; NULL at the end */
	size_t longest;		     /* bytes: longer messages are cut to it; 0: no limit */
	size_t kept;	 /* descriptors that a library opens once and never closes */
	size_t window;	 /* for two_ends_consider(): --window; 0: none */
	bool moves_none; /* no bytes to verify: a model */
};

/* Results of the processes of a test, in shared memory. */
struct two_ends_note {
	char doing[2][160];	    /* by rank: the last step begun */
	struct np_error failure[2]; /* by rank; code 0: none */
	atomic_bool returned;	    /* rank 0 has left the call that blocked */
};

/* One of the two processes. */
struct two_ends {
	const struct np_module *module;
	void *module_options;
	struct np_options options;
	size_t longest; /* of the subject */
	bool moves_none;
	struct np_boot boot;
	struct np_watch watch;
	struct np_process process;
	pid_t child;	   /* rank 0: the other process */
	bool child_leaves; /* rank 0: the other process is to die */
	struct two_ends_note *note;
};

/* A test, called in both processes.  Returns 0, or -errno with a text. */
typedef int two_ends_test(struct two_ends *pair, struct np_error *error);

/* Runs a test in two new processes.  note, in shared memory, is cleared first.
 * Returns true if both processes succeeded and closed every descriptor. */
bool two_ends_run(const struct subject *subject, two_ends_test *test, unsigned seconds,
		  struct two_ends_note *note);

/* Calls check() of the module in this process, for an operation with these settings; sets
 * *operation to the resulting one.  Returns 0, or -errno with the error of the module. */
int two_ends_consider(const struct subject *subject, size_t smallest,
		      enum np_operation *operation, struct np_error *error);

/* Allocates a note that processes forked later share; NULL without memory. */
struct two_ends_note *two_ends_make_note(void);

/* Records the next step of this process, which is printed if the test fails. */
void two_ends_say(struct two_ends *pair, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Records a failure that the test has found.  Returns -EPROTO. */
int two_ends_fail(struct np_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Blocks the signals that the watcher reads, before np_watch_begin().  Returns their
 * descriptor, which the caller closes, or -errno with a text. */
int two_ends_prepare_watch(struct two_ends *pair, struct np_error *error);

/* Allocates and sets the options of driver and module.  The caller frees
 * pair->module_options.  Returns 0, or -errno with a text. */
int two_ends_set_options(struct two_ends *pair, const char *const *settings,
			 struct np_error *error);

/* Sets up a process, and calls check() of the module. */
int two_ends_request(struct two_ends *pair, struct np_process *process,
		     enum np_operation operation, size_t smallest, size_t largest,
		     struct np_error *error);

/* Sets up a process; opens and connects its endpoint for messages of these lengths. */
int two_ends_open(struct two_ends *pair, struct np_process *process,
		  enum np_operation operation, size_t smallest, size_t largest,
		  struct np_error *error);

/* Maps `slots` buffer pairs, or more if the module needs more, and arms.  The length is cut
 * to the maximum of the connection and rounded up to the next one that exists. */
int two_ends_arm(struct two_ends *pair, struct np_process *process, size_t length,
		 uint64_t slots, struct np_error *error);

/* Undoes two_ends_arm(). */
void two_ends_disarm(struct np_process *process);

/* Enters a block of one message in mode reuse, posts one receive in each process that
 * receives, and waits for the peer. */
int two_ends_enter(struct two_ends *pair, struct np_error *error);

/* Barrier of both processes. */
int two_ends_meet(struct two_ends *pair, struct np_error *error);
