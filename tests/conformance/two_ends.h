/*
 * two_ends.h - runs a test as the driver runs a module: two processes, a boot
 * channel, a watcher and an end each.
 *
 * Each test has processes of its own, so that one that hangs, dies or leaves a
 * mess spoils no other, and a deadline after which it is killed.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "endpoint/block.h"
#include "endpoint/process.h"

/* Entries of the table of slots. */
enum { TWO_ENDS_CAPACITY = 256 };

/* A block that takes longer has lost a message.  Longer than the watcher takes
 * to call a peer stalled, and less than a test has. */
#define TWO_ENDS_PATIENCE_NS 15000000000u

/* What is tested, in the words of a command line. */
struct subject {
	const struct np_module *module;
	const char *const *settings; /* "name=value" of options; NULL at the end */
	size_t longest;	 /* bytes: longer messages become as long as that; 0: none do */
	size_t kept;	 /* descriptors that a library opens once and never closes */
	size_t window;	 /* for two_ends_consider(): --window; 0: none */
	bool moves_none; /* it moves no bytes that could be checked: a model */
};

/* What the test's processes leave for the one that reports. */
struct two_ends_note {
	char doing[2][160];	    /* by rank: the last thing begun */
	struct np_error failure[2]; /* by rank; code 0: none */
	atomic_bool returned;	    /* rank 0 is out of what it was blocked in */
};

/* One of the two processes. */
struct two_ends {
	const struct np_module *module;
	void *module_options;
	struct np_options options;
	size_t longest; /* the subject's */
	bool moves_none;
	struct np_boot boot;
	struct np_watch watch;
	struct np_process process;
	pid_t child;	   /* rank 0: the other process */
	bool child_leaves; /* rank 0: the other is meant to die */
	struct two_ends_note *note;
};

/* Both processes run it.  Returns 0, or -errno with a text. */
typedef int two_ends_test(struct two_ends *pair, struct np_error *error);

/* Runs a test in two new processes.  note, in shared memory, is cleared first.
 * Returns true if both ends succeeded and gave every descriptor back. */
bool two_ends_run(const struct subject *subject, two_ends_test *test, unsigned seconds,
		  struct two_ends_note *note);

/*
 * Asks the module's check(), here and now, whether it takes the operation with
 * these settings; *operation becomes what it makes of it.  Returns 0, or
 * -errno with the module's words.
 */
int two_ends_consider(const struct subject *subject, size_t smallest,
		      enum np_operation *operation, struct np_error *error);

/* Memory for a note that processes forked later share; NULL if there is none. */
struct two_ends_note *two_ends_make_note(void);

/* Says what this end is about to do; shown if the test fails. */
void two_ends_say(struct two_ends *pair, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Records a failure of the test's own finding.  Returns -EPROTO. */
int two_ends_fail(struct np_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Blocks the signals that the watcher reads, before np_watch_begin().  Returns their
 * descriptor, which the caller closes, or -errno with a text. */
int two_ends_prepare_watch(struct two_ends *pair, struct np_error *error);

/* Allocates and fills in the options, the driver's and the module's.  Whoever
 * calls it frees pair->module_options.  Returns 0, or -errno with a text. */
int two_ends_set_options(struct two_ends *pair, const char *const *settings,
			 struct np_error *error);

/* Fills in an end, and asks the module's check(). */
int two_ends_request(struct two_ends *pair, struct np_process *process,
		     enum np_operation operation, size_t smallest, size_t largest,
		     struct np_error *error);

/* Makes the end, opens and connects it for messages of these lengths. */
int two_ends_open(struct two_ends *pair, struct np_process *process,
		  enum np_operation operation, size_t smallest, size_t largest,
		  struct np_error *error);

/* Maps `slots` buffer pairs (more where the module needs more) and arms, for the
 * longest message that the connection carries if this one is longer, and for the next size
 * that exists. */
int two_ends_arm(struct two_ends *pair, struct np_process *process, size_t length,
		 uint64_t slots, struct np_error *error);

/* Undoes that. */
void two_ends_disarm(struct np_process *process);

/* Enters a block of one message in the reuse arm, offers one receive at each
 * end that receives, and meets the peer. */
int two_ends_enter(struct two_ends *pair, struct np_error *error);

/* Both ends wait for each other. */
int two_ends_meet(struct two_ends *pair, struct np_error *error);
