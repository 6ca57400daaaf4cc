/*
 * tour.c - measures a fleet in rounds, and reports it; all pairs of the ranks of a job.
 */
#include "fleet/tour.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "endpoint/watch.h"
#include "output/output.h"

struct state {
	const struct np_tour *tour;
	struct np_fleet_run run;
	struct np_error *error;
	FILE *json; /* NULL: not requested */
	bool progress;
	size_t done; /* rounds measured */
	uint64_t since_ns;
};

int np_tour_look(const struct np_program *program)
{
	struct pollfd signals = { .fd = program->signals, .events = POLLIN };

	if (poll(&signals, 1, 0) > 0)
		return -EINTR;
	return np_deadline_is_over(program->deadline) ? -ETIME : 0;
}

bool np_tour_has_to_stop(int rc)
{
	return rc == -EINTR || rc == -ETIME;
}

/* Sets error to the signal, or to the time that is over. */
static void explain_stop(const struct np_program *program, int rc, struct np_error *error)
{
	if (rc == -EINTR)
		np_watch_read_signal(program->signals, error);
	else
		np_fail(error, NP_ERROR_FAILED, ETIMEDOUT,
			"the pairs take longer than %g s: --max-run-time",
			program->options.max_run_time);
}

static void show_progress(const struct state *all)
{
	const size_t rounds = np_round_robin_rounds(all->run.hosts->count);
	const double spent = (double)(np_clock_ns() - all->since_ns) * 1e-9;

	if (!all->progress)
		return;
	if (all->done < rounds)
		fprintf(stderr, "\r\033[Kround %zu of %zu, %.0f s left", all->done, rounds,
			spent / (double)all->done * (double)(rounds - all->done));
	else
		fprintf(stderr, "\r\033[Klooking again at what stands out: round %zu",
			all->done - rounds);
}

static int measure_and_write(void *context, struct np_pair_sample *samples, size_t count)
{
	struct state *all = context;
	const struct np_tour *tour = all->tour;
	const bool look = all->done >= np_round_robin_rounds(tour->hosts->count);
	int rc = np_tour_look(tour->program);

	if (rc == 0)
		rc = tour->measure(tour->context, samples, count);
	if (np_tour_has_to_stop(rc) && all->error->code == 0)
		explain_stop(tour->program, rc, all->error);
	if (all->json != NULL) {
		struct np_error ignored = { .code = 0 };
		const int written = np_json_round(all->json, &all->run, samples, count,
						  look, rc == 0 ? all->error : &ignored);

		rc = rc != 0 ? rc : written;
	}
	all->done++;
	show_progress(all);
	return rc;
}

/* Fails with the number of missing pairs and the reason of the first. */
static int refuse_missing(const struct np_fleet_run *run, size_t pairs,
			  struct np_error *error)
{
	const struct np_pair_sample *first = &run->failures[0];
	const struct np_host_entry *hosts = run->hosts->hosts;
	const bool alone = first->one == first->other;

	return np_fail(error, NP_ERROR_PEER, ECHILD,
		       "%zu of %zu pair%s could not be measured; %.60s%s%.60s: %.200s",
		       pairs - run->pairs, pairs, np_plural(pairs), hosts[first->one].name,
		       alone ? "" : " - ", alone ? "" : hosts[first->other].name,
		       first->reason);
}

static int report(struct state *all, const char *kept, struct np_error *error)
{
	const struct np_fleet_run *run = &all->run;
	const size_t pairs = run->hosts->count * (run->hosts->count - 1) / 2;
	const struct np_fleet_counts slow = np_fleet_run_slow(run);
	char answer[NP_FLEET_ANSWER];

	if (all->progress)
		fputs("\r\033[K", stderr);
	np_text_fleet(stdout, run);
	np_text_kept(stdout, kept, all->tour->program->options.json);
	if (all->json != NULL && np_json_fleet(all->json, run, error) != 0)
		return error->code;
	if (run->failure_count != 0)
		return refuse_missing(run, pairs, error);
	if (all->tour->program->options.fail_on == NP_FAIL_ON_SLOWER &&
	    slow.hosts + slow.pairs + slow.groups != 0) {
		np_text_fleet_answer(run, answer, sizeof(answer));
		return np_fail(error, NP_ERROR_VERDICT, EDOM, "%s", answer);
	}
	return 0;
}

static int measure_and_report(struct state *all, struct np_error *error)
{
	const struct np_options *options = &all->tour->program->options;
	char *kept = NULL;
	int rc = 0;

	if (options->json != NULL)
		rc = np_file_create_kept(options->json, options->force, &kept, &all->json,
					 error);
	if (rc == 0 && all->json != NULL)
		rc = np_json_hosts(all->json, &all->run, &all->tour->names, error);
	if (rc == 0) {
		rc = np_fleet_run_measure(&all->run, measure_and_write, all,
					  all->tour->seed);
		if (rc != 0 && error->code == 0)
			np_fail_errno(error, -rc, "cannot compare the pairs");
		const int reported = report(all, kept, error);
		rc = rc != 0 ? rc : reported;
	}
	if (all->json != NULL) {
		const int closed = np_file_close(all->json, options->json, error);
		rc = rc != 0 ? rc : closed;
	}
	free(kept);
	return rc;
}

int np_tour(const struct np_tour *tour, struct np_error *error)
{
	struct state all = { .tour = tour,
			     .error = error,
			     .progress =
				     isatty(STDERR_FILENO) && !tour->program->options.quiet,
			     .since_ns = np_clock_ns() };
	int rc = np_fleet_run_init(&all.run, tour->hosts, tour->slow / 100);

	if (strcmp(tour->names.op, "bidirectional") == 0)
		all.run.directions = 2;
	rc = rc == 0 ? measure_and_report(&all, error) :
		       np_fail_errno(error, -rc, "no memory for %zu hosts",
				     tour->hosts->count);
	np_fleet_run_free(&all.run);
	return rc;
}

/* ---- Ranks of a job: the transport measures rounds by its own means --------------- */

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
	/* Release the other ranks, also after a verdict; a failure aborts the job. */
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
