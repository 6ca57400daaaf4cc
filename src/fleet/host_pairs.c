/*
 * host_pairs.c - all pairs of a list of hosts: two processes of a driver for each, started
 * over ssh.
 *
 * A round measures its pairs at the same time, each by a thread: the thread starts a server
 * on one host and a client on the other, and reads the client's visits as --runs does.  A
 * host on which no process can be started is left out of later rounds.
 */
#include "fleet/host_pairs.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "endpoint/watch.h"
#include "output/output.h"
#include "program/remote.h"

enum {
	CANNOT_CONNECT = 255, /* exit status of ssh */
	NOBODY = -1
};

struct pairing {
	const struct np_pairs_order *order;
	const struct np_program *program;
	struct np_host_list hosts;
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
					       .plan = run->all->order->plan };
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

static void set_up_results(const struct np_pairs_order *order, struct np_results *results)
{
	results->operation_name = order->op;
	results->operation = strcmp(order->op, "pingpong") == 0 ? NP_PINGPONG : NP_STREAM;
	results->variant_count = order->variant_count;
	memcpy(results->variants, order->variants, sizeof(order->variants));
}

static int measure_way(struct pair_run *run, size_t from, size_t to)
{
	struct np_remote server;
	struct np_results results;
	uint16_t port;

	np_results_init(&results);
	set_up_results(run->all->order, &results);
	int rc = np_remote_serve(&server, run->all->program, run->all->hosts.hosts[to].name,
				 &port, &run->why);
	if (rc != 0 && !np_tour_has_to_stop(rc))
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
	const size_t one = run->sample->one, other = run->sample->other;

	run->rc = measure_way(run, one, other);
	if (run->rc == 0 && strncmp(run->all->order->op, "stream", 6) == 0)
		run->rc = measure_way(run, other, one);
	return NULL;
}

/* Starts to measure a pair, unless `stop`, a result of np_tour_look(), is not 0. */
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
	if (run->rc == NOBODY || np_tour_has_to_stop(run->rc))
		return;
	snprintf(sample->reason, sizeof(sample->reason), "%.*s", NP_FLEET_REASON - 1,
		 run->why.text);
	if (run->absent == all->hosts.count)
		return;
	sample->one = sample->other = run->absent;
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
		rc = rc != 0 ? rc : np_tour_look(all->program);
		begin_pair(all, &runs[i], &samples[i], rc);
	}
	for (size_t i = 0; i < count; i++) {
		end_pair(all, &runs[i]);
		rc = rc == 0 && np_tour_has_to_stop(runs[i].rc) ? runs[i].rc : rc;
	}
	free(runs);
	return rc;
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

int np_pairs_measure(const struct np_pairs_order *order, const struct np_program *program,
		     struct np_error *error)
{
	struct pairing all = { .order = order, .program = program, .error = error };
	const struct np_tour tour = { .program = program,
				      .hosts = &all.hosts,
				      .names = { program->identity.program,
						 program->identity.version, order->module,
						 order->op },
				      .slow = order->slow,
				      .seed = order->seed,
				      .measure = measure_hosts,
				      .context = &all };
	/* A file may be a pipe, and the signalfd is not read yet. */
	np_watch_block_signals(false);
	int rc = np_host_list_read(order->hosts, &all.hosts, error);

	if (rc == 0)
		rc = np_host_list_group(order->groups, &all.hosts, error);
	np_watch_block_signals(true);
	all.absent = calloc(all.hosts.count + 1, sizeof(*all.absent));
	if (rc == 0 && all.absent == NULL)
		rc = np_fail_errno(error, ENOMEM, "no memory for the pairs");
	if (rc == 0) {
		allow_descriptors();
		rc = np_tour(&tour, error);
	}
	np_host_list_free(&all.hosts);
	free(all.absent);
	return rc;
}
