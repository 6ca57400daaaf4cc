/*
 * start_over.c - this program, executed again by itself or by a launcher.
 */
#include "program/start_over.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "endpoint/watch.h"

/* Child: exec sh -c "exec LAUNCHER self args".  Returns on failure. */
static void become_job(const struct np_program *program, int pipe_end, char **arguments)
{
	static const char rest[] = " \"$0\" \"$@\"";
	const char *launcher = program->options.launcher;
	const size_t length = strlen("exec ") + strlen(launcher) + sizeof(rest);
	char shell[] = "sh", flag[] = "-c", self[PATH_MAX], *command = malloc(length);
	const ssize_t found = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (command == NULL || found < 0 || dup2(pipe_end, STDOUT_FILENO) < 0) {
		free(command);
		return;
	}
	self[found] = '\0';
	snprintf(command, length, "exec %s%s", launcher, rest);
	arguments[0] = shell;
	arguments[1] = flag;
	arguments[2] = command;
	arguments[3] = self;
	close(pipe_end);
	np_watch_default_signals();
	execv("/bin/sh", arguments);
	free(command);
}

void np_start_over(const struct np_program *program, int pipe_end, unsigned index)
{
	const bool job = program->options.launcher != NULL;
	/* Arguments before the program's own. */
	enum { BEFORE = 3 };
	struct np_error error = { .code = 0 };
	char option[48];
	size_t count = 0;
	bool control;

	/* Set variables before exec: the loader reads them, and a launcher may forward
	 * them. */
	if (program->options.runs_apart != 0 &&
	    np_variant_set_variables(np_program_variant_of(program, index, &control),
				     &error) != 0)
		_exit(NP_ERROR_FAILED);

	while (program->arguments[count] != NULL)
		count++;
	char **arguments = calloc(BEFORE + count + 2, sizeof(*arguments));
	if (arguments == NULL)
		_exit(NP_ERROR_FAILED);
	memcpy(arguments + BEFORE, program->arguments, count * sizeof(*arguments));
	snprintf(option, sizeof(option), "--run-pipe=%d:%u", job ? STDOUT_FILENO : pipe_end,
		 index);
	arguments[BEFORE + count] = option;
	if (job)
		become_job(program, pipe_end, arguments);
	else
		execv("/proc/self/exe", arguments + BEFORE);
	_exit(NP_ERROR_FAILED);
}
