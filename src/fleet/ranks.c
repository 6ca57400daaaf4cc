/*
 * ranks.c - all pairs of the ranks of a job, which the transport measures by its own means.
 */
#include "fleet/ranks.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "fleet/tour.h"

/* Duration of a round in seconds, without --time-budget. */
static const double round_s = 0.1;

/* Host and core of a rank. */
struct place {
	char host[NP_HOST_NAME - 32];
	int core;
};

struct ranks {
	const struct np_program *program;
	struct np_error *error;
};

static int list_ranks(const struct np_program *program, const struct place *places,
		      struct np_host_list *ranks, struct np_host_list *hosts)
{
	int rc = 0;

	ranks->ranks = true;
	for (int i = 0; rc == 0 && i < program->job.size; i++) {
		const char *host = places[i].host;
		char name[NP_HOST_NAME], core[NP_HOST_NAME];

		snprintf(core, sizeof(core), "core %d", places[i].core);
		snprintf(name, sizeof(name), "%d %.90s core %d", i, host, places[i].core);
		rc = np_host_list_add(ranks, name, core);
		if (rc == 0 && np_host_list_find(hosts, host) == hosts->count)
			rc = np_host_list_add(hosts, host, host);
	}
	return rc;
}

/* Puts each rank into the group of its host; without --groups, if a host has several ranks,
 * each host is a group. */
static int group_ranks(const struct np_program *program, const struct place *places,
		       struct np_host_list *ranks, struct np_host_list *hosts,
		       struct np_error *error)
{
	const bool by_host = program->request.groups == NULL && hosts->count < ranks->count;
	int rc = by_host ? 0 : np_host_list_group(program->request.groups, hosts, error);

	for (size_t i = 0; rc == 0 && i < ranks->count; i++) {
		const size_t host = np_host_list_find(hosts, places[i].host);

		if (np_host_list_join(ranks, i,
				      by_host ?
					      hosts->hosts[host].name :
					      hosts->groups[hosts->hosts[host].group]) != 0)
			rc = np_fail_errno(error, ENOMEM, "no memory for the groups");
	}
	return rc;
}

static int measure_ranks(void *context, struct np_pair_sample *samples, size_t count)
{
	struct ranks *ranks = context;
	const struct np_request *request = &ranks->program->request;
	const size_t bytes[] = { request->smallest, request->largest };
	const size_t sizes = bytes[0] == bytes[1] ? 1 : 2;
	const double given = ranks->program->options.time_budget;
	int rc = 0;

	for (size_t k = 0; k < sizes && rc == 0; k++)
		rc = ranks->program->module->job->meet(
			&ranks->program->job, samples, count, bytes[k],
			(given > 0 ? given : round_s) / (double)sizes, ranks->error);
	return rc;
}

static int lead(const struct np_program *program, const struct place *places,
		struct np_error *error)
{
	const struct np_job *job = &program->job;
	struct ranks all = { .program = program, .error = error };
	struct np_host_list ranks = { .hosts = NULL }, hosts = { .hosts = NULL };
	const struct np_tour tour = {
		.program = program,
		.hosts = &ranks,
		.names = { program->identity.program, program->identity.version,
			   program->module->name, program->request.operation_name },
		.slow = program->request.slow,
		.seed = program->options.seed,
		.measure = measure_ranks,
		.context = &all
	};
	struct np_error ignored = { .code = 0 };
	int rc = list_ranks(program, places, &ranks, &hosts);

	if (rc != 0)
		rc = np_fail_errno(error, ENOMEM, "no memory for the ranks");
	if (rc == 0)
		rc = group_ranks(program, places, &ranks, &hosts, error);
	if (rc == 0)
		rc = np_tour(&tour, error);
	/* Release the other ranks, after a verdict, too; after a failure the job is
	 * aborted. */
	if (rc == 0 || error->kind == NP_ERROR_VERDICT)
		program->module->job->leave(job, rc == 0 ? error : &ignored);
	np_host_list_free(&ranks);
	np_host_list_free(&hosts);
	return rc != 0 ? rc : error->code;
}

int np_tournament(const struct np_program *program, struct np_error *error)
{
	const struct np_job *job = &program->job;
	struct place *places = calloc((size_t)job->size, sizeof(*places));
	struct utsname host;

	if (places == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for the ranks");
	struct place *mine = &places[job->rank];
	if (uname(&host) == 0)
		snprintf(mine->host, sizeof(mine->host), "%.*s",
			 (int)sizeof(mine->host) - 1, host.nodename);
	mine->core = sched_getcpu();
	int rc = program->module->job->share(job, places, sizeof(*places), error);
	if (rc == 0)
		rc = job->rank == 0 ? lead(program, places, error) :
				      program->module->job->serve_rank(
					      job, program->module_options, error);
	free(places);
	return rc;
}
