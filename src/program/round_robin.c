/*
 * round_robin.c - all pairs of hosts (--all-pairs) or of the ranks of a job, measured in
 * round-robin rounds, from the list of hosts to the report.
 *
 * Hosts: a round measures its pairs at the same time, each by a thread: the thread starts a
 * server on one host and a client on the other, and reads the client's visits as --runs
 * does.  A host on which no process can be started is left out of later rounds.  Ranks: the
 * transport measures the pairs of a round by its own means.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "base/round_robin.h"
#include "endpoint/watch.h"
#include "output/output.h"
#include "plan/options_check.h"
#include "program/program.h"
#include "program/remote.h"

enum { GROUPS_MOST = 1 << 24 };

struct round_robin {
	const struct np_program *program;
	struct np_fleet_run run;
	np_measure_round *measure_round;
	void *context;
	struct np_error *error;
	FILE *json; /* NULL: not requested */
	bool progress;
	size_t done; /* rounds measured */
	uint64_t since_ns;
};

/* Reads --groups, or makes groups of the hosts' names.  Returns 0 or -errno. */
static int read_groups(const struct np_program *program, struct np_host_list *hosts,
		       struct np_error *error)
{
	const char *path = program->options.groups;
	char *text = NULL;
	int rc;

	if (path == NULL) {
		rc = np_host_list_prefixes(hosts);
		return rc == 0 ? 0 : np_fail_errno(error, -rc, "no memory for the groups");
	}
	rc = np_file_text(path, GROUPS_MOST, &text, error);
	if (rc == 0)
		rc = np_host_list_groups(path, text, hosts, error);
	free(text);
	return rc;
}

static void show_progress(const struct round_robin *all)
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
	struct round_robin *all = context;
	const bool look = all->done >= np_round_robin_rounds(all->run.hosts->count);
	int rc = all->measure_round(all->context, samples, count);

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
	const struct np_fleet_failure *first = &run->failures[0];
	const struct np_host_entry *hosts = run->hosts->hosts;
	const bool alone = first->one == first->other;

	return np_fail(error, NP_ERROR_PEER, ECHILD,
		       "%zu of %zu pair%s could not be measured; %.60s%s%.60s: %.200s",
		       pairs - run->pairs, pairs, np_plural(pairs), hosts[first->one].name,
		       alone ? "" : " - ", alone ? "" : hosts[first->other].name,
		       first->reason);
}

static int report(struct round_robin *all, const char *kept, struct np_error *error)
{
	const struct np_fleet_run *run = &all->run;
	const size_t pairs = run->hosts->count * (run->hosts->count - 1) / 2;
	const struct np_fleet_counts slow = np_fleet_run_slow(run);
	char answer[NP_FLEET_ANSWER];

	if (all->progress)
		fputs("\r\033[K", stderr);
	np_text_fleet(stdout, run);
	np_text_kept(stdout, kept, all->program->options.json);
	if (all->json != NULL && np_json_fleet(all->json, run, error) != 0)
		return error->code;
	if (run->failure_count != 0)
		return refuse_missing(run, pairs, error);
	if (all->program->options.fail_on == NP_FAIL_ON_SLOWER &&
	    slow.hosts + slow.pairs + slow.groups != 0) {
		np_text_fleet_answer(run, answer, sizeof(answer));
		return np_fail(error, NP_ERROR_VERDICT, EDOM, "%s", answer);
	}
	return 0;
}

static int measure_and_report(struct round_robin *all, struct np_error *error)
{
	const struct np_options *options = &all->program->options;
	char *kept = NULL;
	int rc = 0;

	if (options->json != NULL)
		rc = np_file_create_kept(options->json, options->force, &kept, &all->json,
					 error);
	if (rc == 0 && all->json != NULL)
		rc = np_json_hosts(all->json, &all->run, &all->program->identity,
				   all->program->module->name,
				   all->program->request.operation_name, error);
	if (rc == 0) {
		rc = np_fleet_run_measure(&all->run, measure_and_write, all, options->seed);
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

/* Measures all pairs by measure_round(), which sets *error on failure; writes each round
 * when it ends; prints and writes the findings, also after an interruption.  Returns 0 or
 * -errno. */
static int measure_all(const struct np_program *program, const struct np_host_list *hosts,
		       np_measure_round *measure_round, void *context,
		       struct np_error *error)
{
	struct round_robin all = { .program = program,
				   .measure_round = measure_round,
				   .context = context,
				   .error = error,
				   .progress =
					   isatty(STDERR_FILENO) && !program->options.quiet,
				   .since_ns = np_clock_ns() };
	int rc = np_fleet_run_init(&all.run, hosts, program->options.slow / 100);

	if (program->request.operation == NP_BIDIRECTIONAL)
		all.run.directions = 2;
	rc = rc == 0 ? measure_and_report(&all, error) :
		       np_fail_errno(error, -rc, "no memory for %zu hosts", hosts->count);
	np_fleet_run_free(&all.run);
	return rc;
}

/* Returns true for results of a pair that end all of them: a signal, --max-run-time. */
static bool has_to_stop(int rc)
{
	return rc == -EINTR || rc == -ETIME;
}

/* Returns 0, -EINTR when a signal is readable, or -ETIME when the time is over. */
static int look_for_end(const struct np_program *program)
{
	struct pollfd signals = { .fd = program->signals, .events = POLLIN };

	if (poll(&signals, 1, 0) > 0)
		return -EINTR;
	return np_deadline_is_over(program->deadline) ? -ETIME : 0;
}

/* Sets error to the signal, or to the time that is over.  Returns rc. */
static int fail_to_go_on(const struct np_program *program, int rc, struct np_error *error)
{
	if (rc == -EINTR)
		np_watch_read_signal(program->signals, error);
	else if (rc == -ETIME)
		np_fail(error, NP_ERROR_FAILED, ETIMEDOUT,
			"the pairs take longer than %g s: --max-run-time",
			program->options.max_run_time);
	return rc;
}

/* ---- --all-pairs: hosts ------------------------------------------------------- */

enum {
	HOSTFILE_MOST = 1 << 24,
	CANNOT_CONNECT = 255, /* exit status of ssh */
	NOBODY = -1
};

struct pairing {
	const struct np_program *program;
	struct np_host_list hosts;
	char *plan;   /* the plan's lines for each client */
	bool *absent; /* by host; true: no process could be started there */
	struct np_error *error;
};

/* Measurement of one pair of a round, by one thread. */
struct pair_run {
	const struct pairing *all;
	struct np_pair_sample *sample;
	pthread_t thread;
	bool started;
	size_t absent; /* index of the host on which no process could be started;
			  hosts.count: none */
	int rc;
	struct np_error why;
};

static int read_hosts(struct pairing *all, struct np_error *error)
{
	const char *path = all->program->options.all_pairs;
	char *text = NULL;
	int rc = np_file_text(path, HOSTFILE_MOST, &text, error);

	if (rc == 0)
		rc = np_host_list_read(path, text, &all->hosts, error);
	free(text);
	return rc;
}

static int take_line(struct np_results *results, const char *line, struct np_error *error)
{
	struct np_measured *measured = NULL;
	const int rc = np_json_read_visit(line, results, &measured, error);

	if (rc != 1)
		return rc;
	const struct np_visit *visit = np_results_add(results, measured);

	np_measured_free(measured);
	return visit != NULL ? 0 : np_fail_errno(error, ENOMEM, "no memory for results");
}

/* Reads the visits of the client until it exits. */
static int read_visits(struct pair_run *run, struct np_remote *client,
		       const struct np_remote *server, struct np_results *results)
{
	char *line;
	int rc;

	do {
		rc = np_remote_line(client, server, &line, &run->why);
		if (rc == 1)
			rc = take_line(results, line, &run->why) == 0 ? 1 : run->why.code;
	} while (rc == 1);
	return rc;
}

/* Takes median, relative standard error and degrees of freedom of a row, if it is the
 * slower direction of the pair. */
static void take_row(struct np_pair_sample *sample, size_t k, const struct np_row *row)
{
	const double reach = log(row->ci_high_s / row->ci_low_s) / 2;

	sample->bytes[k] = row->length;
	if (row->median_s <= sample->seconds[k])
		return;
	sample->seconds[k] = row->median_s;
	/* Half the width of the confidence interval is about two standard errors. */
	sample->error[k] = reach > 0 ? reach / 2 : (double)NAN;
	sample->degrees = row->units > 1 ? (unsigned)row->units - 1 : 1;
}

/* Takes the times of the smallest and the largest size, in their first mode and variant. */
static int take_figures(struct pair_run *run, struct np_results *results)
{
	struct np_pair_sample *sample = run->sample;
	struct np_table table;
	int rc = np_table_derive(results, &table);

	if (rc == 0 && table.row_count == 0)
		rc = np_fail(&run->why, NP_ERROR_PEER, ENODATA, "nothing was measured");
	else if (rc != 0)
		rc = np_fail_errno(&run->why, -rc, "no memory for the table");
	if (rc == 0) {
		size_t last = table.row_count - 1;

		while (last > 0 && table.rows[last - 1].length == table.rows[last].length)
			last--;
		take_row(sample, 0, &table.rows[0]);
		sample->size_count = last == 0 ? 1 : 2;
		if (last != 0)
			take_row(sample, 1, &table.rows[last]);
	}
	np_table_free(&table);
	return rc;
}

/* Starts the client of a pair, which dials the server's port, and reads its visits. */
static int run_client(struct pair_run *run, size_t from, size_t to_host,
		      const struct np_remote *server, uint16_t port,
		      struct np_results *results)
{
	const struct np_host_list *hosts = &run->all->hosts;
	char to[NP_HOST_NAME + 16], at[16];
	const char *const arguments[] = { to, at, "--quiet", "--run-pipe=1:0", NULL };
	const struct np_remote_order order = { .program = run->all->program,
					       .token = server->token,
					       .host = hosts->hosts[from].name,
					       .arguments = arguments,
					       .plan = run->all->plan };
	struct np_remote client;

	snprintf(to, sizeof(to), "--host=%s", hosts->hosts[to_host].address);
	snprintf(at, sizeof(at), "--port=%u", (unsigned)port);
	int rc = np_remote_start(&client, &order, &run->why);
	if (rc == 0)
		rc = read_visits(run, &client, server, results);
	const bool began = client.out.number != 0;
	const int status = np_remote_end(&client);
	if (status == CANNOT_CONNECT || (rc == -ETIMEDOUT && !began))
		run->absent = from;
	return rc != 0 || status == 0 ? rc : np_remote_failed(&client, status, &run->why);
}

static int measure_way(struct pair_run *run, size_t from, size_t to)
{
	struct np_remote server;
	struct np_results results;
	uint16_t port;

	np_results_init(&results);
	np_program_results(run->all->program, &results);
	int rc = np_remote_serve(&server, run->all->program, run->all->hosts.hosts[to].name,
				 &port, &run->why);
	if (rc != 0 && !has_to_stop(rc))
		run->absent = to;
	if (rc == 0)
		rc = run_client(run, from, to, &server, port, &results);
	np_remote_end(&server);
	if (rc == 0)
		rc = take_figures(run, &results);
	np_results_free(&results);
	return rc;
}

/* Body of the thread. */
static void *measure_pair(void *context)
{
	struct pair_run *run = context;
	const enum np_operation operation = run->all->program->request.operation;
	const size_t one = run->sample->one, other = run->sample->other;

	run->rc = measure_way(run, one, other);
	if (run->rc == 0 && (operation == NP_STREAM || operation == NP_STREAM_ACKED))
		run->rc = measure_way(run, other, one);
	return NULL;
}

/* Starts to measure a pair, unless `stop`, a result of look_for_end(), is not 0. */
static void begin_pair(const struct pairing *all, struct pair_run *run,
		       struct np_pair_sample *sample, int stop)
{
	*run = (struct pair_run){
		.all = all, .sample = sample, .absent = all->hosts.count, .rc = stop
	};
	if (stop != 0)
		return;
	if (all->absent[sample->one] || all->absent[sample->other]) {
		run->rc = NOBODY;
		return;
	}
	const int rc = pthread_create(&run->thread, NULL, measure_pair, run);
	run->started = rc == 0;
	if (rc != 0)
		run->rc = np_fail_errno(&run->why, rc, "cannot start a thread");
}

static void end_pair(struct pairing *all, struct pair_run *run)
{
	struct np_pair_sample *sample = run->sample;

	if (run->started)
		pthread_join(run->thread, NULL);
	if (run->rc == 0)
		return;
	sample->size_count = 0;
	if (run->rc == NOBODY || has_to_stop(run->rc))
		return;
	snprintf(sample->reason, sizeof(sample->reason), "%.*s", NP_FLEET_REASON - 1,
		 run->why.text);
	sample->absent = run->absent != all->hosts.count;
	if (!sample->absent)
		return;
	/* The report names sample->one as the absent host. */
	if (run->absent == sample->other) {
		sample->other = sample->one;
		sample->one = run->absent;
	}
	all->absent[run->absent] = true;
}

static int measure_hosts(void *context, struct np_pair_sample *samples, size_t count)
{
	struct pairing *all = context;
	struct pair_run *runs = calloc(count + 1, sizeof(*runs));
	int rc = 0;

	if (runs == NULL)
		return np_fail_errno(all->error, ENOMEM, "no memory for the pairs");
	for (size_t i = 0; i < count; i++) {
		/* Thousands of processes take seconds to start. */
		rc = rc != 0 ? rc : look_for_end(all->program);
		begin_pair(all, &runs[i], &samples[i], rc);
	}
	for (size_t i = 0; i < count; i++) {
		end_pair(all, &runs[i]);
		rc = rc == 0 && has_to_stop(runs[i].rc) ? runs[i].rc : rc;
	}
	free(runs);
	return rc == 0 ? 0 : fail_to_go_on(all->program, rc, all->error);
}

/* Raises the limit of descriptors: each pair of a round needs two processes with pipes. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int np_all_pairs(struct np_program *program, struct np_error *error)
{
	struct pairing all = { .program = program, .error = error };
	/* As main.c does for files of options. */
	np_watch_block_signals(false);
	int rc = read_hosts(&all, error);

	if (rc == 0)
		rc = read_groups(program, &all.hosts, error);
	np_watch_block_signals(true);
	if (rc == 0) {
		all.plan = np_options_to_text(program->sets, 2, NP_SCOPE_PLAN);
		all.absent = calloc(all.hosts.count + 1, sizeof(*all.absent));
		if (all.plan == NULL || all.absent == NULL)
			rc = np_fail_errno(error, ENOMEM, "no memory for the pairs");
	}
	if (rc == 0) {
		allow_descriptors();
		rc = measure_all(program, &all.hosts, measure_hosts, &all, error);
	}
	np_host_list_free(&all.hosts);
	free(all.plan);
	free(all.absent);
	return rc;
}

/* ---- Ranks of a job ------------------------------------------------------------ */

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
	return np_options_exclude(options, "a tournament",
				  "invalidate capacity why refine expect integrity "
				  "per-message output runs variant run-pipe",
				  "it compares pairs of ranks", error);
}

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
	const bool by_host = program->options.groups == NULL && hosts->count < ranks->count;
	int rc = by_host ? 0 : read_groups(program, hosts, error);

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

static int measure_ranks(void *context, struct np_pair_sample *samples, size_t count)
{
	struct ranks *ranks = context;
	const struct np_request *request = &ranks->program->request;
	const size_t bytes[] = { request->smallest, request->largest };
	const size_t sizes = bytes[0] == bytes[1] ? 1 : 2;
	const double given = ranks->program->options.time_budget;
	int rc = look_for_end(ranks->program);

	if (rc != 0)
		return fail_to_go_on(ranks->program, rc, ranks->error);
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
		rc = measure_all(program, &ranks, measure_ranks, &all, error);
	/* Release the other ranks, after a verdict, too; after a failure the job is
	 * aborted. */
	if (rc == 0 || error->kind == NP_ERROR_VERDICT)
		program->module->job->leave(job, rc == 0 ? error : &ignored);
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
				      program->module->job->serve_rank(
					      job, program->module_options, error);
	free(places);
	return rc;
}
