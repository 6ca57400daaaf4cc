/*
 * runs.c - --launches N: the run as the unit.
 *
 * Runs of one binary differ by more than most effects: where the kernel puts
 * its pages, which core it starts on, what another process left behind.  So
 * the program starts itself N times, one after the other, each in a process
 * that shares nothing with the last, in alternating order of the modes, and
 * gathers their visits through a pipe, in the format of result files.
 *
 * A job of many processes is started by the launcher of --launcher.  What it hands
 * on of them is standard output, so that is the pipe then; a line there that is no
 * result is for the user.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "output/output.h"
#include "plan/plan.h"
#include "program/program.h"
#include "machine/topology.h"
#include "endpoint/watch.h"

bool np_program_run_index(const struct np_program *program, int *fd, unsigned *index)
{
	const char *text = program->options.run_pipe;
	char *colon, *end;

	if (text == NULL)
		return false;
	const long number = strtol(text, &colon, 10);
	if (*colon != ':' || number < 0 || number > INT_MAX)
		return false;
	const long run_index = strtol(colon + 1, &end, 10);
	if (end == colon + 1 || *end != '\0' || run_index < 0 || run_index > INT_MAX)
		return false;
	*fd = (int)number;
	*index = (unsigned)run_index;
	return true;
}

/* Between a signal and handing it on: one that went to the whole group has reached the
 * run, too, and a second makes a launcher leave before it has tidied up. */
static const uint64_t run_grace_ns = 500000000u;
/* Between a signal and killing the run: longer than it may take to end. */
static const uint64_t run_patience_ns = 9500000000u;

/* What is gathered. */
struct gathering {
	struct np_program *program;
	struct np_output output;
	struct np_results results;
	unsigned runs_a_round; /* one, or one of each mode */
};

/* In the child: becomes the launcher, which a shell takes apart into words, and it
 * becomes the program. */
static void become_job(const struct np_program *program, int pipe_end, char **arguments)
{
	static const char rest[] = " \"$0\" \"$@\"";
	const char *launcher = program->options.launcher;
	const size_t length = strlen("exec ") + strlen(launcher) + sizeof(rest);
	char shell[] = "sh", flag[] = "-c", self[PATH_MAX], *command = malloc(length);
	const ssize_t found = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (command == NULL || found < 0 || dup2(pipe_end, STDOUT_FILENO) < 0) {
		free(command);
		return;
	}
	self[found] = '\0';
	snprintf(command, length, "exec %s%s", launcher, rest);
	arguments[0] = shell;
	arguments[1] = flag;
	arguments[2] = command;
	arguments[3] = self;
	close(pipe_end);
	np_watch_default_signals();
	execv("/bin/sh", arguments);
	free(command);
}

/* In the child: becomes the program again, as run `index`. */
static void __attribute__((noreturn))
start_over(const struct np_program *program, int pipe_end, unsigned index)
{
	const bool job = program->options.launcher != NULL;
	/* What a shell and a launcher are told before the program's own. */
	enum { BEFORE = 3 };
	char option[48];
	size_t count = 0;

	while (program->arguments[count] != NULL)
		count++;
	char **arguments = calloc(BEFORE + count + 2, sizeof(*arguments));
	if (arguments == NULL)
		_exit(NP_ERROR_FAILED);
	memcpy(arguments + BEFORE, program->arguments, count * sizeof(*arguments));
	snprintf(option, sizeof(option), "--launch-pipe=%d:%u",
		 job ? STDOUT_FILENO : pipe_end, index);
	arguments[BEFORE + count] = option;
	if (job)
		become_job(program, pipe_end, arguments);
	else
		execv("/proc/self/exe", arguments + BEFORE);
	_exit(NP_ERROR_FAILED);
}

static int take_line(struct gathering *all, const char *line, unsigned index,
		     struct np_error *error)
{
	struct np_measured *measured = NULL;

	if (all->program->options.launcher != NULL && line[0] != '{') {
		puts(line);
		fflush(stdout);
		return 0;
	}
	const int rc = np_json_read_visit(line, &all->results, &measured, error);

	if (rc < 0)
		return rc;
	if (rc == 1) {
		measured->visit.run_index = index / all->runs_a_round;
		const struct np_visit *visit = np_results_add(&all->results, measured);

		np_measured_free(measured);
		if (visit == NULL)
			return np_fail_errno(error, ENOMEM, "no memory for results");
	}
	if (all->output.json == NULL)
		return 0;
	if (fprintf(all->output.json, "%s\n", line) < 0 || fflush(all->output.json) != 0)
		return np_fail_errno(error, errno, "cannot write the result file");
	return 0;
}

/* A run that is being heard. */
struct hearing {
	pid_t child;
	unsigned index;
	int fd;		   /* its end of the pipe, for reading */
	int signal;	   /* that it is still to be handed, or 0 */
	uint64_t asked_ns; /* when that came; 0 while all is well */
	char *held;	   /* what came after the last newline */
	size_t length, room;
};

/* Hands the signal on in time.  A run that cannot end then, because it is stopped or
 * does not hear, is killed, and false returned. */
static bool is_ending(struct hearing *hearing)
{
	const uint64_t age = np_clock_ns() - hearing->asked_ns;

	if (hearing->signal != 0 && age > run_grace_ns) {
		kill(hearing->child, hearing->signal);
		hearing->signal = 0;
	}
	if (age <= run_patience_ns)
		return true;
	kill(hearing->child, SIGKILL);
	return false;
}

/* Waits for something to read.  Returns false when nothing more is wanted. */
static bool wait_for_lines(struct gathering *all, struct hearing *hearing,
			   struct np_error *error)
{
	/* It may go on talking for ever. */
	while (hearing->asked_ns == 0 || is_ending(hearing)) {
		struct pollfd wait[2] = {
			{ .fd = hearing->fd, .events = POLLIN },
			{ .fd = hearing->asked_ns == 0 ? all->program->signals : -1,
			  .events = POLLIN },
		};

		poll(wait, 2, 100);
		if (wait[1].revents != 0) {
			np_watch_read_signal(all->program->signals, error);
			hearing->signal = (int)error->kind - 128;
			hearing->asked_ns = np_clock_ns();
		}
		if (wait[0].revents != 0)
			return true;
	}
	return false;
}

/* Cuts what is held into lines.  Returns 0 or the first -errno. */
static int take_lines(struct gathering *all, struct hearing *hearing,
		      struct np_error *error)
{
	char *line = hearing->held, *newline;
	int rc = 0;

	if (line == NULL)
		return 0;
	while (rc == 0 &&
	       (newline = memchr(line, '\n',
				 hearing->length - (size_t)(line - hearing->held))) !=
		       NULL) {
		*newline = '\0';
		rc = take_line(all, line, hearing->index, error);
		line = newline + 1;
	}
	hearing->length -= (size_t)(line - hearing->held);
	memmove(hearing->held, line, hearing->length);
	return rc;
}

static int grow(struct hearing *hearing, struct np_error *error)
{
	if (hearing->room - hearing->length > 4096)
		return 0;
	const size_t room = 2 * hearing->room + 65536;
	char *held = realloc(hearing->held, room);

	if (held == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	hearing->held = held;
	hearing->room = room;
	return 0;
}

/* Takes all lines of a run, until it closes the pipe or has to be ended. */
static int gather_lines(struct gathering *all, struct hearing *hearing,
			struct np_error *error)
{
	int rc = 0;

	while (rc == 0 && wait_for_lines(all, hearing, error)) {
		rc = grow(hearing, error);
		if (rc != 0)
			break;
		const ssize_t length = read(hearing->fd, hearing->held + hearing->length,
					    hearing->room - hearing->length);
		if (length == 0 || (length < 0 && errno != EINTR))
			break;
		hearing->length += length > 0 ? (size_t)length : 0;
		rc = take_lines(all, hearing, error);
	}
	/* What it says no longer counts. */
	if (rc != 0)
		kill(hearing->child, SIGKILL);
	free(hearing->held);
	close(hearing->fd);
	return rc;
}

static int wait_for_run(struct np_program *program, pid_t child, unsigned index,
			struct np_error *error)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	/* It has said why; one that was killed has not, and knows nothing of a
	 * failure here.  A launcher has numbers of its own for what it says, and its
	 * processes leave it to this one to tell of a signal. */
	const int code = WIFEXITED(status) ? WEXITSTATUS(status) : NP_ERROR_FAILED;
	const char *launcher = program->options.launcher;
	const bool foreign = launcher != NULL && code > NP_ERROR_DATA;
	const bool heard = launcher == NULL && error->kind > 128;
	program->told = WIFEXITED(status) && !foreign && (error->code == 0 || heard);
	if (foreign)
		return np_fail(error, NP_ERROR_FAILED, ECHILD,
			       "launch %u of --launches failed: '%s' ended with status %d",
			       index + 1, launcher, code);
	return np_fail(error, (enum np_error_kind)code, ECHILD,
		       "launch %u of --launches failed", index + 1);
}

static int run_one(struct gathering *all, unsigned index, struct np_error *error)
{
	int ends[2];

	if (pipe(ends) != 0)
		return np_fail_errno(error, errno, "cannot make a pipe");
	fflush(stdout);
	const pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		start_over(all->program, ends[1], index);
	}
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return np_fail_errno(error, errno, "cannot start launch %u", index + 1);
	}
	struct hearing hearing = { .child = child, .index = index, .fd = ends[0] };
	const int rc = gather_lines(all, &hearing, error);
	const int status = wait_for_run(all->program, child, index, error);
	if (all->output.progress)
		fprintf(stderr, "\r\033[Klaunch %u of %llu is over\n", index + 1,
			(unsigned long long)np_plan_runs(&all->program->options));
	return rc != 0 ? rc : error->code != 0 ? error->code : status;
}

/* What a run says of its own host, this one finds out for itself: it is the same. */
static void describe_host(const struct np_program *program, struct np_facts *facts)
{
	struct np_topology topology;
	struct np_error none = { .code = 0 };

	if (np_topology_open(&topology, &none) == 0) {
		np_topology_model(&topology, program->module->model,
				  program->module_options);
		np_topology_describe(&topology, facts);
	}
	np_topology_close(&topology);
}

static int report_all(struct gathering *all, const struct np_request *request,
		      const struct np_error *why, struct np_error *error)
{
	struct np_run_header header = { .module = all->program->module,
					.version = all->program->identity.version,
					.sets = all->program->sets,
					.set_count = 2,
					.request = request,
					.two_hosts = all->program->options.host != NULL };

	describe_host(all->program, &header.ends[0]);
	const int rc = np_output_report(&all->output, &all->results, &header, why, error);
	np_facts_free(&header.ends[0]);
	return rc;
}

static int gather_all(struct gathering *all, struct np_error *error)
{
	const struct np_options *options = &all->program->options;
	struct np_request request;
	int rc = np_program_request(all->program, &request, error);

	if (rc == 0)
		rc = np_output_open(&all->output, options, error);
	if (rc != 0)
		return rc;
	all->results.operation = request.operation;
	all->results.operation_name = request.operation_name;
	np_results_compare(&all->results, &request);
	all->results.per_message = options->per_message;
	all->results.runs = (unsigned)options->runs;
	all->results.precision = options->precision / 100;

	all->runs_a_round = (unsigned)(np_plan_runs(options) / options->runs);
	for (unsigned index = 0; index < np_plan_runs(options) && rc == 0; index++)
		rc = run_one(all, index, error);
	np_mark_host_states(&all->results);
	const struct np_error why = *error;
	if (all->results.count != 0) {
		const int reported =
			report_all(all, &request, rc != 0 ? &why : NULL, error);

		rc = rc != 0 ? rc : reported;
	}
	return rc;
}

int np_run_all(struct np_program *program, struct np_error *error)
{
	struct gathering all = { .program = program };

	np_results_init(&all.results);
	const int rc = gather_all(&all, error);
	const int closed = np_output_close(&all.output, error);
	np_results_free(&all.results);
	return rc != 0 ? rc : closed;
}
