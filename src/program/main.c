/*
 * main.c - the command line, the role of this process, and its exit code.
 *
 * This file is compiled once for each program: NP_PROGRAM_MODULE names the module.  No
 * other file calls exit().
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/files.h"
#include "boot/channel.h"
#include "contract/job.h"
#include "plan/options_check.h"
#include "program/program.h"
#include "endpoint/watch.h"

extern const struct np_module NP_PROGRAM_MODULE;
#ifdef NP_PROGRAM_TOURNAMENT
int NP_PROGRAM_TOURNAMENT(const struct np_program *program, struct np_error *error);
#endif

enum { FINISH_SECONDS = 10, CHILD_MS = 1000 };

static void print_note(void *context, const char *text)
{
	const struct np_program *program = context;

	fprintf(stderr, "%s: %s\n", program->identity.program, text);
}

static void print_announcement(void *context, const char *text)
{
	(void)context;
	printf("%s\n", text);
	fflush(stdout);
}

static int run_both(struct np_program *program, struct np_error *error)
{
	/* The child exits when the control channel closes, unless it is stopped or hangs.
	 */
	const struct np_child_end end = { .wait_ms = CHILD_MS };
	struct np_boot boot;
	struct np_received received;
	pid_t child;
	int rc = np_boot_fork(&boot, &child, error);

	if (rc != 0)
		return rc;
	if (boot.rank == 1) {
		/* The client prints the error of this process. */
		rc = np_receive(program, &boot, false, &received, error);
		np_boot_close(&boot);
		free(program->module_options);
		exit(rc == 0 ? EXIT_SUCCESS : (int)error->kind);
	}
	rc = np_transmit(program, &boot, error);
	/* EAGAIN: a limit on the number of processes, not the loss of a peer. */
	if (error->code == -EAGAIN && error->kind == NP_ERROR_PEER)
		error->kind = NP_ERROR_FAILED;
	np_boot_close(&boot);
	np_child_end(child, &end);
	return rc;
}

/* --launched: the parent sends token and plan over standard input. */
static int start_launched(struct np_program *program, struct np_error *error)
{
	int rc = np_remote_child_start(program->secret, &program->plan, error);

	if (rc == 0)
		rc = np_options_from_text(program->sets, 2, NP_SCOPE_PLAN, program->plan,
					  error);
	program->key = program->secret;
	return rc;
}

static int find_key(struct np_program *program, bool waits, struct np_error *error)
{
	const char *path = program->options.token_file;
	const int rc =
		path == NULL ? 0 : np_token_read(path, waits, program->secret, error);

	if (rc == 0 && path != NULL)
		program->key = program->secret;
	return rc;
}

/* Roles of a process in a run; processes of an MPI job are in job.c. */
enum role {
	ROLE_RUNS,  /* --runs: starts this program for each run */
	ROLE_LOCAL, /* forks the other process of the run */
	ROLE_SERVER,
	ROLE_CLIENT
};

static bool is_in_job(const struct np_program *program, int parsed)
{
	const struct np_options *options = &program->options;
	const bool starts_jobs =
		parsed == 0 && options->launcher != NULL && options->run_pipe == NULL;

	return program->module->job != NULL && !options->list_devices && !starts_jobs;
}

static enum role role_of(const struct np_program *program)
{
	const struct np_options *options = &program->options;
	const bool spans = (program->module->capabilities & NP_CAN_SPAN_HOSTS) != 0 &&
			   program->module->job == NULL && !options->local;

	if (spans && options->host == NULL && options->remote == NULL)
		return ROLE_SERVER;
	if (options->runs > 1 && options->run_pipe == NULL)
		return ROLE_RUNS;
	return spans ? ROLE_CLIENT : ROLE_LOCAL;
}

static int take_role(struct np_program *program, enum role role, struct np_error *error)
{
	const struct np_notes notes = { .note = print_note,
					.announce = print_announcement,
					.context = program };

	switch (role) {
	case ROLE_RUNS:
		return np_run_all(program, error);
	case ROLE_LOCAL:
		return run_both(program, error);
	case ROLE_SERVER:
		return np_wait(program, &notes, error);
	default:
		return np_dial_out(program, &notes, error);
	}
}

/* Refuses --launcher in the processes of a job: each would start jobs of its own, at the
 * same time.  One of them prints the refusal. */
static int refuse_jobs_within_job(struct np_program *program, struct np_error *error)
{
	const struct np_job_hooks *job = program->module->job;
	bool first = true;
	const char *launcher = job != NULL ? job->find_launcher(&first) : NULL;

	if (launcher == NULL || program->options.launcher == NULL)
		return 0;
	program->error_printed = !first;
	return np_refuse(error,
			 "--launcher: %s has started this process in a job of several: "
			 "start one process, without it: %s --launcher '%s'",
			 launcher, program->module->program, program->options.launcher);
}

static int run(struct np_program *program, struct np_error *error)
{
	const struct np_options *options = &program->options;
	int rc;

	if (options->list_devices)
		return np_list_devices(program, error);
	rc = refuse_jobs_within_job(program, error);
	if (rc != 0)
		return rc;
	/* Block signals before any thread is created: threads inherit the mask. */
	program->signals = np_watch_signals(error);
	if (program->signals < 0)
		return program->signals;
	if (options->launched)
		rc = start_launched(program, error);
	const enum role role = role_of(program);
	/* Signals have their default action while files of options are read: the signalfd
	 * is not read yet, and nothing has begun. */
	np_watch_block_signals(false);
	if (rc == 0)
		rc = np_program_prepare(program, role != ROLE_SERVER, error);
	if (rc == 0 && options->fleet)
		return np_print_fleet_plan(program, error);
	if (rc == 0 && options->dry_run)
		return np_dry_run(program, error);
	if (rc == 0)
		rc = find_key(program, role == ROLE_SERVER, error);
	np_watch_block_signals(true);
	return rc == 0 ? take_role(program, role, error) : rc;
}

static int parse(struct np_program *program, int argc, char **argv, bool *answered,
		 struct np_error *error)
{
	struct np_command_line line = { .operands = NULL };
	int rc = np_options_default(program->sets, 2, error);

	if (rc == 0)
		rc = np_options_parse(program->sets, 2, argc, argv, &line, error);
	if (rc != 0)
		return rc;
	program->planned = line.planned;
	memcpy(program->given, line.given, sizeof(program->given));
	*answered = np_help_answer(program, &line);
	return *answered ? 0 : np_program_vary(program, error);
}

/* Returns true if another process reports the error: with --runs the parent reports a
 * signal, which it may have forwarded; a launcher may have cut off the output. */
static bool is_reported_elsewhere(const struct np_options *options,
				  const struct np_error *error)
{
	return options->run_pipe != NULL && error->kind > 128;
}

static void report(const struct np_program *program, const struct np_error *error, int rc)
{
	const char *name = program->module->program;

	if (error->code != 0)
		np_error_print(stderr, name, error);
	else
		fprintf(stderr, "%s: %s\n", name, strerror(-rc));
}

static void exit_at_timeout(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	_exit(info->si_value.sival_int);
}

/* Starts a timer that exits with the same status: MPI_Finalize() may not return
 * (doc/mpi.md, limits), and results and errors are written before it. */
static void exit_after_timeout(const struct np_job *job, int status)
{
	struct sigaction action = { .sa_sigaction = exit_at_timeout,
				    .sa_flags = SA_SIGINFO };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGALRM,
				  .sigev_value.sival_int = status };
	/* Rank 0 exits first: a launcher ends the job with that exit status. */
	const struct itimerspec limit = { .it_value.tv_sec =
						  FINISH_SECONDS + (job->rank != 0) };
	timer_t timer;

	fflush(NULL);
	np_watch_allow_alarm();
	/* Without a timer there is no timeout. */
	if (sigaction(SIGALRM, &action, NULL) == 0 &&
	    timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		timer_settime(timer, 0, &limit, NULL);
}

/* Opens closed standard streams: the next socket would get such a number, and the table
 * would be printed into it. */
static void open_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

int main(int argc, char **argv)
{
	const struct np_module *module = &NP_PROGRAM_MODULE;
	struct np_error error = { .code = 0 };
	struct np_program program = {
		.module = module,
		.module_options = calloc(1, module->options_size + 1),
		.identity = { .program = module->program, .version = PACKAGE_VERSION },
		.signals = -1,
		.arguments = argv,
#ifdef NP_PROGRAM_TOURNAMENT
		.tournament = NP_PROGRAM_TOURNAMENT,
#endif
	};
	bool answered = false;
	int rc;

	if (program.module_options == NULL)
		return EXIT_FAILURE;
	program.sets[0] = (struct np_option_set){ .table = np_driver_options,
						  .values = &program.options,
						  .lacks = np_traits_lacking(module),
						  .reason = np_traits_reason };
	program.sets[1] = (struct np_option_set){ .table = module->options,
						  .values = program.module_options };
	open_standard_streams();
	/* Writes to a closed connection, or to a file at its size limit, then return an
	 * error. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	rc = parse(&program, argc, argv, &answered, &error);
	/* The parent of a run of --runs limits all runs together. */
	program.deadline =
		program.options.max_run_time != 0 && program.options.run_pipe == NULL ?
			np_deadline_in((uint64_t)(program.options.max_run_time * 1000)) :
			np_deadline_never();
	if (!answered && is_in_job(&program, rc))
		rc = np_job_run(&program, rc, &error);
	else if (rc == 0 && !answered)
		rc = run(&program, &error);
	rc = np_stdout_check(np_draw_finish(&program, rc, &error), &error);
	if (rc != 0 && !program.error_printed &&
	    !is_reported_elsewhere(&program.options, &error))
		report(&program, &error, rc);
	free(program.module_options);
	free(program.plan);
	free(program.expect);
	free(program.points);
	np_variants_free(&program.variants);
	for (size_t i = 0; i < NP_VARIANTS_MAX; i++)
		free(program.variant_options[i]);
	const int status = rc == 0 ? EXIT_SUCCESS :
				     (int)(error.code != 0 ? error.kind : NP_ERROR_FAILED);
	if (program.job.started) {
		exit_after_timeout(&program.job, status);
		module->job->finish(&program.job, program.job.diverged ? status : 0);
	}
	return status;
}
