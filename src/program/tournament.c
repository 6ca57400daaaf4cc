/*
 * tournament.c - all pairs of ranks of a job, measured by the transport's own means.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "endpoint/watch.h"
#include "program/tour.h"

/* Duration of a round in seconds, without --time-budget. */
static const double round_s = 0.1;

/* Host and core of a rank. */
struct place {
	char host[NP_HOST_NAME - 32];
	int core;
};

struct ranks {
	const struct np_program *program;
	struct np_job_pair *pairs;
	struct np_error *error;
};

int np_tournament_check(const struct np_program *program, struct np_error *error)
{
	const struct np_options *options = &program->options;

	if (!program->request.tournament)
		return 0;
	if (np_options_rotate(options) || options->refine || options->expect != NULL ||
	    options->integrity || options->per_message || options->output != NULL ||
	    options->runs > 1 || program->variants.count != 0 || options->run_pipe != NULL)
		return np_refuse(error, "a tournament compares pairs of ranks: no -I, -i, "
					"-o, --why, --capacity, --refine, --expect, "
					"--per-message, --variant or --runs beside it");
	return 0;
}

/* ---- Ranks and their hosts ------------------------------------------------------- */

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

/* Groups ranks as their hosts; without --groups, and where hosts have several ranks, by
 * host. */
static int group_ranks(const struct np_program *program, const struct place *places,
		       struct np_host_list *ranks, struct np_host_list *hosts,
		       struct np_error *error)
{
	const bool by_host = program->options.groups == NULL && hosts->count < ranks->count;
	int rc = by_host ? 0 : np_fleet_groups(program, hosts, error);

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

/* ---- Rounds -------------------------------------------------------------------------- */

static int measure_size(struct ranks *ranks, struct np_pair_sample *samples, size_t count,
			size_t k, size_t bytes, double seconds)
{
	const struct np_program *program = ranks->program;
	int rc;

	for (size_t i = 0; i < count; i++)
		ranks->pairs[i] = (struct np_job_pair){ .one = (int)samples[i].one,
							.other = (int)samples[i].other };
	rc = program->module->job->meet(&program->job, ranks->pairs, count, bytes, seconds,
					ranks->error);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		samples[i].bytes[k] = bytes;
		samples[i].seconds[k] = ranks->pairs[i].seconds;
		samples[i].error[k] = ranks->pairs[i].error;
		samples[i].degrees = ranks->pairs[i].degrees;
		samples[i].size_count = k + 1;
	}
	return rc;
}

static int measure_round(void *context, struct np_pair_sample *samples, size_t count)
{
	struct ranks *ranks = context;
	const struct np_request *request = &ranks->program->request;
	const size_t bytes[] = { request->smallest, request->largest };
	const size_t sizes = bytes[0] == bytes[1] ? 1 : 2;
	const double given = ranks->program->options.time_budget;
	struct pollfd signals = { .fd = ranks->program->signals, .events = POLLIN };
	int rc = 0;

	if (poll(&signals, 1, 0) > 0) {
		np_watch_read_signal(signals.fd, ranks->error);
		return -EINTR;
	}
	for (size_t k = 0; k < sizes && rc == 0; k++)
		rc = measure_size(ranks, samples, count, k, bytes[k],
				  (given > 0 ? given : round_s) / (double)sizes);
	return rc;
}

static int lead(const struct np_program *program, const struct place *places,
		struct np_error *error)
{
	const struct np_job *job = &program->job;
	struct ranks all = { .program = program, .error = error };
	struct np_host_list ranks = { .hosts = NULL }, hosts = { .hosts = NULL };
	struct np_error ignored = { .code = 0 };
	int rc = list_ranks(program, places, &ranks, &hosts);

	all.pairs = calloc((size_t)job->size, sizeof(*all.pairs));
	if (rc != 0 || all.pairs == NULL)
		rc = np_fail_errno(error, ENOMEM, "no memory for the ranks");
	if (rc == 0)
		rc = group_ranks(program, places, &ranks, &hosts, error);
	if (rc == 0)
		rc = np_fleet_tour(program, &ranks, measure_round, &all, error);
	/* Release the other ranks, after a verdict, too; after a failure the job is
	 * aborted. */
	if (rc == 0 || error->kind == NP_ERROR_VERDICT)
		program->module->job->part(job, rc == 0 ? error : &ignored);
	np_host_list_free(&ranks);
	np_host_list_free(&hosts);
	free(all.pairs);
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
				      program->module->job->attend(
					      job, program->module_options, error);
	free(places);
	return rc;
}
