/*
 * conform_job.h - the tests of a module whose ends only a launcher can start.
 *
 * For such a module the two processes of a test are not forked: the program has
 * the launcher start it twice, for all tests of a group of settings, and hears
 * from rank 0 how each went.
 */
#pragma once

#include "tests/lib/tap.h"
#include "two_ends.h"

/* What the started program gets as its first argument. */
extern const char conform_job_word[];

/*
 * Has the launcher start "PROGRAM --job MODULE NUMBER" and reports what it says.
 * The launcher with its options is in the environment's NP_JOB_COMMAND, or else
 * what the module tells users.
 */
void conform_job_launch(struct tap *tap, const char *program,
			const struct np_module *module, const char *group, int number);

/* In a started process: joins the job, meets the other end and has it watched.
 * Returns 0 or -errno; conform_job_leave() copes with either. */
int conform_job_join(struct two_ends *pair, const struct np_module *module,
		     struct np_error *error);

/* Runs a test at this end.  Returns true if it went well at both. */
bool conform_job_test(struct two_ends *pair, const struct subject *subject,
		      two_ends_test *test, unsigned seconds, struct np_error *error);

/* Rank 0 says how it went; text may be NULL. */
void conform_job_say(const struct two_ends *pair, const char *verdict, const char *name,
		     const char *text);

/* Leaves the job, by force if all is not well.  Returns an exit status. */
int conform_job_leave(struct two_ends *pair, bool well);
