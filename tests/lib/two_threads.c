/*
 * two_threads.c - both ends of a test as threads.
 */
#include "two_threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/channel.h"

struct one_end {
	struct two_ends pair;
	struct two_ends_note note;
	const char *const *settings;
	two_ends_test *test;
	struct np_error error;
	pthread_t thread;
};

/* As two_ends.c has it, but that descriptors are the process's. */
static int run_end(struct one_end *end)
{
	struct two_ends *pair = &end->pair;
	struct np_error *error = &end->error;

	int rc = two_ends_set_options(pair, end->settings, error);
	if (rc == 0)
		rc = two_ends_prepare_watch(pair, error);
	if (rc >= 0)
		rc = np_watch_begin(&pair->watch, error);
	if (rc != 0)
		return rc;
	rc = end->test(pair, error);
	if (rc != 0)
		np_watch_stopped(&pair->watch, error);
	np_process_finish(&pair->process);
	np_watch_end(&pair->watch, error);
	close(pair->watch.signals);
	return rc;
}

static void *run_thread(void *context)
{
	struct one_end *end = context;

	if (run_end(end) != 0 && end->error.code == 0)
		np_fail(&end->error, NP_ERROR_FAILED, EPROTO, "it failed without a word");
	np_boot_close(&end->pair.boot);
	free(end->pair.module_options);
	return NULL;
}

static bool connect_ends(struct one_end ends[2])
{
	int control[2], watch[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0)
		return false;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, watch) != 0) {
		close(control[0]);
		close(control[1]);
		return false;
	}
	for (int rank = 0; rank < 2; rank++) {
		struct np_boot *boot = &ends[rank].pair.boot;

		np_boot_init(boot, rank);
		boot->control = control[rank];
		boot->heartbeat = watch[rank];
		boot->same_host = true;
	}
	return true;
}

static bool start_ends(struct one_end ends[2])
{
	int code = connect_ends(ends) ? 0 : errno;

	for (int rank = 0; rank < 2 && code == 0; rank++)
		code = pthread_create(&ends[rank].thread, NULL, run_thread, &ends[rank]);
	if (code != 0)
		np_fail_errno(&ends[0].error, code, "cannot start both ends");
	return code == 0;
}

bool two_threads_run(const struct np_module *module, const char *const *const settings[2],
		     two_ends_test *test, struct two_threads_outcome *outcome)
{
	struct one_end *ends = calloc(2, sizeof(*ends));

	if (ends == NULL)
		abort();
	for (int rank = 0; rank < 2; rank++) {
		ends[rank].pair.module = module;
		ends[rank].pair.note = &ends[rank].note;
		ends[rank].settings = settings[rank];
		ends[rank].test = test;
	}
	/* A thread that waits for one that never started would wait for ever. */
	if (!start_ends(ends))
		abort();
	for (int rank = 0; rank < 2; rank++) {
		pthread_join(ends[rank].thread, NULL);
		outcome->failure[rank] = ends[rank].error;
		memcpy(outcome->doing[rank], ends[rank].note.doing[rank],
		       sizeof(outcome->doing[rank]));
	}
	free(ends);
	return outcome->failure[0].code == 0 && outcome->failure[1].code == 0;
}
