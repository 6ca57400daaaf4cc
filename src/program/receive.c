/*
 * receive.c - rank 1's run: receives the plan, executes commands, replies.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/channel.h"
#include "boot/reply.h"
#include "endpoint/command.h"
#include "machine/host.h"
#include "plan/plan.h"
#include "program/program.h"

/* Sets every option of the plan to the client's value.  Option texts point into the
 * payload, *keep, which the caller frees after the run. */
static int take_plan(struct np_program *program, struct np_boot *boot, char **keep,
		     struct np_error *error)
{
	struct np_frame frame;
	int rc = np_boot_receive(boot, NP_FRAME_PLAN, &frame, error);

	if (rc != 0)
		return rc;
	*keep = (char *)frame.payload;
	/* Drop the variants of the command line, which --local and jobs share with the
	 * client. */
	program->options.variants.count = 0;
	return np_options_from_text(program->sets, 2, NP_SCOPE_PLAN, *keep, error);
}

/* Longest plan, s, of a client without a token, unless --allow all or --max-run-time
 * permits more: ten default runs. */
enum { UNPROVEN_S = 600 };

static bool is_unproven(const struct np_program *program)
{
	return program->key == NULL && !np_options_open(&program->options);
}

/* Limits the memory of a server to a share of the available memory: 3/4 with a token, 1/4
 * with --allow all, else 1/4 and NP_UNPROVEN_MEMORY at most.  The limit goes to the client
 * as a fact. */
static void bound_memory(const struct np_program *program, struct np_process *process,
			 struct np_facts *facts)
{
	const size_t available = np_host_memory_available("");
	const size_t table = np_plan_capacity(&program->options) * sizeof(*process->table);

	if (available == 0)
		return;
	process->memory_most = program->key != NULL ? available / 4 * 3 : available / 4;
	if (is_unproven(program) && process->memory_most > NP_UNPROVEN_MEMORY)
		process->memory_most = NP_UNPROVEN_MEMORY;
	np_facts_add_number(facts, "memory_available_bytes",
			    process->memory_most > table ? process->memory_most - table : 0,
			    NP_UNIT_BYTES, "a share for clients");
}

/* Returns the time limit of the run, s. */
static double bound_time(const struct np_program *program, bool alone)
{
	const double limit = np_program_run_time(program);

	return alone && is_unproven(program) && program->options.max_run_time == 0 ?
		       UNPROVEN_S :
		       limit;
}

/* Refuses a plan that takes longer than UNPROVEN_S, instead of ending its run in the
 * middle. */
static int refuse_long(const struct np_program *program, struct np_error *error)
{
	const double estimate = np_plan_estimate(&program->options, &program->request);

	if (!is_unproven(program) || program->options.max_run_time != 0 ||
	    estimate <= UNPROVEN_S)
		return 0;
	return np_refuse(error,
			 "the plan takes %.0f s, and this server allows %d s without a "
			 "token: --token-file, --allow all or --max-run-time there",
			 estimate, UNPROVEN_S);
}

/* Receives the plan, prepares this process, and replies with facts of this host. */
static int join(struct np_program *program, struct np_process *process, bool alone,
		struct np_topology *topology, int *core, char **keep,
		struct np_received *received, struct np_error *error)
{
	struct np_facts facts = { .list = NULL };
	int rc = np_session_meet(process->boot, error);

	if (rc == 0)
		rc = take_plan(program, process->boot, keep, error);

	if (rc == 0)
		rc = np_program_request(program, error);
	if (rc == 0 && alone)
		rc = refuse_long(program, error);
	if (rc == 0)
		rc = np_program_take_variants(program, error);
	process->request = program->request;
	process->variant_options = np_program_held_options(program);
	if (rc == 0)
		rc = np_session_host(program, process->boot, topology, core, &facts, error);
	/* A process started by the client's command runs as the client's user: it has no
	 * other limit than --max-memory. */
	process->memory_most = program->options.max_memory;
	if (rc == 0 && alone && process->memory_most == 0)
		bound_memory(program, process, &facts);
	received->plan = *keep != NULL;
	received->refused = received->plan && rc != 0;
	char *text = np_facts_to_text(&facts);
	np_facts_free(&facts);
	const int sent = np_reply_send(process->boot->control, NP_FRAME_REPLY, error, text);
	free(text);
	if (rc == 0 && sent != 0)
		rc = np_boot_lost(sent, error);
	return rc == 0 ? np_session_prepare(process, *core, error) : rc;
}

/* Called in the watcher thread if the main thread does not return. */
static void print_reason(void *context, const struct np_error *why)
{
	const struct np_program *program = context;

	np_error_print(stderr, program->identity.program, why);
}

bool np_name_silent(struct np_error *error)
{
	struct np_error named = { .code = 0 };

	if (error->code != -EHOSTDOWN)
		return false;
	np_fail(&named, NP_ERROR_PEER, EHOSTDOWN,
		"rank 0 is stopped, or its host is gone: %s", error->text);
	*error = named;
	return true;
}

/* Prints the error in rank 1 of a job if rank 0 has stopped: otherwise rank 0 prints it. */
static void print_silence(void *context, const struct np_error *why)
{
	struct np_error named = *why;

	if (np_name_silent(&named))
		print_reason(context, &named);
}

int np_receive(struct np_program *program, struct np_boot *boot, bool alone,
	       struct np_received *received, struct np_error *error)
{
	struct np_watch watch = { .boot = boot,
				  .signals = program->signals,
				  .emergency = alone ? print_reason :
					       program->module->job != NULL ?
						       print_silence :
						       NULL,
				  .context = program };
	struct np_topology topology = { .handle = NULL };
	struct np_process process = { .module = program->module,
				      .module_options = program->module_options,
				      .options = &program->options,
				      .boot = boot,
				      .watch = &watch,
				      .topology = &topology };
	char *keep = NULL;
	int core = -1;
	int rc = np_watch_begin(&watch, error);

	received->plan = received->refused = false;
	if (rc == 0)
		rc = join(program, &process, alone, &topology, &core, &keep, received,
			  error);
	if (rc == 0) {
		np_watch_limit(&watch, bound_time(program, alone));
		rc = np_command_follow(&process, error);
	} else {
		const struct np_error refusal = *error;

		np_watch_stopped(&watch, error);
		/* Keep the refusal of the plan even if the client has disconnected. */
		if (received->refused && error->kind == NP_ERROR_PEER)
			*error = refusal;
	}
	received->runs_left = program->options.runs - 1;
	np_watch_end(&watch, error);
	np_process_finish(&process);
	np_topology_close(&topology);
	free(keep);
	return rc;
}
