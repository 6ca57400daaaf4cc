/*
 * main.c - netpong: finds and starts programs; command line, examples, exit status.
 *
 * Only this file prints errors and ends the process.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/files.h"
#include "front/front.h"
#include "option/option.h"
#include "record/command.h"

static const char program_name[] = "netpong";

// clang-format off
/* Options that np_options_parse() handles itself, for the help text. */
static const struct np_option asides[] = {
	{ .name = "help", .help = "print this" },
	{ .name = "version", .help = "print the version" },
	{ 0 }
};
// clang-format on

/* A program that "netpong NAME" starts. */
struct program {
	const char *name;    /* "tcp" */
	const char *summary; /* one line */
	const char *absent;  /* reason why configure left it out; "": it is built */
};

#define PROGRAM(name, summary, absent) { name, summary, absent },

/* All programs, with a zero entry at the end. */
static const struct program programs[] = {
	NP_PROGRAMS(PROGRAM){ "fleet", "all pairs of many hosts, and which are slow", "" },
	{ "report", "findings, pictures and comparisons of results", "" },
	{ NULL, NULL, NULL },
};

/* Returns the program of that name, or NULL. */
static const struct program *find_program(const char *name)
{
	for (size_t i = 0; programs[i].name != NULL; i++) {
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	}
	return NULL;
}

/* Finds the file of a program: in the folder of netpong, in libexec, in PATH.  PATH comes
 * last, as other packages have commands of the same names.  Returns false if it is in
 * none. */
static bool locate(const struct program *program, char *path, size_t size)
{
	char name[64];

	snprintf(name, sizeof(name), "NP%s", program->name);
	return np_program_find(name, NP_LIBEXEC, path, size);
}

/* Replaces this process by the program, with arguments[0] the name "NPtcp".  Returns only
 * with an error. */
static int start_program(const struct program *program, char **arguments,
			 struct np_error *error)
{
	char path[PATH_MAX], name[64];

	if (!locate(program, path, sizeof(path)))
		return program->absent[0] != '\0' ?
			       np_refuse(error, "this build has no NP%s: %s", program->name,
					 program->absent) :
			       np_fail(error, NP_ERROR_FAILED, ENOENT,
				       "there is no NP%s beside netpong, in %s or in PATH",
				       program->name, NP_LIBEXEC);
	snprintf(name, sizeof(name), "NP%s", program->name);
	arguments[0] = name;
	execv(path, arguments);
	return np_fail_errno(error, errno, "cannot start '%.300s'", path);
}

static void list_programs(void)
{
	char path[PATH_MAX];

	for (size_t i = 0; programs[i].name != NULL; i++) {
		const struct program *program = &programs[i];

		printf("%-8s %s\n", program->name, program->summary);
		if (locate(program, path, sizeof(path)))
			printf("         %s\n", path);
		else if (program->absent[0] != '\0')
			printf("         not in this build: %s\n", program->absent);
		else
			printf("         not installed: beside netpong, in %s or in PATH\n",
			       NP_LIBEXEC);
	}
}

/* Example commands, by question.  tests/cli/documented.sh runs every one. */
static const struct {
	const char *question;
	const char *commands[3]; /* NULL beyond the last */
} examples[] = {
	{ "Is this host fit to measure on?", { "netpong doctor" } },
	{ "What does a message between two hosts cost?",
	  { "netpong tcp                              # on host a, waits",
	    "netpong tcp -h a --json tcp.jsonl        # on host b" } },
	{ "The same, when only one terminal is at hand?", { "netpong tcp --remote a" } },
	{ "What does a message cost inside this host?",
	  { "netpong shm", "netpong tcp --local" } },
	{ "What if the application does not send the same buffer again?",
	  { "netpong tcp -h a -I" } },
	{ "Does my program use cold buffers?",
	  { "netpong record -o app.jsonl -- mpiexec -n 4 ./app" } },
	{ "Why are cold buffers slower?", { "netpong ibv -h a -I --why 64K" } },
	{ "How many buffers does the adapter or library keep up with?",
	  { "netpong ibv -h a --capacity 64K" } },
	{ "What is the bandwidth of a stream, and in both directions?",
	  { "netpong tcp -h a -s", "netpong tcp -h a -2" } },
	{ "What does MPI cost over the transport below it?",
	  { "mpiexec -n 2 --host a,b netpong mpi --json mpi.jsonl",
	    "netpong report --compare tcp.jsonl mpi.jsonl" } },
	{ "Which link of a cluster is slow?",
	  { "netpong fleet --hosts hosts --json pairs.jsonl tcp --quick",
	    "netpong report pairs.jsonl --html pairs.html" } },
	{ "Has the new kernel, driver or cable made it slower?",
	  { "netpong tcp -h a --runs 5 --json before.jsonl",
	    "netpong tcp -h a --runs 5 --json after.jsonl",
	    "netpong report --compare before.jsonl after.jsonl" } },
	{ "What does a result file say, as a page and as a table?",
	  { "netpong report tcp.jsonl --html tcp.html",
	    "netpong report tcp.jsonl --export csv -o tcp.csv" } },
	{ "Would NetPong find an effect of this kind?",
	  { "netpong sim --profile loopback --set 'step = 8K, 5 %'" } },
};

static void print_examples(void)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		printf("%s%s\n", i != 0 ? "\n" : "", examples[i].question);
		for (size_t k = 0; k < 3 && examples[i].commands[k] != NULL; k++)
			printf("    %s\n", examples[i].commands[k]);
	}
}

static void print_help(void)
{
	printf("netpong %s: network benchmarks, and what they need\n\n"
	       "  netpong NAME [OPTION...]  start the program of that name\n"
	       "  netpong list              print the programs, and why some are absent\n"
	       "  netpong examples          print commands by question\n"
	       "  netpong doctor [DIR]      examine this host, or a copy of /proc in DIR\n"
	       "  netpong record [-o FILE] -- COMMAND\n"
	       "                            record which buffers COMMAND sends and "
	       "receives\n"
	       "  netpong help [NAME]       print this, or the options of that program\n\n",
	       PACKAGE_VERSION);
	for (size_t i = 0; programs[i].name != NULL; i++)
		printf("  %-10s %s\n", programs[i].name, programs[i].summary);
	putchar('\n');
	np_options_help(stdout, &(const struct np_option_set){ .table = asides }, 1, false);
	printf("\nExit status: that of the program or command; else 0 done, 1 failed, "
	       "2 usage,\n3 doctor found something to change. See netpong(1).\n");
}

static int check_root(const char *root, struct np_error *error)
{
	char path[4096];
	struct stat status;

	snprintf(path, sizeof(path), "%s/proc", root);
	if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
		return np_refuse(error, "doctor: there is no folder '%.200s/proc'", root);
	return 0;
}

static int examine(const char *root, struct np_error *error)
{
	const int rc = check_root(root, error);

	if (rc != 0)
		return rc;
	if (np_front_doctor(root) != 0)
		/* The settings to change are printed already. */
		return np_fail(error, NP_ERROR_VERDICT, EBUSY, "%s", "");
	return 0;
}

static int refuse_command(const char *command, struct np_error *error)
{
	static const char *const others[] = { "list", "examples", "doctor", "help",
					      "record" };
	const size_t length = strlen(command);
	const char *similar = NULL;

	for (size_t i = 0; programs[i].name != NULL; i++) {
		if (np_spelling_distance(command, length, programs[i].name) <= 1)
			similar = programs[i].name;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (np_spelling_distance(command, length, others[i]) <= 2)
			similar = others[i];
	}
	if (similar != NULL)
		return np_refuse(error, "there is no command '%.60s'; did you mean %s?",
				 command, similar);
	return np_refuse(error,
			 "there is no command '%.60s': netpong list shows the programs; "
			 "list, examples, doctor, record and help are the others",
			 command);
}

/* root: the folder of doctor; "": this host. */
static int run_command(const char *command, const char *root, struct np_error *error)
{
	if (strcmp(command, "list") == 0)
		list_programs();
	else if (strcmp(command, "examples") == 0)
		print_examples();
	else if (strcmp(command, "doctor") == 0)
		return examine(root, error);
	else
		return refuse_command(command, error);
	return 0;
}

/* "netpong help NAME": starts the program of that name with --help. */
static int help_of(char *name, struct np_error *error)
{
	char help[] = "--help";
	char *arguments[] = { name, help, NULL };
	const struct program *named = find_program(name);

	return named != NULL ? start_program(named, arguments, error) :
			       refuse_command(name, error);
}

static bool asks_for_help(int argc, char **argv)
{
	return argc == 1 ||
	       (argc == 2 && (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "-h") == 0));
}

/* status: exit status of a recorded command. */
static int run(int argc, char **argv, int *status, struct np_error *error)
{
	const struct program *started = argc > 1 ? find_program(argv[1]) : NULL;
	struct np_command_line line = { .operand_count = 0 };

	/* The program parses its own options. */
	if (started != NULL)
		return start_program(started, argv + 1, error);
	if (argc > 1 && strcmp(argv[1], "record") == 0)
		return np_record_command(argv + 1, status, error);
	if (argc == 3 && strcmp(argv[1], "help") == 0)
		return help_of(argv[2], error);
	line.operands = calloc((size_t)argc + 1, sizeof(*line.operands));
	if (line.operands == NULL)
		return np_fail_errno(error, ENOMEM, "cannot read the command line");
	int rc = 0;
	if (asks_for_help(argc, argv))
		line.help = true;
	else if (argc == 2 && strcmp(argv[1], "version") == 0)
		line.version = true;
	else
		rc = np_options_parse(NULL, 0, argc, argv, &line, error);
	const bool folder =
		line.operand_count == 2 && strcmp(line.operands[0], "doctor") == 0;

	if (rc == 0 && (line.help || line.help_all))
		print_help();
	else if (rc == 0 && line.version)
		printf("%s (NetPong) %s\n", program_name, PACKAGE_VERSION);
	else if (rc == 0 && line.operand_count != 1 && !folder)
		rc = np_refuse(error, line.operand_count == 0 ?
					      "no command: try netpong help" :
					      "one command at a time");
	else if (rc == 0)
		rc = run_command(line.operands[0], folder ? line.operands[1] : "", error);
	free(line.operands);
	return rc;
}

int main(int argc, char **argv)
{
	struct np_error error = { .code = 0 };
	int status = EXIT_SUCCESS, rc = run(argc, argv, &status, &error);

	rc = np_stdout_check(rc, &error);
	if (rc != 0 && error.text[0] != '\0')
		fprintf(stderr, "%s: %s\n", program_name, error.text);
	if (status != EXIT_SUCCESS)
		return status;
	return rc == 0 ? EXIT_SUCCESS : (int)error.kind;
}
