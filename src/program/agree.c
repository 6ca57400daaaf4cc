/*
 * agree.c - negotiation of the plan, from the facts of both hosts.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/channel.h"
#include "boot/reply.h"
#include "endpoint/process.h"
#include "machine/topology.h"
#include "plan/plan.h"
#include "program/program.h"

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

/* The smaller of two bounds; 0: no bound. */
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

int np_agree(const struct np_program *program, struct np_process *process,
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
		np_session_warn(program, process, &facts[0]);
		rc = read_resources(program, process, facts, &resources, error);
	}
	return rc == 0 ? np_plan_make(process->options, &process->request, &resources, plan,
				      error) :
			 rc;
}
