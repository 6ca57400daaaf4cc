/*
 * runs.c - --runs N: the run as the unit.
 *
 * Runs of one binary differ by more than most effects: physical pages, core, state left by
 * other processes.  The program therefore starts itself N times, one after the other, each
 * in a process that shares nothing with the last, in alternating order of the modes, and
 * gathers their visits through a pipe, in the format of result files.
 *
 * With --variant each round has a run of each variant, and a second one of the base, the
 * control.  A variant whose run fails is left out of later rounds, and the others go on; a
 * failed run of the base ends all.
 *
 * --launcher starts a job of several processes.  An MPI launcher forwards standard output,
 * which is then the pipe; lines that are not results are printed.
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

#include "base/child.h"
#include "base/clock.h"
#include "base/files.h"
#include "endpoint/watch.h"
#include "machine/topology.h"
#include "output/json_line.h"
#include "output/output.h"
#include "plan/plan.h"
#include "program/program.h"

/* Child: exec sh -c "exec LAUNCHER self args".  Returns on failure. */
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

/* Child: executes this program as run `index`, with results written to pipe_end; exits on
 * failure. */
static void __attribute__((noreturn))
start_over(const struct np_program *program, int pipe_end, unsigned index)
{
	const bool job = program->options.launcher != NULL;
	/* Arguments before the program's own. */
	enum { BEFORE = 3 };
	struct np_error error = { .code = 0 };
	char option[48];
	size_t count = 0;

	/* Variables are set before exec: the loader of this program may read them, and an
	 * MPI launcher may forward them. */
	if (program->options.separate_runs != 0 &&
	    np_program_set_variables(program, index, &error) != 0)
		_exit(NP_ERROR_FAILED);

	while (program->arguments[count] != NULL)
		count++;
	char **arguments = calloc(BEFORE + count + 2, sizeof(*arguments));
	if (arguments == NULL)
		_exit(NP_ERROR_FAILED);
	memcpy(arguments + BEFORE, program->arguments, count * sizeof(*arguments));
	snprintf(option, sizeof(option), "--run-pipe=%d:%u", job ? STDOUT_FILENO : pipe_end,
		 index);
	arguments[BEFORE + count] = option;
	if (job)
		become_job(program, pipe_end, arguments);
	else
		execv("/proc/self/exe", arguments + BEFORE);
	_exit(NP_ERROR_FAILED);
}

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

/* Returns the time limit of all runs, seconds; each run has a limit of its own as well. */
static double max_run_time(const struct np_program *program)
{
	const struct np_options *options = &program->options;
	const double one = np_plan_run_time(options, &program->request);

	return options->max_run_time != 0 ? one : one * (double)np_plan_runs(options);
}

enum {
	/* Delay before a signal is forwarded: one to the process group has reached the
	 * run, and a second one makes an MPI launcher exit before it has cleaned up. */
	GRACE_MS = 500,
	/* from the signal to SIGKILL: longer than the end of a run */
	ENDING_MS = 9000
};

/* State of --runs. */
struct gathering {
	struct np_program *program;
	struct np_output output;
	struct np_results results;
	unsigned runs_a_round; /* 1, or one for each mode or variant */
	bool left_out[NP_VARIANTS_MAX];
	struct np_deadline deadline; /* of all runs: --max-run-time */
};

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
		return np_json_unwritten(errno, error);
	return 0;
}

/* A run whose results are read. */
struct run {
	struct gathering *all;
	unsigned index;
	struct np_lines lines; /* read from its pipe */
	struct np_error *error;
	int rc; /* result of reading: 0 or the first -errno */
};

/* Reads from the pipe once and handles its complete lines. */
static void read_lines(void *context)
{
	struct run *run = context;
	char *line;
	size_t length;
	int rc = np_lines_read(&run->lines, run->error);

	while (rc == 0 &&
	       (rc = np_lines_take(&run->lines, &line, &length, run->error)) == 1)
		rc = run->lines.cut ? 0 : take_line(run->all, line, run->index, run->error);
	run->rc = rc;
	if (rc != 0 || run->lines.over)
		np_lines_close(&run->lines);
}

/* Returns true, with the reason in error, if a run has to end early. */
static bool has_to_end(const struct gathering *all, bool signalled, struct np_error *error)
{
	if (signalled)
		np_watch_read_signal(all->program->signals, error);
	else if (np_deadline_is_over(all->deadline))
		np_fail(error, NP_ERROR_FAILED, ETIMEDOUT,
			"the runs take longer than %.0f s: --max-run-time",
			max_run_time(all->program));
	else
		return false;
	return true;
}

/* Reads the results of a run until its end.  Ends the run early if its results cannot be
 * kept, a signal arrives, or the time of all runs is over.  Returns the status of
 * waitpid(2). */
static int finish_run(struct run *run, pid_t child)
{
	const int signals = run->all->program->signals;
	struct np_child_end end = { .signal = SIGTERM,
				    .grace_ms = ENDING_MS,
				    .pipe = &run->lines.fd,
				    .read = read_lines,
				    .context = run };
	bool ending = false;

	while (run->lines.fd >= 0 && !ending) {
		struct pollfd wait[2] = { { .fd = run->lines.fd, .events = POLLIN },
					  { .fd = signals, .events = POLLIN } };

		if (poll(wait, 2, np_deadline_left_ms(run->all->deadline, -1)) < 0)
			continue;
		ending = has_to_end(run->all, wait[1].revents != 0, run->error);
		if (!ending && wait[0].revents != 0)
			read_lines(run);
	}
	if (run->error->kind > 128)
		end.signal = (int)run->error->kind - 128;
	/* The child has closed its pipe: wait for it to exit. */
	end.wait_ms = ending	   ? GRACE_MS :
		      run->rc != 0 ? 0 :
				     np_deadline_left_ms(run->all->deadline, INT_MAX);
	const int status = np_child_end(child, &end);
	np_lines_close(&run->lines);
	return status;
}

/* Returns 0 if a run succeeded, else -errno; *by_itself: the run failed for reasons of its
 * own. */
static int judge_run(struct np_program *program, int status, unsigned index,
		     bool *by_itself, struct np_error *error)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	/* A run prints its own error, except the signal that stopped it, which this program
	 * may have forwarded.  A launcher has exit codes of its own. */
	const int code = WIFEXITED(status) ? WEXITSTATUS(status) : NP_ERROR_FAILED;
	const char *launcher = program->options.launcher;
	const bool foreign = launcher != NULL && code > NP_ERROR_DATA;
	*by_itself = (code < 128 || foreign) && error->code == 0;
	program->error_printed =
		WIFEXITED(status) && code < 128 && !foreign && error->code == 0;
	if (code > 128 && !foreign)
		return np_fail(error, (enum np_error_kind)code, EINTR,
			       "run %u of --runs was stopped by SIG%s", index + 1,
			       sigabbrev_np(code - 128));
	if (foreign)
		return np_fail(error, NP_ERROR_FAILED, ECHILD,
			       "run %u of --runs failed: '%s' ended with status %d",
			       index + 1, launcher, code);
	return np_fail(error, (enum np_error_kind)code, ECHILD, "run %u of --runs failed",
		       index + 1);
}

static int run_one(struct gathering *all, unsigned index, bool *by_itself,
		   struct np_error *error)
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
		return np_fail_errno(error, errno, "cannot start run %u", index + 1);
	}
	struct run run = {
		.all = all, .index = index, .lines = { .fd = ends[0] }, .error = error
	};
	const int status = finish_run(&run, child);
	const int judged = judge_run(all->program, status, index, by_itself, error);
	if (all->output.progress) {
		fprintf(stderr, "\r\033[Krun %u of %llu is over", index + 1,
			(unsigned long long)np_plan_runs(&all->program->options));
		all->output.progress_shown = true;
	}
	return run.rc != 0 ? run.rc : error->code != 0 ? error->code : judged;
}

/* Adds facts of this host, where the runs execute. */
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

static int report_all(struct gathering *all, const struct np_error *why,
		      struct np_error *error)
{
	struct np_run_header header = { .two_hosts = all->program->options.host != NULL };

	np_program_header(all->program, &header);
	describe_host(all->program, &header.hosts[0]);
	if (all->program->module->model == NULL)
		header.clock = np_clock_measure();
	np_progress_clear(&all->output);
	const int rc = np_output_report(&all->output, &all->results, &header, why, error);
	np_facts_free(&header.hosts[0]);
	return rc;
}

/* --expect: returns true if another run cannot change the verdict. */
static bool is_decided(const struct gathering *all)
{
	const struct np_options *options = &all->program->options;
	struct np_expectation expected;
	struct np_error ignored = { .code = 0 };

	return options->expect != NULL &&
	       np_expectation_init(&expected, options->expect, &ignored) == 0 &&
	       np_expectation_judge(&expected, &all->results) == 0 &&
	       np_expectation_is_decided(&expected);
}

/* Performs a run.  With --variant: skips a variant that is left out, and leaves out one
 * whose run fails. */
static int run_variant(struct gathering *all, unsigned index, struct np_error *error)
{
	const struct np_variants *variants = &all->program->variants;
	bool by_itself = false;
	unsigned round;

	if (all->program->options.separate_runs == 0)
		return run_one(all, index, &by_itself, error);
	const size_t turn = np_plan_turn(all->runs_a_round, index, &round);
	const bool of_base = turn == 0 || turn == variants->count;
	if (!of_base && all->left_out[turn])
		return 0;
	const int rc = run_one(all, index, &by_itself, error);
	if (rc == 0 || !by_itself || of_base)
		return rc;
	all->left_out[turn] = true;
	np_warn_variant_dropped(all->program, turn, error);
	*error = (struct np_error){ .code = 0 };
	all->program->error_printed = false;
	return 0;
}

/* Counts the visits of a variant.  Each measurement has all variants that have an endpoint:
 * a variant with fewer visits could not start in some run. */
static size_t count_visits(const struct gathering *all, size_t variant)
{
	size_t count = 0;

	for (size_t i = 0; i < all->results.count; i++) {
		const struct np_visit *visit = all->results.visits[i];

		count += visit->variant == variant && visit->mode == NP_MODE_REUSE &&
			 !visit->sentinel;
	}
	return count;
}

static int gather_all(struct gathering *all, struct np_error *error)
{
	const struct np_options *options = &all->program->options;
	int rc = access("/proc/self/exe", X_OK) == 0 ?
			 0 :
			 np_fail_errno(error, errno,
				       "--runs: cannot start this program again by "
				       "/proc/self/exe");

	if (rc == 0)
		rc = np_output_open(&all->output, options, error);
	if (rc != 0)
		return rc;
	np_program_results(all->program, &all->results);
	all->results.runs = (unsigned)options->runs;

	all->runs_a_round = (unsigned)(np_plan_runs(options) / options->runs);
	all->deadline = np_deadline_in((uint64_t)(max_run_time(all->program) * 1000));
	for (unsigned index = 0;
	     index < np_plan_runs(options) && rc == 0 && !is_decided(all); index++)
		rc = run_variant(all, index, error);
	np_mark_host_states(&all->results);
	const struct np_error why = *error;
	if (all->results.count != 0) {
		const int reported = report_all(all, rc != 0 ? &why : NULL, error);

		rc = rc != 0 ? rc : reported;
	}
	for (size_t i = 1; rc == 0 && i < all->program->variants.count; i++)
		all->left_out[i] |= all->program->endpoints_in_one_run &&
				    count_visits(all, i) < count_visits(all, 0);
	return rc != 0 ? rc : np_check_variants_whole(all->program, all->left_out, error);
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
