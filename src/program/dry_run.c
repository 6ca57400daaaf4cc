/*
 * dry_run.c - --dry-run: the plan, its memory and its time, from the facts of this
 * host; and the plan for NPfleet.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/files.h"
#include "base/units.h"
#include "boot/resolve.h"
#include "plan/plan.h"
#include "machine/host.h"
#include "output/json_line.h"
#include "output/terminal.h"
#include "program/program.h"
#include "machine/topology.h"

enum { LOOKUP_MS = 5000 };

static void print_conditions(FILE *out, const struct np_plan *plan)
{
	for (enum np_factor factor = NP_FACTOR_NONE + 1; factor < NP_FACTORS; factor++) {
		const struct np_condition *condition = &plan->conditions[factor];
		const char *name = np_factor_name(factor);

		if (condition->asked)
			fprintf(out, "\nand with    %s, not %s", condition->other,
				condition->base);
		else if (condition->reason[0] != '\0')
			fprintf(out, "\nleft out    other %s: %s", name, condition->reason);
	}
}

static void print_plan(FILE *out, const struct np_program *program,
		       const struct np_plan *plan, const struct np_resources *resources)
{
	const struct np_layout whole = np_layout_of(&program->options, 0);
	const struct np_layout layout = np_layout_touched(&whole, &program->request, 0);
	struct np_cut cut;

	fprintf(out, "operation   %s over %s\n", program->request.operation_name,
		program->module->name);
	fprintf(out, "sizes       %zu:", plan->size_count);
	for (size_t i = 0; i < plan->size_count; i++)
		fprintf(out, " %zu", plan->sizes[i]);
	for (size_t i = 0; i < plan->sweep_count; i++) {
		const enum np_axis axis = plan->sweep[i].axis;

		if (i == 0 || plan->sweep[i - 1].axis != axis)
			fprintf(out, "\n%-11s %s:", np_axis_name(axis),
				np_axis_noun(axis, 2));
		fprintf(out, " %llu", (unsigned long long)plan->sweep[i].buffers);
	}
	if (plan->too_large_for_parts != 0)
		fprintf(out,
			"\nleft out    %zu larger: no part of --regions %llu holds them; "
			"%zu needs --pool %zuM",
			plan->too_large_for_parts, (unsigned long long)plan->parts,
			plan->largest_asked, np_plan_mebibytes(plan->pool_for_largest));
	fprintf(out, "\nmodes      ");
	for (size_t i = 0; i < plan->mode_count; i++)
		fprintf(out, " %s", np_mode_name(plan->modes[i]));
	for (size_t i = 0; i < plan->variant_count && plan->variant_count > 1; i++)
		fprintf(out, "%s %s", i == 0 ? "\nvariants   " : "",
			program->request.variants[i]);
	print_conditions(out, plan);
	fprintf(out,
		"\nmemory      %.1f MiB of buffers per process, %.1f MiB available%s\n",
		(double)plan->pool_bytes / 1048576,
		(double)resources->memory_bytes / 1048576,
		plan->pool_cut ? "; less than cold buffers need" : "");
	for (size_t i = 0;
	     i<plan->size_count; i += plan->size_count> 1 ? plan->size_count - 1 : 1) {
		if (np_layout_cut(&layout, plan->pool_bytes,
				  np_layout_buffer(&program->request, plan->sizes[i]),
				  &cut) == 0)
			fprintf(out,
				"slots       %llu at %zu byte%s, %llu distinct cache "
				"lines, "
				"%.1f times the last-level cache\n",
				(unsigned long long)cut.slots, plan->sizes[i],
				np_plural(plan->sizes[i]),
				(unsigned long long)np_layout_lines(&layout, &cut,
								    resources->line_size),
				resources->cache_bytes == 0 ?
					0.0 :
					(double)np_layout_lines(&layout, &cut,
								resources->line_size) *
						(double)resources->line_size /
						(double)resources->cache_bytes);
	}
	fprintf(out, "time        %s%u pass%s of about %.1f s",
		plan->command_s > 0 ? "at least " : "", plan->passes,
		plan->passes == 1 ? "" : "es",
		(double)plan->visit_ns * 1e-9 *
			(double)(plan->sweep_count != 0 ? plan->sweep_count :
							  plan->size_count) *
			(double)np_plan_measured(plan));
	if (plan->command_s > 0)
		fprintf(out, ", at most about %.0f s%s", plan->command_s,
			program->options.runs > 1 ? ", all runs together" : "");
	fputc('\n', out);
}

/* Takes the pages of this host for both: the other host is assumed to be equal. */
static int take_pages(const struct np_program *program, struct np_resources *resources,
		      struct np_error *error)
{
	struct np_facts facts[2] = { { .list = NULL } };

	for (size_t i = 0; i < 2; i++)
		np_host_describe(&facts[i]);
	const int rc = np_agree_on_pages(program->module, facts, resources, error);

	for (size_t i = 0; i < 2; i++)
		np_facts_free(&facts[i]);
	return rc;
}

static int check_files(const struct np_options *options, struct np_error *error)
{
	const int rc = np_file_check_writable(options->json, options->force, error);

	return rc != 0 ? rc :
			 np_file_check_writable(options->output, options->force, error);
}

/* Resolves the server's name; the lookup may query a name server, but sends nothing to the
 * host. */
static int look_up_host(const struct np_options *options, struct np_error *error)
{
	struct addrinfo *list = NULL;

	if (options->host == NULL)
		return 0;
	const int rc = np_resolve(options->host, "0", AF_UNSPEC, np_deadline_in(LOOKUP_MS),
				  &list, error);

	if (rc == 0)
		freeaddrinfo(list);
	return rc;
}

/* Binds this process like each process of a run on this host: detects errors of --bind. */
static int try_cores(const struct np_program *program, struct np_topology *topology,
		     struct np_error *error)
{
	const struct np_options *options = &program->options;
	const bool same_host = options->host == NULL && options->remote == NULL &&
			       program->module->job == NULL;
	int rc = 0;

	for (int rank = 0; rc == 0 && rank <= (same_host ? 1 : 0); rank++) {
		const struct np_core_choice choice = {
			.rank = rank, .same_host = same_host, .node = -1, .taken = -1
		};
		int core;

		rc = np_topology_bind(topology, options->bind, &choice, &core, error);
	}
	return rc;
}

int np_dry_run(const struct np_program *program, struct np_error *error)
{
	struct np_topology topology = { .handle = NULL };
	struct np_plan plan = { .sizes = NULL };
	struct np_fold fold;
	int rc = check_files(&program->options, error);

	if (rc == 0)
		rc = look_up_host(&program->options, error);

	if (rc == 0)
		rc = np_topology_open(&topology, error);
	if (rc == 0)
		rc = try_cores(program, &topology, error);
	if (rc == 0) {
		np_topology_model(&topology, program->module->model,
				  program->module_options);
		struct np_resources resources = {
			.cache_bytes = topology.last_level_cache,
			.inner_cache = topology.second_level_cache,
			.line_size = topology.line_size,
			.memory_bytes = np_host_memory_available(""),
			.share_memory = program->options.host == NULL,
			.pool_most = program->request.pool_most,
			.program = program->identity.program,
		};

		rc = take_pages(program, &resources, error);
		if (rc == 0)
			rc = np_plan_make(&program->options, &program->request, &resources,
					  &plan, error);
		if (rc == 0) {
			print_plan(np_fold_begin(&fold, stdout), program, &plan,
				   &resources);
			rc = np_fold_end(&fold, error);
		}
	}
	np_plan_free(&plan);
	np_topology_close(&topology);
	return rc;
}

int np_print_fleet_plan(const struct np_program *program, struct np_error *error)
{
	const struct np_request *request = &program->request;
	char *plan = np_options_to_text(program->sets, 2, NP_SCOPE_PLAN);
	json_t *variants = json_array();

	for (size_t i = 0; i < request->variant_count; i++)
		json_array_append_new(variants, json_string(request->variants[i]));
	json_t *line = json_pack("{ss ss ss sI so ss}", "kind", "plan", "module",
				 program->module->name, "op", request->operation_name,
				 "seed", (json_int_t)program->options.seed, "variants",
				 variants, "plan", plan != NULL ? plan : "");

	free(plan);
	return np_json_write_line(stdout, line, error);
}
