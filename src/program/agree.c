/*
 * agree.c - the plan, from both ends' facts.
 */
#include "program/agree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/channel.h"
#include "boot/reply.h"
#include "endpoint/process.h"
#include "machine/topology.h"

/* Offers the plan, and takes the peer's facts for it. */
static int offer_plan(const struct np_program *program, struct np_boot *boot,
		      unsigned run_index, struct np_facts *theirs, struct np_error *error)
{
	char *text = np_options_to_text(program->sets, 2, NP_SCOPE_PLAN);
	char *whole = NULL, *facts = NULL;
	struct np_frame frame;
	int rc;

	/* The receiver shall know how many runs are still to come. */
	if (text == NULL || asprintf(&whole, "%slaunches=%llu\n", text,
				     (unsigned long long)(np_plan_runs(&program->options) -
							  run_index)) < 0) {
		free(text);
		return np_fail_errno(error, ENOMEM, "cannot write the plan");
	}
	rc = np_frame_send(boot->control, NP_FRAME_PLAN, whole, strlen(whole));
	free(whole);
	free(text);
	if (rc != 0)
		return np_boot_lost(rc, error);
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

static size_t size_fact(const struct np_facts *facts, const char *name)
{
	const char *text = np_facts_find(facts, name);

	return text != NULL ? (size_t)strtoull(text, NULL, 10) : 0;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* The tighter of two bounds, of which 0 is none. */
static size_t tighter(size_t a, size_t b)
{
	return a == 0 || b == 0 ? larger(a, b) : smaller(a, b);
}

/* "always [madvise] never": what is in brackets is in force. */
static bool gives_huge_pages(const struct np_facts *facts)
{
	const char *text = np_facts_find(facts, "transparent_huge_pages");

	return text != NULL &&
	       (strstr(text, "[always]") != NULL || strstr(text, "[madvise]") != NULL);
}

void np_agree_on_pages(const struct np_module *module, const struct np_facts facts[2],
		       struct np_resources *resources)
{
	resources->models = module->model != NULL;
	resources->transparent = gives_huge_pages(&facts[0]) && gives_huge_pages(&facts[1]);
	resources->huge_bytes = smaller(size_fact(&facts[0], "huge_pages_free_bytes"),
					size_fact(&facts[1], "huge_pages_free_bytes"));
}

static struct np_resources resources_of(const struct np_program *program,
					const struct np_process *process,
					const struct np_facts facts[2])
{
	const struct np_facts *mine = &facts[0], *theirs = &facts[1];

	return (struct np_resources){
		.cache_bytes = larger(size_fact(mine, "cache_last_level_bytes"),
				      size_fact(theirs, "cache_last_level_bytes")),
		.inner_cache = smaller(size_fact(mine, "cache_l2_bytes"),
				       size_fact(theirs, "cache_l2_bytes")),
		.line_size = process->topology->line_size,
		.memory_bytes = smaller(size_fact(mine, "memory_available_bytes"),
					size_fact(theirs, "memory_available_bytes")),
		.share_memory = process->boot->same_host,
		.pool_most = tighter(size_fact(mine, "pool_most_bytes"),
				     size_fact(theirs, "pool_most_bytes")),
		.program = program->identity.program,
	};
}

int np_agree(const struct np_program *program, struct np_process *process,
	     unsigned run_index, struct np_facts facts[2], struct np_plan *plan,
	     struct np_error *error)
{
	int core = -1;
	int rc = np_session_meet(process->boot, error);

	if (rc == 0)
		rc = offer_plan(program, process->boot, run_index, &facts[1], error);
	if (rc == 0)
		rc = np_session_host(program, process->boot, process->topology, &core,
				     &facts[0], error);
	if (rc == 0)
		rc = np_session_prepare(process, core, error);
	if (rc != 0)
		return rc;
	struct np_resources resources = resources_of(program, process, facts);

	np_agree_on_pages(process->module, facts, &resources);
	return np_plan_make(process->options, &process->request, &resources, plan, error);
}
