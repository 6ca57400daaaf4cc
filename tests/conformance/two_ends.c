/*
 * two_ends.c - the processes of a test, and the steps up to a block.
 */
#include "boot/channel.h"
#include "two_ends.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct two_ends_note *two_ends_make_note(void)
{
	void *note = mmap(NULL, sizeof(struct two_ends_note), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return note == MAP_FAILED ? NULL : note;
}

void two_ends_say(struct two_ends *pair, const char *format, ...)
{
	char *doing = pair->note->doing[pair->boot.rank];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(doing, sizeof(pair->note->doing[0]), format, arguments);
	va_end(arguments);
}

int two_ends_fail(struct np_error *error, const char *format, ...)
{
	char text[sizeof(error->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return np_fail(error, NP_ERROR_FAILED, EPROTO, "%s", text);
}

/* ---- The processes --------------------------------------------------------- */

static size_t count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t count = 0;

	if (folder == NULL)
		return 0;
	while (readdir(folder) != NULL)
		count++;
	closedir(folder);
	return count;
}

/* Sets the option of "name=value", in one of the two sets. */
static int apply_setting(struct two_ends *pair, const struct np_option_set *sets,
			 const char *setting, struct np_error *error)
{
	const size_t length = strcspn(setting, "=");

	for (size_t i = 0; i < 2 && setting[length] == '='; i++) {
		const struct np_option *option = sets[i].table;

		for (; option != NULL && option->name != NULL; option++) {
			if (strlen(option->name) == length &&
			    strncmp(option->name, setting, length) == 0)
				return np_option_set_text(option, sets[i].values,
							  setting + length + 1, error);
		}
	}
	/* A refusal would skip the tests, as it does for a missing capability. */
	fprintf(stderr, "%s has no option for %s\n", pair->module->name, setting);
	abort();
}

int two_ends_set_options(struct two_ends *pair, const char *const *settings,
			 struct np_error *error)
{
	pair->module_options = calloc(1, pair->module->options_size + 1);
	if (pair->module_options == NULL)
		return np_fail_errno(error, ENOMEM, "cannot allocate options");
	const struct np_option_set sets[] = {
		{ .table = np_driver_options, .values = &pair->options },
		{ .table = pair->module->options, .values = pair->module_options },
	};
	int rc = np_options_default(sets, 2, error);
	for (; rc == 0 && settings != NULL && *settings != NULL; settings++)
		rc = apply_setting(pair, sets, *settings, error);
	return rc;
}

int two_ends_prepare_watch(struct two_ends *pair, struct np_error *error)
{
	pair->watch.boot = &pair->boot;
	/* A test sends no END: the process that is ready first sends GOODBYE. */
	atomic_store(&pair->watch.ending, true);
	return pair->watch.signals = np_watch_signals(error);
}

static int run_test(struct two_ends *pair, const struct subject *subject,
		    two_ends_test *test, struct np_error *error)
{
	pair->module = subject->module;
	pair->longest = subject->longest;
	pair->moves_none = subject->moves_none;
	int rc = two_ends_set_options(pair, subject->settings, error);
	if (rc == 0)
		rc = two_ends_prepare_watch(pair, error);
	if (rc >= 0)
		rc = np_watch_begin(&pair->watch, error);
	if (rc != 0)
		return rc;

	const bool listened = pair->boot.listener >= 0;
	const size_t before = count_descriptors();
	rc = test(pair, error);
	/* The reason of the watcher replaces the error of a hook. */
	if (rc != 0)
		np_watch_stopped(&pair->watch, error);
	np_process_finish(&pair->process);
	/* A listener that was opened meanwhile belongs to the control channel. */
	const size_t after =
		count_descriptors() - (!listened && pair->boot.listener >= 0 ? 1 : 0);
	if (rc == 0 && (after < before || after > before + subject->kept))
		rc = two_ends_fail(error, "%zu descriptors were open before, %zu after",
				   before, after);
	np_watch_end(&pair->watch, error);
	close(pair->watch.signals);
	return rc;
}

/* Waits for the child; continues it if it is stopped, or it would never exit.  Other
 * processes are not continued: a leak checker stops its own, and would wait for ever. */
static bool wait_for_child(pid_t child, int *status)
{
	while (waitpid(child, status, WUNTRACED) == child) {
		if (!WIFSTOPPED(*status))
			return true;
		kill(child, SIGCONT);
	}
	return false;
}

/* Process of rank 0, which forks the other.  Returns an exit status. */
static int run_both(const struct subject *subject, two_ends_test *test, unsigned seconds,
		    struct two_ends_note *note)
{
	struct two_ends pair = { .note = note };
	struct np_error error = { .code = 0 };
	int status = 0;

	alarm(seconds);
	int rc = np_boot_fork(&pair.boot, &pair.child, &error);
	if (rc == 0) {
		if (pair.boot.rank == 1)
			alarm(seconds);
		rc = run_test(&pair, subject, test, &error);
	}
	np_boot_close(&pair.boot);
	free(pair.module_options);
	if (rc != 0)
		note->failure[pair.boot.rank] = error;
	if (pair.child > 0 && wait_for_child(pair.child, &status) && status != 0 &&
	    !pair.child_leaves && note->failure[1].code == 0)
		np_fail(&note->failure[1], NP_ERROR_FAILED, EPROTO,
			"it ended with status %#x", (unsigned)status);
	return rc != 0;
}

bool two_ends_run(const struct subject *subject, two_ends_test *test, unsigned seconds,
		  struct two_ends_note *note)
{
	int status = 0;

	*note = (struct two_ends_note){ .doing = { "nothing", "nothing" } };
	const pid_t pid = fork();
	if (pid == 0)
		exit(run_both(subject, test, seconds, note));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		np_fail_errno(&note->failure[0], errno, "cannot start a process");
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		np_fail(&note->failure[0], NP_ERROR_FAILED, ETIMEDOUT, "killed after %u s",
			seconds);
	else if (status != 0 && note->failure[0].code == 0)
		np_fail(&note->failure[0], NP_ERROR_FAILED, EPROTO,
			"it ended with status %#x", (unsigned)status);
	return note->failure[0].code == 0 && note->failure[1].code == 0;
}

/* ---- Steps up to a block ------------------------------------------------------- */

int two_ends_request(struct two_ends *pair, struct np_process *process,
		     enum np_operation operation, size_t smallest, size_t largest,
		     struct np_error *error)
{
	static const char *const names[NP_OPERATIONS] = {
		[NP_PINGPONG] = "pingpong",
		[NP_STREAM] = "stream",
		[NP_STREAM_ACKED] = "stream-acked",
		[NP_BIDIRECTIONAL] = "bidirectional",
		[NP_ONE_SIDED] = "step",
	};

	pair->options.integrity = !pair->moves_none;
	process->module = pair->module;
	process->module_options = pair->module_options;
	process->options = &pair->options;
	process->boot = &pair->boot;
	process->watch = &pair->watch;
	process->share_core = sysconf(_SC_NPROCESSORS_ONLN) < 2;
	process->request = (struct np_request){
		.operation = operation,
		.operation_name = names[operation],
		.smallest = smallest,
		.largest = largest,
		.window = pair->options.window,
		.integrity = !pair->moves_none,
		.capabilities = pair->module->capabilities,
	};
	if (pair->module->check == NULL)
		return 0;
	return pair->module->check(pair->module_options, &process->request, error);
}

int two_ends_consider(const struct subject *subject, size_t smallest,
		      enum np_operation *operation, struct np_error *error)
{
	struct two_ends pair = { .module = subject->module,
				 .moves_none = subject->moves_none };
	struct np_process process = { .opened = false };
	int rc = two_ends_set_options(&pair, subject->settings, error);

	if (rc == 0 && subject->window != 0)
		pair.options.window = subject->window;
	if (rc == 0)
		rc = two_ends_request(&pair, &process, *operation, smallest, 4096, error);
	if (rc == 0)
		*operation = process.request.operation;
	free(pair.module_options);
	return rc;
}

int two_ends_open(struct two_ends *pair, struct np_process *process,
		  enum np_operation operation, size_t smallest, size_t largest,
		  struct np_error *error)
{
	int rc = two_ends_request(pair, process, operation, smallest, largest, error);

	if (rc == 0)
		rc = np_process_prepare(process, TWO_ENDS_CAPACITY, error);
	return rc != 0 ? rc : np_process_open(process, error);
}

int two_ends_arm(struct two_ends *pair, struct np_process *process, size_t length,
		 uint64_t slots, struct np_error *error)
{
	const uint64_t window = process->request.window != 0 ? process->request.window : 1;
	const size_t longest = process->endpoint->longest;
	const size_t unit = process->request.multiple_of;

	if (longest != 0 && length > longest)
		length = longest;
	if (pair->longest != 0 && length > pair->longest)
		length = pair->longest;
	if (unit > 1)
		length = (length + unit - 1) / unit * unit;
	const uint64_t key = length * 1000003 + slots;

	/* Receives that are posted together need a buffer each. */
	if ((pair->module->capabilities & NP_POSTS_RECEIVES) != 0 && slots < window + 1)
		slots = window + 1;
	process->layout.most_slots = slots;
	const int rc = np_process_map(
		process, np_layout_bytes(&process->layout, length, slots), key, error);
	return rc != 0 ? rc : np_process_arm(process, length, 0, false, error);
}

void two_ends_disarm(struct np_process *process)
{
	np_process_disarm(process);
	np_process_unmap(process);
}

int two_ends_meet(struct two_ends *pair, struct np_error *error)
{
	return np_boot_exchange(&pair->boot, NULL, NULL, 0, error);
}

int two_ends_enter(struct two_ends *pair, struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_REUSE,
					.messages = 1,
					.batches = 1,
					.timeout_ns = TWO_ENDS_PATIENCE_NS };
	int rc = np_block_enter(&pair->process, &block, error);

	if (rc == 0 &&
	    (pair->boot.rank == 1 || pair->process.request.operation != NP_STREAM))
		rc = np_block_post_receives(&pair->process, 1, error);
	return rc != 0 ? rc : two_ends_meet(pair, error);
}
