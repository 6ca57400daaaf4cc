/*
 * job.c - the run of a process that an MPI launcher has started.
 *
 * All processes parse the same command line and refuse the same options: rank 0 prints the
 * refusal, and all exit.  After client and server are connected, a failure of one may be
 * unknown to the other: rank 0 then writes its results and aborts the job.
 */
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "boot/boot_job.h"
#include "boot/channel.h"
#include "plan/options_check.h"
#include "program/program.h"
#include "endpoint/watch.h"

/* Most milliseconds for rank 0 to write its results after this process has failed. */
enum { RESULTS_MS = 15000 };

/* Refuses --runs in a process of a job: the program that calls the launcher takes it. */
static int refuse_options(const struct np_program *program, struct np_error *error)
{
	const char *name = program->module->program;

	if (program->options.runs < 2 || program->options.run_pipe != NULL)
		return 0;
	return np_refuse(error,
			 "--runs does not work in a process that a launcher started; "
			 "use: %s --launcher '%s %d' --runs %llu",
			 name, program->module->job->launcher,
			 program->job.size > 2 ? program->job.size : 2,
			 (unsigned long long)program->options.runs);
}

/* Checks that need no other process. */
static int check_alone(struct np_program *program, struct np_error *error)
{
	const struct np_module *module = program->module;
	const bool is_first = program->job.rank == 0, dry_run = program->options.dry_run;
	int rc = refuse_options(program, error);

	if (rc == 0)
		rc = np_program_prepare(program, is_first, error);
	if (rc == 0 && program->request.tournament)
		rc = np_options_exclude(&program->options, "a tournament",
					"invalidate capacity why refine expect integrity "
					"per-message output runs variant run-pipe",
					"it compares pairs of ranks", error);
	if (rc == 0 && !dry_run)
		rc = module->job->fits(program->module_options, program->job.size, error);
	return rc == 0 && dry_run && is_first ? np_dry_run(program, error) : rc;
}

/* Waits until rank 0 has written its results and closed the heartbeat link. */
static void wait_for_results(struct np_boot *boot)
{
	const struct timespec moment = { .tv_sec = 1 };
	const struct np_deadline deadline = np_deadline_in(RESULTS_MS);
	struct pollfd wait = { .fd = boot->heartbeat, .events = POLLIN };
	char beats[64];

	if (boot->heartbeat < 0)
		return;
	while (!np_deadline_is_over(deadline) &&
	       poll(&wait, 1, np_deadline_left_ms(deadline, -1)) > 0) {
		if (read(boot->heartbeat, beats, sizeof(beats)) <= 0)
			break;
	}
	/* Rank 0 then aborts the job with its exit status. */
	nanosleep(&moment, NULL);
}

static int measure(struct np_program *program, struct np_boot *boot, struct np_error *error)
{
	const struct np_module *module = program->module;
	struct np_received received;
	int rc;

	if (program->request.tournament) {
		/* Only rank 0 handles signals: it reports the rounds measured so far. */
		if (boot->rank != 0)
			np_watch_block_signals(false);
		return program->tournament(program, error);
	}
	if (boot->rank > 1) {
		/* Signals have their default action in these ranks: they end the process,
		 * and the job. */
		np_watch_block_signals(false);
		return module->job->serve_rank(&program->job, program->module_options,
					       error);
	}
	if (boot->rank == 0)
		return np_transmit(program, boot, error);
	rc = np_receive(program, boot, false, &received, error);
	/* Rank 0 prints the error of both, unless rank 0 itself has stopped. */
	if (rc != 0 && np_name_silent(error))
		program->error_printed = false;
	else if (rc != 0)
		wait_for_results(boot);
	return rc;
}

int np_job_run(struct np_program *program, int parsed, struct np_error *error)
{
	const struct np_job_hooks *hooks = program->module->job;
	struct np_job *job = &program->job;
	struct np_error ignored = { .code = 0 };
	struct np_boot boot;
	bool all_know;
	/* Before variants and roles change them. */
	char *given =
		parsed == 0 ? np_options_to_text(program->sets, 2, NP_SCOPE_PLAN) : NULL;

	program->signals = np_watch_signals(parsed == 0 ? error : &ignored);
	int rc = program->signals;
	if (rc >= 0)
		rc = hooks->start(job, program->module_options,
				  parsed == 0 ? error : &ignored);
	if (rc != 0) {
		free(given);
		return parsed != 0 ? parsed : rc;
	}
	job->started = true;
	program->error_printed = job->rank != 0;
	/* As main.c does while files of options are read. */
	np_watch_block_signals(false);
	rc = parsed != 0 ? parsed : check_alone(program, error);
	np_watch_block_signals(true);
	if (rc == 0 && program->options.dry_run) {
		free(given);
		return 0;
	}
	/* Collective: ranks that refused their options share their masks, too. */
	const int shared = np_crowd_find(hooks, job, rc == 0 ? given : NULL,
					 &program->crowd, rc == 0 ? error : &ignored);
	free(given);
	rc = rc != 0 ? rc : shared;
	const int failure = rc != 0 ? (int)error->kind : 0;
	rc = np_boot_job(&boot, hooks, job, &program->identity, failure, &all_know, error);
	if (rc == 0)
		rc = measure(program, &boot, error);
	job->diverged = rc != 0 && !all_know;
	np_boot_close(&boot);
	return rc;
}
