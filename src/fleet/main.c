/*
 * main.c - NPfleet: command line, all pairs of a list of hosts, exit status.  Two processes
 * of a driver measure a pair, started over ssh.
 *
 * Only this file prints errors and ends the process.
 */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/child.h"
#include "endpoint/watch.h"
#include "fleet/tour.h"
#include "option/option.h"
#include "output/output.h"
#include "program/remote.h"

static const char program_name[] = "NPfleet";
static const char *const failings[] = { "nothing", "slower", NULL };

struct settings {
	struct np_program program;
	const char *hosts, *groups, *launcher;
	double slow;	 /* percent */
	char driver[64]; /* "NPtcp" */
};

#define AT(member) offsetof(struct settings, member)

/* Values of read_if: options of READ_OF_HOSTS are refused with --launcher. */
enum { READ_OF_HOSTS, READ_ALWAYS };

// clang-format off
static const struct np_option table[] = {
	{ 0, "hosts", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(hosts), 0, 0, NULL, NULL,
	  "measure each pair of the hosts in FILE", .brief = true, .read_if = READ_ALWAYS },
	{ 0, "launcher", "COMMAND", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(launcher), 0, 0, NULL, NULL,
	  "measure each pair of ranks that COMMAND starts", .brief = true, .read_if = READ_ALWAYS },
	{ 0, "groups", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(groups), 0, 0, NULL, NULL,
	  "what each host belongs to: lines HOST GROUP", .brief = true },
	{ 0, "slow", "PERCENT", NP_OPTION_NUMBER, NP_SCOPE_LOCAL, AT(slow), 0, 100000, NULL, "7",
	  "how much slower than the others is slow", .brief = true },
	{ 0, "fail-on", "VERDICT", NP_OPTION_CHOICE, NP_SCOPE_LOCAL, AT(program.options.fail_on), 0, 0, failings, "nothing",
	  "end with status 3 if anything is slow", .brief = true },
	{ 0, "json", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(program.options.json), 0, 0, NULL, NULL,
	  "write everything as JSON Lines", .brief = true },
	{ 0, "force", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(program.options.force), 0, 0, NULL, NULL,
	  "overwrite a result file that exists; without it it is kept as FILE.~N~" },
	{ 0, "quiet", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(program.options.quiet), 0, 0, NULL, NULL,
	  "print no line of progress" },
	{ 0, "max-run-time", "TIME", NP_OPTION_SECONDS, NP_SCOPE_LOCAL, AT(program.options.max_run_time), 0, 31536000, NULL, NULL,
	  "end what takes longer than this; 0 is no limit" },
	{ 0, "connect-timeout", "TIME", NP_OPTION_SECONDS, NP_SCOPE_LOCAL, AT(program.options.connect_timeout), 0, 3600, NULL, "8",
	  "how long a process may take to start; 8 s at least" },
	{ 0, "rsh", "COMMAND", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(program.options.rsh), 0, 0, NULL, NULL,
	  "reach hosts by this command instead of ssh; %h in it is the host, which else is appended" },
	{ 0, "remote-program", "PATH", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(program.options.remote_program), 0, 0, NULL, NULL,
	  "where the program is at the hosts" },
	{ 0, "remote-options", "WORDS", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(program.options.remote_options), 0, 0, NULL, NULL,
	  "options of both processes of a pair, such as '--bind 1'" },
	{ 0 }
};
// clang-format on

static void print_help(const struct np_option_set *set, bool all)
{
	const struct np_option_set asides = { .table = np_option_asides };

	printf("%s %s: all pairs of many hosts, and which of them are slow\n\n"
	       "  %s --hosts FILE [OPTION...] NAME [OPTION of NAME...]\n"
	       "  %s --launcher 'mpiexec -n 64' [OPTION...] NAME [OPTION of NAME...]\n\n",
	       program_name, PACKAGE_VERSION, program_name, program_name);
	np_options_help(stdout, set, 1, !all);
	if (!all) {
		printf("\n[default]; %s --help-all: %zu options; man %s\n", program_name,
		       np_options_count(set, 1), program_name);
		return;
	}
	np_options_help(stdout, &asides, 1, false);
	printf("\nExit status: 0 complete, 1 failed, 2 usage, 3 slow (--fail-on), 4 a pair "
	       "could\nnot be measured, 130 or 143 stopped by a signal. See %s(1).\n",
	       program_name);
}

/* ---- Ranks ----------------------------------------------------------------------- */

/* Replaces this process by the launcher, with the program in a tournament of its ranks.
 * Returns only with an error. */
static int start_launcher(const struct settings *settings, char **operands, size_t count,
			  struct np_error *error)
{
	char path[PATH_MAX], shell[] = "/bin/sh", option[] = "-c";
	char pattern[] = "--pattern=tournament", *command = NULL;
	char **words = calloc(count + 5, sizeof(*words));

	if (words == NULL ||
	    asprintf(&command, "exec %s \"$0\" \"$@\"", settings->launcher) < 0) {
		free(words);
		return np_fail_errno(error, ENOMEM, "no memory for the command");
	}
	if (!np_program_find(settings->driver, NP_LIBEXEC, path, sizeof(path)))
		snprintf(path, sizeof(path), "%s", settings->driver);
	words[0] = shell;
	words[1] = option;
	words[2] = command;
	words[3] = path;
	words[4] = pattern;
	memcpy(&words[5], &operands[1], (count - 1) * sizeof(*words));
	execv(shell, words);
	np_fail_errno(error, errno, "cannot start '%.100s'", settings->launcher);
	free(command);
	free(words);
	return error->code;
}

/* ---- Pairs of hosts -------------------------------------------------------------- */

/* Measurement of a pair by two processes, and margin of the verdicts. */
struct order {
	const char *hosts, *groups; /* files; groups: NULL without */
	double slow;		    /* margin, percent */
	/* Checked by the driver on this host. */
	const char *plan; /* lines for each client */
	const char *module, *op;
	const char *variants[NP_VARIANTS_MAX]; /* that the client compares */
	size_t variant_count;
	uint64_t seed;
};

enum {
	CANNOT_CONNECT = 255, /* exit status of ssh */
	NOBODY = -1
};

struct pairing {
	const struct order *order;
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
	struct np_table derived;
	int rc = np_table_derive(results, &derived);

	if (rc == 0 && derived.row_count == 0)
		rc = np_fail(&run->why, NP_ERROR_PEER, ENODATA, "nothing was measured");
	else if (rc != 0)
		rc = np_fail_errno(&run->why, -rc, "no memory for the table");
	if (rc == 0) {
		size_t last = derived.row_count - 1;

		while (last > 0 &&
		       derived.rows[last - 1].length == derived.rows[last].length)
			last--;
		take_row(sample, 0, &derived.rows[0]);
		sample->size_count = last == 0 ? 1 : 2;
		if (last != 0)
			take_row(sample, 1, &derived.rows[last]);
	}
	np_table_free(&derived);
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

static void set_up_results(const struct order *order, struct np_results *results)
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

/* Measures the pairs of a round at the same time, each by a thread: the thread starts a
 * server on one host and a client on the other, and reads the client's visits as --runs
 * does.  A host on which no process can be started is left out of later rounds. */
static int measure_round(void *context, struct np_pair_sample *samples, size_t count)
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

/* Measures and reports all pairs.  program: the driver, and the options by which its
 * processes are started.  Returns 0 or -errno. */
static int measure_pairs(const struct order *order, const struct np_program *program,
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
				      .measure = measure_round,
				      .context = &all };
	/* Unblock signals: a file may be a pipe, and the signalfd is not read yet. */
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

/* ---- Plan of the driver -------------------------------------------------------------- */

enum { WORDS_MOST = 64 };

/* Reads the plan that the driver has printed.  The strings are of *plan. */
static int read_plan(const char *line, json_t **plan, struct order *order,
		     struct np_error *error)
{
	json_t *variants = NULL;
	json_int_t seed = 0;

	json_decref(*plan);
	*plan = json_loads(line, 0, NULL);
	order->variant_count = 0;
	if (json_unpack(*plan, "{ss ss sI so ss}", "module", &order->module, "op",
			&order->op, "seed", &seed, "variants", &variants, "plan",
			&order->plan) != 0)
		return np_fail(error, NP_ERROR_FAILED, EPROTO,
			       "the program printed no plan: are the versions equal?");
	order->seed = (uint64_t)seed;
	while (order->variant_count < NP_VARIANTS_MAX &&
	       order->variant_count < json_array_size(variants)) {
		order->variants[order->variant_count] =
			json_string_value(json_array_get(variants, order->variant_count));
		order->variant_count++;
	}
	return 0;
}

/* Starts the driver on this host, which checks its options, and reads its plan. */
static int ask_driver(const struct np_program *program, char **words, json_t **plan,
		      struct order *order, struct np_error *error)
{
	const char *arguments[WORDS_MOST] = { "--fleet" };
	size_t count = 1;
	static const unsigned char none[NP_KEY_LENGTH] = { 0 };
	struct np_program here = *program;
	const struct np_remote_order start = {
		.program = &here, .token = none, .host = "here", .arguments = arguments
	};
	char path[PATH_MAX], *line = NULL;
	struct np_remote driver;

	if (!np_program_find(program->identity.program, NP_LIBEXEC, path, sizeof(path)))
		return np_fail(error, NP_ERROR_FAILED, ENOENT,
			       "there is no %.40s beside %s, in %s or in PATH",
			       program->identity.program, program_name, NP_LIBEXEC);
	for (; *words != NULL && count < WORDS_MOST - 1; words++)
		arguments[count++] = *words;
	here.options.rsh = "env NETPONG_HOST=%h";
	here.options.remote_program = path;
	here.options.remote_options = NULL;
	int rc = np_remote_start(&driver, &start, error);
	/* Read all output: the driver exits when its input is closed. */
	while (rc == 0 && (rc = np_remote_line(&driver, NULL, &line, error)) == 1)
		rc = read_plan(line, plan, order, error);
	const int status = np_remote_end(&driver);
	if (rc == 0 && (status != 0 || *plan == NULL)) {
		rc = np_remote_failed(&driver, status, error);
		error->kind = status != 0 ? (enum np_error_kind)status : NP_ERROR_FAILED;
	}
	return rc;
}

static int measure_hosts(struct settings *settings, char **words, struct np_error *error)
{
	struct np_program *program = &settings->program;
	struct order order = { .hosts = settings->hosts,
			       .groups = settings->groups,
			       .slow = settings->slow };
	json_t *plan = NULL;

	program->identity.program = settings->driver;
	program->identity.version = PACKAGE_VERSION;
	program->deadline =
		program->options.max_run_time != 0 ?
			np_deadline_in((uint64_t)(program->options.max_run_time * 1000)) :
			np_deadline_never();
	program->signals = np_watch_signals(error);
	if (program->signals < 0)
		return program->signals;
	int rc = ask_driver(program, words, &plan, &order, error);
	if (rc == -EINTR)
		np_watch_read_signal(program->signals, error);
	if (rc == 0)
		rc = measure_pairs(&order, program, error);
	json_decref(plan);
	return rc;
}

static int measure_fleet(struct settings *settings, const struct np_command_line *line,
			 struct np_error *error)
{
	const struct np_option *of_hosts = line->given[READ_OF_HOSTS];

	if ((settings->hosts == NULL) == (settings->launcher == NULL))
		return np_refuse(error, "give --hosts FILE or --launcher COMMAND");
	if (line->operand_count == 0)
		return np_refuse(error,
				 "no program: give its name, such as in: %s --hosts "
				 "FILE NAME --quick",
				 program_name);
	if (settings->launcher != NULL && of_hosts != NULL)
		return np_refuse(
			error,
			"--%s is for --hosts: with --launcher it stands behind the "
			"name of the program",
			of_hosts->name);
	snprintf(settings->driver, sizeof(settings->driver), "NP%s", line->operands[0]);
	return settings->launcher != NULL ?
		       start_launcher(settings, line->operands, line->operand_count,
				      error) :
		       measure_hosts(settings, line->operands + 1, error);
}

int main(int argc, char **argv)
{
	struct settings settings = { .slow = 0 };
	const struct np_option_set set = { .table = table, .values = &settings };
	struct np_command_line line = { .command = true };
	struct np_error error = { .code = 0 };

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	line.operands = calloc((size_t)argc + 1, sizeof(*line.operands));
	int rc = line.operands != NULL ?
			 np_options_default(&set, 1, &error) :
			 np_fail_errno(&error, ENOMEM, "cannot read the command line");
	if (rc == 0)
		rc = np_options_parse(&set, 1, argc, argv, &line, &error);
	if (rc == 0 && (line.help || line.help_all))
		print_help(&set, line.help_all);
	else if (rc == 0 && line.version)
		printf("%s (NetPong) %s\nprograms   %s\nlibraries  %s\n", program_name,
		       PACKAGE_VERSION, NP_SHIPPED_PROGRAMS, NP_LIBRARY_VERSIONS);
	else if (rc == 0)
		rc = measure_fleet(&settings, &line, &error);
	rc = np_stdout_check(rc, &error);
	if (rc != 0)
		np_error_print(stderr, program_name, &error);
	free(line.operands);
	return rc == 0 ? EXIT_SUCCESS : (int)error.kind;
}
