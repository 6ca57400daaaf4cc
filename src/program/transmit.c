/*
 * transmit.c - the client (rank 0): connection, and the run from the negotiation of the
 * plan to the findings.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/boot_tcp.h"
#include "boot/channel.h"
#include "boot/reply.h"
#include "endpoint/command.h"
#include "endpoint/process.h"
#include "endpoint/watch.h"
#include "machine/host.h"
#include "machine/topology.h"
#include "output/output.h"
#include "plan/budget.h"
#include "plan/plan.h"
#include "program/program.h"
#include "program/remote.h"
#include "run/campaign.h"
#include "run/refine.h"

/* ---- Cold check ------------------------------------------------------------- */

static void keep_check(struct np_run_header *header, size_t length,
		       const struct np_cold_probe probes[2])
{
	struct np_cold_check *check = &header->cold[header->cold_count++];

	check->length = length;
	memcpy(check->probes, probes, sizeof(check->probes));
}

/* Returns the smallest size of the plan of at least that many bytes, or the largest
 * size. */
static size_t size_near(const struct np_plan *plan, size_t wanted)
{
	size_t best = 0;

	while (best + 1 < plan->size_count && plan->sizes[best] < wanted)
		best++;
	return plan->sizes[best];
}

/* Performs the cold check in both processes, at a small size of the plan, one of a page,
 * and the largest.  Results go to *header and, unless json is NULL, to the result file.
 * Buffers that share a cache line, or that the CPU cannot load from, are not probed:
 * header->cold_unchecked is the reason.  Returns 0 or -errno. */
static int check_cold(struct np_process *process, const struct np_plan *plan, FILE *json,
		      struct np_run_header *header, struct np_error *error)
{
	static const size_t wanted[NP_COLD_CHECKS] = { 64, 4096, SIZE_MAX };
	size_t last = SIZE_MAX;
	int rc = 0;

	/* Buffers that share a cache line would break the probe's pointer chain. */
	if (process->options->align < process->topology->line_size)
		header->cold_unchecked =
			"with --align below a cache line buffers share lines";
	else if (!np_process_memory(process)->loadable && process->module->model == NULL)
		header->cold_unchecked = "the CPU cannot load from the buffers";
	if (header->cold_unchecked != NULL)
		return 0;
	for (size_t i = 0; i < NP_COLD_CHECKS && rc == 0; i++) {
		const size_t length = size_near(plan, wanted[i]);
		const struct np_command probe = { .kind = NP_COMMAND_PROBE,
						  .length = length };
		struct np_outcome outcome = { .ns = NULL };

		if (length == last)
			continue;
		last = length;
		rc = np_command_both(process, &probe, &outcome, error);
		if (rc == 0)
			keep_check(header, length, outcome.probes);
		if (rc == 0 && json != NULL)
			rc = np_json_probe(json, length, outcome.probes, error);
	}
	return rc;
}

/* ---- Negotiation of the plan ------------------------------------------------ */

/* Sends the options of the plan and receives the server's facts. */
static int offer_plan(const struct np_program *program, struct np_boot *boot,
		      unsigned run_index, struct np_facts *theirs, struct np_error *error)
{
	struct np_options options = program->options;
	const struct np_option_set sets[] = {
		{ .table = program->sets[0].table, .values = &options }, program->sets[1]
	};

	/* A run with one variant has applied its settings to the options already. */
	if (!program->endpoints_in_one_run)
		options.variants.count = 0;
	char *text = np_options_to_text(sets, 2, NP_SCOPE_PLAN);
	char *whole = NULL, *facts = NULL;
	struct np_frame frame;
	int rc;

	/* The server needs the number of runs that are left. */
	if (text == NULL || asprintf(&whole, "%sruns=%llu\n", text,
				     (unsigned long long)(np_plan_runs(&program->options) -
							  run_index)) < 0) {
		free(text);
		return np_fail_errno(error, ENOMEM, "cannot write the plan");
	}
	rc = np_boot_send(boot, NP_FRAME_PLAN, whole, strlen(whole), error);
	free(whole);
	free(text);
	if (rc != 0)
		return rc;
	rc = np_boot_receive(boot, NP_FRAME_REPLY, &frame, error);
	if (rc != 0)
		return rc;
	rc = np_reply_read(&frame, &facts, error);
	free(frame.payload);
	if (rc == 0)
		np_facts_from_text(theirs, facts);
	free(facts);
	return rc;
}

/* Largest memory and cache size that are accepted as facts, bytes: no product in the plan
 * overflows. */
static const uint64_t most_memory = (uint64_t)1 << 56, most_cache = (uint64_t)1 << 40;

/* Reads a size of both processes, 0 where none is reported.  Returns 0 or -EPROTO. */
static int read_sizes(const struct np_facts facts[2], const char *name, uint64_t most,
		      size_t sizes[2], struct np_error *error)
{
	for (int rank = 0; rank < 2; rank++) {
		const char *text = np_facts_find(&facts[rank], name);
		uint64_t size = 0;
		const int rc =
			text == NULL || strcmp(text, "not reported") == 0 ?
				0 :
				np_peer_count(&facts[rank], name, most, &size, error);

		if (rc != 0)
			return rc;
		sizes[rank] = (size_t)size;
	}
	return 0;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Returns the smaller of two bounds; 0: no bound. */
static size_t tighter(size_t a, size_t b)
{
	return a == 0 || b == 0 ? larger(a, b) : smaller(a, b);
}

/* Reads "always [madvise] never", where brackets mark the active setting. */
static bool gives_huge_pages(const struct np_facts *facts)
{
	const char *text = np_facts_find(facts, "transparent_huge_pages");

	return text != NULL &&
	       (strstr(text, "[always]") != NULL || strstr(text, "[madvise]") != NULL);
}

int np_agree_on_pages(const struct np_module *module, const struct np_facts facts[2],
		      struct np_resources *resources, struct np_error *error)
{
	size_t huge[2];
	const int rc = read_sizes(facts, "huge_pages_free_bytes", most_memory, huge, error);

	if (rc != 0)
		return rc;
	resources->models = module->model != NULL;
	resources->transparent = gives_huge_pages(&facts[0]) && gives_huge_pages(&facts[1]);
	resources->huge_bytes = smaller(huge[0], huge[1]);
	return 0;
}

static int read_resources(const struct np_program *program,
			  const struct np_process *process, const struct np_facts facts[2],
			  struct np_resources *resources, struct np_error *error)
{
	size_t last_level[2] = { 0 }, inner[2] = { 0 }, memory[2] = { 0 }, pool[2] = { 0 };
	int rc = read_sizes(facts, "cache_last_level_bytes", most_cache, last_level, error);

	if (rc == 0)
		rc = read_sizes(facts, "cache_l2_bytes", most_cache, inner, error);
	if (rc == 0)
		rc = read_sizes(facts, "memory_available_bytes", most_memory, memory,
				error);
	if (rc == 0)
		rc = read_sizes(facts, "pool_most_bytes", most_memory, pool, error);
	/* A pool is up to eight times the cache (default_pool()). */
	if (program->key == NULL)
		last_level[1] = smaller(last_level[1],
					larger(last_level[0], NP_UNPROVEN_MEMORY / 8));
	*resources = (struct np_resources){
		.cache_bytes = larger(last_level[0], last_level[1]),
		.inner_cache = smaller(inner[0], inner[1]),
		.line_size = process->topology->line_size,
		.memory_bytes = smaller(memory[0], memory[1]),
		.share_memory = process->boot->same_host,
		.pool_most = tighter(pool[0], pool[1]),
		.program = program->identity.program,
	};
	return rc == 0 ? np_agree_on_pages(process->module, facts, resources, error) : rc;
}

/* Returns the core of the server, or -1 if it is not bound. */
static int read_core(const struct np_facts *facts)
{
	const char *text = np_facts_find(facts, "core");
	char *end = NULL;
	const long core = text != NULL ? strtol(text, &end, 10) : -1;

	return end != text && core >= 0 && core < INT_MAX ? (int)core : -1;
}

/* Adds "warning_cores" to the facts of rank 0 if the processes of a host have to take turns
 * on its cores; after np_session_prepare(). */
static void warn_of_cores(const struct np_program *program,
			  const struct np_process *process, struct np_facts *facts)
{
	static const char turns[] = "times are the scheduler's";
	const struct np_crowd *crowd = &program->crowd;

	/* A model takes no core. */
	if (program->module->model != NULL)
		return;
	if (crowd->ranks > 2 && crowd->ranks > crowd->cores)
		np_facts_add(facts, "warning_cores",
			     "%u ranks of a host share %u core%s, %s: start fewer, or give "
			     "the job more cores",
			     crowd->ranks, crowd->cores, np_plural(crowd->cores), turns);
	else if (process->share_core && process->cores[0] >= 0)
		np_facts_add(facts, "warning_cores",
			     "both processes share core %d, %s: give two (taskset, --bind, "
			     "--cpus-per-task)",
			     process->cores[0], turns);
	else if (process->share_core)
		np_facts_add(facts, "warning_cores",
			     "both processes share one core, %s: give this host two",
			     turns);
}

/* Negotiates the plan of run run_index of --runs and prepares the process.  Fills facts of
 * rank 0 and rank 1, which the caller frees.  Returns 0 or -errno; the caller calls
 * np_plan_free() in either case. */
static int negotiate(const struct np_program *program, struct np_process *process,
		     unsigned run_index, struct np_facts facts[2], struct np_plan *plan,
		     struct np_error *error)
{
	struct np_resources resources;
	int core = -1;
	int rc = np_session_meet(process->boot, error);

	if (rc == 0)
		rc = offer_plan(program, process->boot, run_index, &facts[1], error);
	/* The server has bound itself: leave its core. */
	if (rc == 0 && process->boot->same_host)
		core = read_core(&facts[1]);
	if (rc == 0)
		rc = np_session_host(program, process->boot, process->topology, &core,
				     &facts[0], error);
	if (rc == 0)
		rc = np_session_prepare(process, core, error);
	if (rc == 0) {
		warn_of_cores(program, process, &facts[0]);
		rc = read_resources(program, process, facts, &resources, error);
	}
	return rc == 0 ? np_plan_make(process->options, &process->request, &resources, plan,
				      error) :
			 rc;
}

/* ---- The run ---------------------------------------------------------------- */

/* State of the run at rank 0. */
struct transmission {
	struct np_program *program;
	struct np_process process;
	struct np_watch watch;
	struct np_topology topology;
	struct np_plan plan;
	struct np_results results;
	struct np_run_header header;
	struct np_output output;
	struct np_observer observer;
	struct np_campaign campaign;
	struct np_refining refining;
	struct np_expectation expected;
	int pipe;		      /* --runs: pipe to the parent; -1: none */
	unsigned run_index;	      /* --runs: index of this run */
	uint64_t checked;	      /* -i: messages whose every byte was right */
	bool prints_header;	      /* prints header and probes */
	bool warned[NP_VARIANTS_MAX]; /* variants without endpoint, already reported */
	pthread_mutex_t printing;
	pthread_mutex_t
		drawing; /* protects progress output, which ends before the report */
};

/* Virtual clock of a module with a model (NPsim): reading it takes no time. */
static const struct np_clock_quality virtual_clock = { .name = "virtual",
						       .resolution_ns = 1 };

static int agree(struct transmission *run, struct np_error *error)
{
	const int rc = negotiate(run->program, &run->process, run->run_index,
				 run->header.hosts, &run->plan, error);

	if (rc == 0) {
		run->run_index =
			np_plan_run(run->process.options, run->run_index, &run->plan);
		if (run->program->control)
			run->plan.modes[0] = NP_MODE_CONTROL;
		np_program_results(run->program, &run->results);
		memcpy(run->results.conditions, run->plan.conditions,
		       sizeof(run->plan.conditions));
		run->results.job_size = run->program->job.size;
	}
	return rc;
}

/* Opens the module in both processes; the module's facts go to the header. */
static int open_processes(struct transmission *run, struct np_error *error)
{
	const struct np_command open = { .kind = NP_COMMAND_OPEN };
	struct np_outcome outcome = { .ns = NULL };
	const int rc = np_command_both(&run->process, &open, &outcome, error);

	if (rc == 0)
		np_process_describe(&run->process, &run->header.paths[0]);
	np_warn_variants_dropped(run->program, &run->process, run->prints_header,
				 run->warned);
	run->header.paths[1] = outcome.facts;
	return rc;
}

static int write_visit(void *context, const struct np_measured *measured,
		       struct np_error *error)
{
	struct transmission *run = context;

	if (run->results.watched && run->prints_header) {
		np_progress_clear(&run->output);
		np_text_minute(stdout, &run->results,
			       run->results.visits[run->results.count - 1]);
	}
	if (run->output.json == NULL)
		return 0;
	return np_json_visit(run->output.json, &run->results, measured, error);
}

static int write_superseded(void *context, unsigned run_index, uint64_t serial,
			    struct np_error *error)
{
	struct transmission *run = context;

	return run->output.json == NULL ?
		       0 :
		       np_json_superseded(run->output.json, run_index, serial, error);
}

static int write_connection(void *context, const struct np_warm_up *connection,
			    struct np_error *error)
{
	struct transmission *run = context;

	return run->output.json == NULL ?
		       0 :
		       np_json_connection(run->output.json, connection, error);
}

static int write_condition(void *context, enum np_factor factor, struct np_error *error)
{
	struct transmission *run = context;

	if (run->output.json == NULL)
		return 0;
	return np_json_condition(run->output.json, &run->results, factor, error);
}

/* --why: writes to the result file which conditions are measured. */
static int write_conditions(struct transmission *run, struct np_error *error)
{
	int rc = 0;

	for (enum np_factor factor = NP_FACTOR_NONE + 1;
	     factor < NP_FACTORS && run->process.options->why != 0 && rc == 0; factor++)
		rc = write_condition(run, factor, error);
	return rc;
}

static int print_checked(void *context, size_t length, enum np_mode mode, size_t variant,
			 uint64_t messages, struct np_error *error)
{
	struct transmission *run = context;
	const char *name = np_variant_name(&run->results, variant);
	char bytes[32];

	run->checked += messages;
	np_progress_clear(&run->output);
	np_text_bytes(length, bytes, sizeof(bytes));
	printf("%10s  %-15s%s%s %10llu messages, every byte right\n", bytes,
	       np_mode_text(mode), name != NULL ? " " : "", name != NULL ? name : "",
	       (unsigned long long)messages);
	fflush(stdout);
	if (run->output.json == NULL)
		return 0;
	return np_json_checked(run->output.json, &run->results, length, mode, variant,
			       messages, error);
}

static void show_progress(void *context, unsigned pass, size_t length, double share,
			  double limit_s)
{
	struct transmission *run = context;
	const struct np_progress progress = { .pass = pass,
					      .length = length,
					      .share = share,
					      .limit_s = limit_s,
					      .table = run->plan.sweep_count == 0 &&
						       !run->results.watched &&
						       !run->plan.alternate };

	pthread_mutex_lock(&run->drawing);
	np_progress_show(&run->output, &run->results, &progress);
	pthread_mutex_unlock(&run->drawing);
}

/* Prints the header before the run. */
static void print_header(const struct transmission *run)
{
	const bool verbose = run->process.options->verbose;

	np_text_head(stdout, &run->header);
	np_text_notes(stdout, &run->header);
	if (verbose)
		np_text_settings(stdout, &run->header);
}

static int measure(struct transmission *run, struct np_error *error)
{
	const struct np_options *options = run->process.options;
	const struct np_command end = { .kind = NP_COMMAND_END };
	char warm[128];
	int rc = open_processes(run, error);

	if (rc == 0)
		rc = np_plan_limit(&run->plan, np_process_longest(&run->process), error);
	if (rc == 0)
		rc = np_campaign_init(&run->campaign, error);
	if (rc == 0 && run->prints_header)
		print_header(run);
	if (rc == 0 && run->output.json != NULL)
		rc = np_json_header(run->output.json, &run->header, error);
	if (rc == 0)
		rc = write_conditions(run, error);
	if (rc == 0)
		rc = np_campaign_map(&run->campaign, error);
	if (rc == 0 && np_options_rotate(options) && !options->integrity &&
	    options->points == NULL)
		rc = check_cold(&run->process, &run->plan, run->output.json, &run->header,
				error);
	/* With --runs the parent has no cold checks: print them here, as a run without it
	 * would. */
	if (rc == 0 && run->pipe >= 0 && run->prints_header &&
	    (options->verbose || np_text_warm(&run->header, warm, sizeof(warm))))
		np_text_cold(stdout, &run->header, options->verbose);
	fflush(stdout);
	if (rc == 0)
		rc = options->integrity ? np_campaign_check(&run->campaign, error) :
					  np_campaign_run(&run->campaign, error);
	if (rc == 0 && options->integrity && run->pipe < 0)
		printf("checked %llu messages: 0 errors\n",
		       (unsigned long long)run->checked);
	if (rc == 0 && options->refine)
		rc = np_refine_run(&run->campaign, &run->refining, error);
	np_warn_variants_dropped(run->program, &run->process, run->prints_header,
				 run->warned);
	np_mark_host_states(&run->results);
	if (rc == 0)
		rc = np_slowest_collect(&run->results.slowest, run->program->module->job,
					run->process.endpoint, error);
	if (rc == 0 && run->pipe >= 0)
		rc = np_json_slowest(run->output.json, &run->results, error);
	return rc == 0 ? np_command_both(&run->process, &end, NULL, error) : rc;
}

/* Prints and writes the results once, from the main or the watcher thread. */
static int report(struct transmission *run, const struct np_error *why,
		  struct np_error *error)
{
	pthread_mutex_lock(&run->drawing);
	np_progress_clear(&run->output);
	run->output.progress = false;
	pthread_mutex_unlock(&run->drawing);
	if (run->pipe >= 0 || run->process.options->integrity || run->header.plan == NULL)
		return 0;
	pthread_mutex_lock(&run->results.lock);
	const int rc =
		np_output_report(&run->output, &run->results, &run->header, why, error);
	pthread_mutex_unlock(&run->results.lock);
	return rc;
}

/* Called in the watcher thread if the main thread does not return. */
static void report_emergency(void *context, const struct np_error *why)
{
	struct transmission *run = context;
	struct np_error ignored = { .code = 0 };

	if (pthread_mutex_trylock(&run->printing) != 0)
		return;
	if (run->results.count != 0)
		report(run, why, &ignored);
	np_error_print(stderr, run->program->identity.program, why);
	fflush(stderr);
}

static int prepare_output(struct transmission *run, struct np_error *error)
{
	run->pipe = -1;
	run->prints_header = !run->program->options.quiet;
	if (!np_program_run_index(run->program, &run->pipe, &run->run_index))
		return np_output_open(&run->output, &run->program->options, error);
	/* A run of --runs writes its visits to the parent's pipe. */
	run->prints_header = run->prints_header && run->run_index == 0;
	run->output = (struct np_output){ .options = &run->program->options };
	/* In a job, text and results share standard output: use line buffering. */
	if (run->pipe == STDOUT_FILENO && setvbuf(stdout, NULL, _IOLBF, 0) != 0)
		return np_fail_errno(error, errno, "cannot write whole lines");
	run->output.json = fdopen(run->pipe, "w");
	return run->output.json != NULL ?
		       0 :
		       np_fail_errno(error, errno, "cannot write to the pipe of runs");
}

static void set_up(struct transmission *run, struct np_program *program,
		   struct np_boot *boot)
{
	*run = (struct transmission){ .program = program, .pipe = -1 };
	run->output.options = &program->options;
	run->watch = (struct np_watch){ .boot = boot,
					.signals = program->signals,
					.emergency = report_emergency,
					.context = run };
	run->process =
		(struct np_process){ .module = program->module,
				     .module_options = program->module_options,
				     .variant_options = np_program_held_options(program),
				     .options = &program->options,
				     .request = program->request,
				     .memory_most = program->options.max_memory,
				     .boot = boot,
				     .watch = &run->watch,
				     .topology = &run->topology };
	run->observer = (struct np_observer){ .context = run,
					      .visit = write_visit,
					      .superseded = write_superseded,
					      .connection = write_connection,
					      .condition = write_condition,
					      .checked = print_checked,
					      .progress = show_progress };
	pthread_mutex_init(&run->printing, NULL);
	pthread_mutex_init(&run->drawing, NULL);
	np_results_init(&run->results);
}

/* Sets the bounds of the core-to-core latency: from an earlier run, or from the cache or
 * package that the two cores share. */
static int bound_latency(struct transmission *run, struct np_error *error)
{
	const char *file = run->process.options->reference;
	const int *cores = run->process.cores;
	const struct np_shared shared = np_shared_of(&run->topology, cores[0], cores[1]);
	struct np_latency_bounds *bounds = &run->results.latency_bounds;
	double usual_ns;

	if (run->program->module->model == NULL) {
		bounds->most_ns = shared.most_ns;
		memcpy(bounds->source, shared.what, sizeof(shared.what));
	}
	if (file != NULL) {
		const int rc = np_reference_read(file, &usual_ns, error);

		if (rc != 0)
			return rc;
		np_latency_bounds_refer(bounds, usual_ns, file);
	}
	np_latency_bounds_to_facts(bounds, &run->header.hosts[0]);
	return 0;
}

/* Returns the first serial number of the visits of a run.  Runs of one round share a run
 * index: the upper 32 bits separate visits of different variants or, with --buffers apart,
 * modes. */
static uint64_t first_serial(const struct np_program *program, enum np_mode mode)
{
	const uint64_t apart =
		program->control ? program->variants.count :
		program->variant != NULL ?
				   (uint64_t)(program->variant - program->variants.list) :
		np_options_apart(&program->options) ? (uint64_t)mode :
						      0;

	return apart << 32;
}

static int transmit(struct transmission *run, struct np_error *error)
{
	const uint64_t begin_ns = np_clock_ns();
	int rc = np_watch_begin(&run->watch, error);

	run->header.clock =
		run->program->module->model != NULL ? virtual_clock : np_clock_measure();
	if (rc == 0)
		rc = np_clock_check(&run->header.clock, error);
	if (rc == 0)
		rc = prepare_output(run, error);
	if (rc == 0)
		rc = agree(run, error);
	if (rc == 0)
		rc = bound_latency(run, error);
	if (rc != 0)
		return rc;
	np_program_header(run->program, &run->header);
	run->header.plan = &run->plan;
	run->header.two_hosts = !run->process.boot->same_host;
	np_watch_limit(&run->watch, np_program_run_time(run->program));
	if (run->program->module->model == NULL)
		np_budget_lengthen(run->process.options, np_clock_grain(&run->header.clock),
				   &run->plan);
	run->header.refining = &run->refining;
	run->campaign = (struct np_campaign){
		.process = &run->process,
		.options = run->process.options,
		.plan = &run->plan,
		.results = &run->results,
		.observer = &run->observer,
		.run_index = run->run_index,
		.begin_ns = run->program->module->model == NULL ? begin_ns : 0,
		.serial = first_serial(run->program, run->plan.modes[0])
	};
	/* With --runs the parent evaluates --expect. */
	if (run->process.options->expect != NULL && run->process.options->runs == 1) {
		run->campaign.expected = &run->expected;
		rc = np_expectation_init(&run->expected, run->process.options->expect,
					 error);
	}
	return rc == 0 ? measure(run, error) : rc;
}

int np_transmit(struct np_program *program, struct np_boot *boot, struct np_error *error)
{
	struct transmission *run = malloc(sizeof(*run));

	if (run == NULL)
		return np_fail_errno(error, ENOMEM, "cannot begin a run");
	set_up(run, program, boot);
	int rc = transmit(run, error);
	if (rc != 0)
		np_watch_stopped(&run->watch, error);
	np_watch_end(&run->watch, error);

	pthread_mutex_lock(&run->printing);
	const struct np_error why = *error;
	if (rc == 0 || run->results.count != 0) {
		const int reported = report(run, rc != 0 ? &why : NULL, error);

		rc = rc != 0 ? rc : reported;
	}
	const int closed = np_output_close(&run->output, error);
	rc = rc != 0 ? rc : closed;
	if (rc == 0 && run->pipe < 0)
		rc = np_check_variants_whole(program, run->warned, error);

	np_process_finish(&run->process);
	np_campaign_free(&run->campaign);
	np_refining_free(&run->refining);
	np_plan_free(&run->plan);
	np_results_free(&run->results);
	for (int rank = 0; rank < 2; rank++) {
		np_facts_free(&run->header.hosts[rank]);
		np_facts_free(&run->header.paths[rank]);
	}
	np_topology_close(&run->topology);
	free(run);
	return rc;
}

/* ---- Connection ------------------------------------------------------------- */

static int transmit_to(struct np_program *program, const char *host, uint16_t port,
		       struct np_error *error)
{
	const struct np_dial dial = { .identity = &program->identity,
				      .host = host,
				      .port = port,
				      .from = program->options.bind_address,
				      .family = program->options.ipv4 ? AF_INET :
						program->options.ipv6 ? AF_INET6 :
									AF_UNSPEC,
				      .retry_ms = (int)(program->options.connect_timeout *
							1000),
				      .key = program->key,
				      .deadline = program->deadline };
	struct np_boot boot;

	/* Signals have their default action while connecting: the signalfd is not read yet,
	 * and there are no results. */
	np_watch_block_signals(false);
	int rc = np_boot_dial(&boot, &dial, error);
	np_watch_block_signals(true);

	if (rc == 0)
		rc = np_transmit(program, &boot, error);
	np_boot_close(&boot);
	return rc;
}

/* Returns the name or address of the host in "[user@]host". */
static const char *address_of(const char *host)
{
	const char *at = strrchr(host, '@');

	return at != NULL ? at + 1 : host;
}

static int transmit_to_remote(struct np_program *program, const struct np_notes *notes,
			      struct np_error *error)
{
	const struct np_options *options = &program->options;
	struct np_remote remote;
	uint16_t port = 0;
	int rc = np_remote_serve(&remote, program, options->remote, &port, error);

	memcpy(program->secret, remote.token, sizeof(program->secret));
	program->key = program->secret;
	if (rc == -EINTR)
		np_watch_read_signal(program->signals, error);
	if (rc == 0)
		rc = transmit_to(program,
				 options->host != NULL ? options->host :
							 address_of(options->remote),
				 port, error);
	np_remote_end(&remote);
	np_remote_print_stderr(&remote, error, notes);
	return rc;
}

int np_dial_out(struct np_program *program, const struct np_notes *notes,
		struct np_error *error)
{
	const struct np_options *options = &program->options;

	return options->remote != NULL ?
		       transmit_to_remote(program, notes, error) :
		       transmit_to(program, options->host, (uint16_t)options->port, error);
}
