/*
 * main.c - NPfleet: command line and exit status.
 *
 * Only this file prints errors and ends the process.
 */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "endpoint/watch.h"
#include "fleet/host_pairs.h"
#include "option/option.h"
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

/* Conditions of options: with a launcher they are the program's. */
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

/* ---- Hosts ----------------------------------------------------------------------- */

enum { WORDS_MOST = 64 };

/* Reads the plan that the driver has printed.  The strings are of *plan. */
static int read_plan(const char *line, json_t **plan, struct np_pairs_order *order,
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

/* Has the driver on this host check its options, and takes its plan. */
static int ask_driver(const struct np_program *program, char **words, json_t **plan,
		      struct np_pairs_order *order, struct np_error *error)
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
	/* To the end of its output, since the driver exits when its input is closed. */
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
	struct np_pairs_order order = { .hosts = settings->hosts,
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
		rc = np_pairs_measure(&order, program, error);
	json_decref(plan);
	return rc;
}

static int run(struct settings *settings, const struct np_command_line *line,
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
		rc = run(&settings, &line, &error);
	rc = np_stdout_check(rc, &error);
	if (rc != 0)
		np_error_print(stderr, program_name, &error);
	free(line.operands);
	return rc == 0 ? EXIT_SUCCESS : (int)error.kind;
}
