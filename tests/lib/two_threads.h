/*
 * two_threads.h - as two_ends.h, with both ends in this process: two threads, a
 * control channel of socket pairs, a watcher each.
 *
 * For a transport whose fabric is a test's own memory.  A test that hangs is
 * ended by the watchers, and with it this process.
 */
#pragma once

#include "tests/conformance/two_ends.h"

/* What each end says in the end; code 0: it succeeded. */
struct two_threads_outcome {
	struct np_error failure[2];
	char doing[2][160];
};

/*
 * Runs a test at both ends.  settings[rank] are "name=value" of options, NULL
 * at the end.  Returns true if both succeeded.
 */
bool two_threads_run(const struct np_module *module, const char *const *const settings[2],
		     two_ends_test *test, struct two_threads_outcome *outcome);
