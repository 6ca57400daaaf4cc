/*
 * remote_command.h - the command that starts a process on another host.
 */
#pragma once

#include "program/remote.h"

enum { NP_REMOTE_ARGUMENTS = 64 };

struct np_remote_command {
	char *list[NP_REMOTE_ARGUMENTS + 1]; /* ends with NULL; each is freed */
	size_t count;
};

/* First line on the started process's standard input. */
extern const char np_remote_greeting[];

/* Makes the argument list: ssh or --rsh, the program, its arguments.  Returns 0 or -errno:
 * NP_ERROR_USAGE for words that a remote shell might split.  The caller calls
 * np_remote_command_free() in either case. */
int np_remote_command_make(struct np_remote_command *command,
			   const struct np_remote_order *order, struct np_error *error);
void np_remote_command_free(struct np_remote_command *command);

/* Runs the command with pipes in remote->in, out and err.  Returns 0 or -errno. */
int np_remote_command_run(const struct np_remote_command *command, struct np_remote *remote,
			  struct np_error *error);
