/*
 * session.c - steps of both processes before a run starts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "plan/options_check.h"
#include "boot/boot_tcp.h"
#include "boot/frame.h"
#include "endpoint/process.h"
#include "machine/host_memory.h"
#include "machine/host.h"
#include "base/files.h"
#include "plan/clauses.h"
#include "plan/layout.h"
#include "output/output.h"
#include "plan/plan.h"
#include "program/program.h"

static int draw_seed(struct np_options *options, struct np_error *error)
{
	while (options->seed == 0) {
		if (getrandom(&options->seed, sizeof(options->seed), 0) < 0)
			return np_fail_errno(error, errno, "cannot draw a seed");
		options->seed >>= 32; /* short enough to be typed again */
	}
	return 0;
}

/* Refuses --fail-on without a comparison of modes.  Not called for runs that compare pairs
 * of hosts or ranks. */
static int refuse_verdicts(const struct np_program *program, struct np_error *error)
{
	const struct np_options *options = &program->options;

	if (options->fail_on == NP_FAIL_ON_NOTHING)
		return 0;
	if (!options->invalidate)
		return np_refuse(error, "--fail-on slower needs -I");
	if (!np_options_reuse(options) || options->integrity)
		return np_refuse(error, "--fail-on slower needs the ratios of -I, which "
					"-i and --buffers without reuse leave out");
	return 0;
}

/* Returns true if this process is a server; --dry-run shows the plan of a client. */
static bool waits(const struct np_program *program)
{
	const struct np_options *options = &program->options;

	return (np_traits_lacking(program->module) & NP_HAS_SERVER) == 0 &&
	       !options->local && options->host == NULL && options->remote == NULL &&
	       !options->fleet && !options->dry_run;
}

int np_program_request(struct np_program *program, struct np_error *error)
{
	static const char *const names[NP_OPERATIONS] = {
		[NP_PINGPONG] = "pingpong",
		[NP_STREAM] = "stream",
		[NP_STREAM_ACKED] = "stream_acked",
		[NP_BIDIRECTIONAL] = "bidirectional",
		[NP_ONE_SIDED] = "step",
	};
	const struct np_options *options = &program->options;
	struct np_request *request = &program->request;
	size_t *sizes = NULL, count = 0;
	const enum np_rotate_side side = np_options_memory_side(options);
	const bool acked = np_plan_operation(options) == NP_STREAM_ACKED;

	/* Set -I for every kind of buffer other than one reused. */
	if ((options->buffers & ~(unsigned)(NP_BUFFERS_REUSE | NP_BUFFERS_SAME)) != 0 &&
	    !np_options_rotate(options))
		program->options.invalidate = true;
	int rc = np_clauses_apply(&program->options, error);

	if (rc == 0)
		rc = np_options_check(options, error);

	if (rc == 0 && options->why != 0 && !np_cpu_cache_can_evict())
		rc = np_refuse(
			error,
			"--why: this processor has no instruction that flushes its caches");
	if (rc == 0)
		rc = np_plan_sizes(options, &sizes, &count, error);
	if (rc != 0)
		return rc;
	*request = (struct np_request){ .operation = np_plan_operation(options),
					.smallest = sizes[0],
					.largest = sizes[count - 1],
					.window = acked ? 0 : options->window,
					.integrity = options->integrity,
					.sweeps = options->capacity != 0,
					.prepares = options->why != 0,
					.same_buffer =
						(options->buffers & NP_BUFFERS_SAME) != 0,
					.memory = np_options_memory(options),
					.host_send = side == NP_ROTATE_RECV,
					.host_recv = side == NP_ROTATE_SEND,
					.own_pages = options->memory != NP_MEMORY_HOST,
					.capabilities = program->module->capabilities };
	free(sizes);
	request->operation_name = names[request->operation];
	if (program->module->check != NULL)
		rc = program->module->check(program->module_options, request, error);
	if (rc == 0)
		rc = np_options_read(program->given, options, request, waits(program),
				     error);
	if (rc == 0 && !request->tournament)
		rc = refuse_verdicts(program, error);
	if (rc == 0 && options->expect != NULL && request->variant_count > 1)
		rc = np_refuse(error,
			       "--expect judges one variant: leave out the options that "
			       "compare several");
	return rc != 0 ? rc : np_plan_refuse(options, program->module, request, error);
}

/* --expect @FILE: the clauses for this program become those of --expect. */
static int read_expectations(struct np_program *program, struct np_error *error)
{
	struct np_options *options = &program->options;
	struct np_clauses clauses = { .count = 0 };
	char *text = NULL;

	if (options->expect == NULL || options->expect[0] != '@')
		return 0;
	const char *file = options->expect + 1;
	int rc = np_file_text(file, NP_CLAUSES_FILE_MAX, &text, error);

	if (rc == 0)
		rc = np_clauses_parse_file(file, text, program->module->program, &clauses,
					   error);
	if (rc == 0)
		rc = np_clauses_choose(&clauses, options->stream, file, error);
	free(text);
	if (rc != 0)
		return rc;
	program->expect = np_clauses_exact(&clauses);
	options->expect = program->expect;
	options->expect_left = clauses.left;
	return program->expect != NULL ?
		       0 :
		       np_fail_errno(error, ENOMEM, "cannot read clauses");
}

int np_program_prepare(struct np_program *program, bool writes, struct np_error *error)
{
	const struct np_options *options = &program->options;
	unsigned index;
	int fd;

	/* Close on exec: a child of this run must not keep the parent's pipe open. */
	if (np_program_run_index(program, &fd, &index) && fd > STDERR_FILENO)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	int rc = draw_seed(&program->options, error);

	/* The server receives points and clauses with the plan. */
	if (rc == 0 && writes && options->replay != NULL && options->points == NULL) {
		rc = np_uses_points(options->replay, &program->points, error);
		program->options.points = program->points;
	}
	if (rc == 0 && writes)
		rc = read_expectations(program, error);
	if (rc == 0)
		rc = np_program_request(program, error);
	if (rc == 0 && np_options_apart(options) && options->runs < 2)
		rc = np_refuse(error, "--buffers apart needs --runs of 2 or more");
	if (rc == 0 && (options->run_pipe == NULL || program->endpoints_in_one_run))
		rc = np_program_check_variants(program, writes, error);
	/* The parent of a run of --runs has checked the files. */
	if (rc == 0 && writes && options->run_pipe == NULL)
		rc = np_draw_prepare(program, error);
	if (rc == 0 && writes && options->run_pipe == NULL)
		rc = np_output_check(options, error);
	return rc;
}

double np_program_run_time(const struct np_program *program)
{
	/* The parent limits all runs together. */
	return program->options.run_pipe != NULL ?
		       0 :
		       np_plan_run_time(&program->options, &program->request);
}

void np_program_results(const struct np_program *program, struct np_results *results)
{
	const struct np_options *options = &program->options;

	results->operation = program->request.operation;
	results->operation_name = program->request.operation_name;
	np_results_compare(results, &program->request);
	if (program->variant != NULL) {
		results->variants[0] = program->variant->name;
		results->variant_count = 1;
	}
	results->per_message = options->per_message;
	results->watched = options->watch > 0;
	results->precision = results->watched ? 0 : options->precision / 100;
	results->same_within = options->same_within / 100;
}

void np_program_header(const struct np_program *program, struct np_run_header *header)
{
	header->module = program->module;
	header->version = program->identity.version;
	header->sets = program->sets;
	header->set_count = 2;
	header->request = &program->request;
	header->variants = &program->variants;
}

int np_session_meet(struct np_boot *boot, struct np_error *error)
{
	/* Forked processes share a host; others exchange boot ids. */
	return boot->same_host ? 0 : np_boot_compare_hosts(boot, error);
}

/* Returns the number of processes of the run on this host. */
static unsigned count_here(const struct np_program *program, const struct np_boot *boot)
{
	const unsigned two = boot->same_host ? 2 : 1;

	return program->crowd.here > two ? program->crowd.here : two;
}

int np_session_host(const struct np_program *program, const struct np_boot *boot,
		    struct np_topology *topology, int *core, struct np_facts *facts,
		    struct np_error *error)
{
	const struct np_module *module = program->module;
	const struct np_device_hooks *device = module->device;
	const int node = device != NULL && device->node != NULL ?
				 device->node(program->module_options) :
				 -1;
	const struct np_core_choice choice = { .rank = boot->rank,
					       .same_host = boot->same_host,
					       .node = node,
					       .taken = *core };
	const char *where = program->options.bind;
	int rc = np_topology_open(topology, error);

	/* Keep the launcher's binding, which is the user's decision. */
	if (module->job != NULL && strcmp(where, "auto") == 0)
		where = "none";
	if (rc == 0) {
		np_topology_model(topology, module->model, program->module_options);
		rc = np_topology_bind(topology, where, &choice, core, error);
	}
	if (rc != 0)
		return rc;
	np_facts_add(facts, "program", "%s", program->identity.program);
	np_facts_add(facts, "version", "%s", program->identity.version);
	np_host_describe(facts);
	np_topology_describe(topology, facts);
	if (*core >= 0)
		np_facts_add(facts, "core", "%d", *core);
	else
		np_facts_add(facts, "core", "any");
	if (np_topology_node_of(topology, *core) >= 0)
		np_facts_add(facts, "core_numa_node", "%d",
			     np_topology_node_of(topology, *core));
	if (node >= 0)
		np_facts_add(facts, "device_numa_node", "%d", node);
	/* Page size of this host, unless the module models pages or allocates the
	 * buffers. */
	if (module->model == NULL && !program->request.own_pages)
		np_facts_add_number(facts, "page_bytes", np_page_size(NP_PAGES_4K),
				    NP_UNIT_BYTES, NULL);
	if (program->request.pool_most != 0)
		np_facts_add_number(facts, "pool_most_bytes", program->request.pool_most,
				    NP_UNIT_BYTES, NULL);
	/* One process per host warns; a virtual clock is not affected. */
	if (module->model == NULL && (boot->rank == 0 || !boot->same_host))
		np_host_warn(facts, count_here(program, boot));
	return 0;
}

/* Exchanges core numbers.  Processes that share a core must not spin: the waiting one would
 * occupy the core until the kernel preempts it. */
static int agree_on_cores(struct np_process *process, int core, struct np_error *error)
{
	unsigned char mine[8], theirs[8];

	np_put_u32(mine, (uint32_t)core);
	np_put_u32(mine + 4, process->topology->cores);
	const int rc = np_boot_exchange(process->boot, mine, theirs, sizeof(mine), error);

	process->cores[0] = process->cores[1] = -1;
	if (rc != 0 || !process->boot->same_host)
		return rc;
	process->cores[process->boot->rank] = core;
	process->cores[1 - process->boot->rank] = (int)np_get_u32(theirs);
	/* A process with one core of several is bound to it, and the peer may have
	 * another. */
	process->share_core =
		(core >= 0 && (uint32_t)core == np_get_u32(theirs)) ||
		(core < 0 && process->topology->cores < 2) ||
		(process->cores[1 - process->boot->rank] < 0 && np_get_u32(theirs + 4) < 2);
	return 0;
}

int np_session_prepare(struct np_process *process, int core, struct np_error *error)
{
	int rc = agree_on_cores(process, core, error);

	if (rc == 0)
		rc = np_core_latency_open(process->boot,
					  process->boot->same_host &&
						  !process->share_core && core >= 0 &&
						  process->module->model == NULL,
					  &process->core_latency, error);
	return rc == 0 ? np_process_prepare(process, np_plan_capacity(process->options),
					    error) :
			 rc;
}
