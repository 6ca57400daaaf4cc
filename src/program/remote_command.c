/*
 * remote_command.c - the command that starts a process on another host.
 *
 * ssh passes its arguments to a shell; a command of --rsh may not.  Arguments for the other
 * host therefore have only characters that no shell interprets, and others are refused;
 * options of the plan go over standard input.
 */
#include "program/remote_command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "endpoint/watch.h"

const char np_remote_greeting[] = "NetPong runs";

static const char blanks[] = " \t\n";

static int add(struct np_remote_command *command, char *word, struct np_error *error)
{
	if (word == NULL || command->count == NP_REMOTE_ARGUMENTS) {
		free(word);
		return np_fail(error, NP_ERROR_USAGE, E2BIG,
			       "the command for the other host is too long");
	}
	command->list[command->count++] = word;
	return 0;
}

/* Copies a word of --rsh with %h replaced by the host. */
static char *put_host(const char *word, size_t length, const char *host)
{
	const char *mark = memmem(word, length, "%h", 2);
	char *text = NULL;

	if (mark == NULL)
		return strndup(word, length);
	const size_t before = (size_t)(mark - word);
	if (asprintf(&text, "%.*s%s%.*s", (int)before, word, host,
		     (int)(length - before - 2), mark + 2) < 0)
		return NULL;
	return text;
}

static int add_way_in(struct np_remote_command *command,
		      const struct np_remote_order *order, struct np_error *error)
{
	/* -T: no terminal, since a program reads the output. */
	static const char by_ssh[] =
		"ssh -T -o ConnectTimeout=8 -o ServerAliveInterval=2 %h";
	const char *rsh = order->program->options.rsh;
	const char *at = rsh != NULL ? rsh : by_ssh;
	/* As for rsync -e and the remote shells of MPI, the host is the last word unless %h
	 * is given. */
	const bool names_host = strstr(at, "%h") != NULL;
	int rc = 0;

	if (order->host[0] == '-' || strpbrk(order->host, " \t\n") != NULL ||
	    order->host[0] == '\0')
		return np_refuse(error, "'%.100s' is no host", order->host);
	for (at += strspn(at, blanks); *at != '\0' && rc == 0; at += strspn(at, blanks)) {
		const size_t length = strcspn(at, blanks);

		rc = add(command, put_host(at, length, order->host), error);
		at += length;
	}
	return rc != 0 || names_host ? rc : add(command, strdup(order->host), error);
}

/* Adds the words of text, for the other host. */
static int add_words(struct np_remote_command *command, const char *option,
		     const char *text, struct np_error *error)
{
	static const char harmless[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_-+=./:,@%[]";
	int rc = 0;

	for (text += strspn(text, blanks); *text != '\0' && rc == 0;
	     text += strspn(text, blanks)) {
		const size_t length = strcspn(text, blanks);

		if (strspn(text, harmless) < length)
			return np_refuse(
				error,
				"%s: '%.*s' has letters that a shell might not leave alone",
				option, (int)(length < 80 ? length : 80), text);
		rc = add(command, strndup(text, length), error);
		text += length;
	}
	return rc;
}

int np_remote_command_make(struct np_remote_command *command,
			   const struct np_remote_order *order, struct np_error *error)
{
	const struct np_options *options = &order->program->options;
	const char *const *more = order->arguments;

	*command = (struct np_remote_command){ .count = 0 };
	int rc = add_way_in(command, order, error);
	if (rc == 0)
		rc = add_words(command, "--remote-program",
			       options->remote_program != NULL ?
				       options->remote_program :
				       order->program->identity.program,
			       error);
	if (rc == 0)
		rc = add(command, strdup("--launched"), error);
	for (; rc == 0 && *more != NULL; more++)
		rc = add_words(command, "an argument", *more, error);
	/* Last, as a later option overrides an earlier one. */
	if (rc == 0 && options->remote_options != NULL)
		rc = add_words(command, "--remote-options", options->remote_options, error);
	return rc;
}

void np_remote_command_free(struct np_remote_command *command)
{
	for (size_t i = 0; i < command->count; i++)
		free(command->list[i]);
	command->count = 0;
}

/* Child: executes the command; writes the errno value of a failure to the last pipe. */
static void __attribute__((noreturn))
become(const struct np_remote_command *command, int pipes[4][2], pid_t parent)
{
	np_watch_default_signals();
	/* SIGTERM at the parent's exit: ssh may wait for a password and not notice that
	 * standard input was closed. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent && dup2(pipes[0][0], STDIN_FILENO) >= 0 &&
	    dup2(pipes[1][1], STDOUT_FILENO) >= 0 && dup2(pipes[2][1], STDERR_FILENO) >= 0)
		execvp(command->list[0], command->list);
	const int code = errno;
	if (write(pipes[3][1], &code, sizeof(code)) < 0)
		_exit(NP_ERROR_FAILED);
	_exit(NP_ERROR_FAILED);
}

static int open_pipes(int pipes[4][2], struct np_error *error)
{
	for (size_t i = 0; i < 4; i++) {
		if (pipe2(pipes[i], O_CLOEXEC) != 0)
			return np_fail_errno(error, errno, "cannot make a pipe");
	}
	return 0;
}

static void close_pipes(int pipes[4][2])
{
	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < 2; k++) {
			if (pipes[i][k] >= 0)
				close(pipes[i][k]);
			pipes[i][k] = -1;
		}
	}
}

/* Takes a descriptor out of the pipes to close. */
static int keep(int *fd)
{
	const int kept = *fd;

	*fd = -1;
	return kept;
}

int np_remote_command_run(const struct np_remote_command *command, struct np_remote *remote,
			  struct np_error *error)
{
	int pipes[4][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
	const pid_t parent = getpid();
	int code = 0;
	int rc = open_pipes(pipes, error);

	if (rc == 0) {
		remote->child = fork();
		if (remote->child == 0)
			become(command, pipes, parent);
		if (remote->child < 0)
			rc = np_fail_errno(error, errno, "cannot start '%.100s'",
					   command->list[0]);
	}
	if (rc == 0) {
		remote->in = keep(&pipes[0][1]);
		remote->out.fd = keep(&pipes[1][0]);
		remote->err = keep(&pipes[2][0]);
		close(keep(&pipes[3][1]));
		if (read(pipes[3][0], &code, sizeof(code)) == (ssize_t)sizeof(code))
			rc = np_fail(error, NP_ERROR_PEER, code, "cannot run '%.100s': %s",
				     command->list[0], strerror(code));
	}
	close_pipes(pipes);
	return rc;
}
