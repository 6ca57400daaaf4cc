/*
 * remote_command.h - the words of the command that starts an end elsewhere, for
 * remote*.c alone.
 */
#ifndef NP_REMOTE_COMMAND_H
#define NP_REMOTE_COMMAND_H

#include "program/remote.h"

enum { NP_REMOTE_ARGUMENTS = 64 };

struct np_remote_command {
	char *list[NP_REMOTE_ARGUMENTS + 1]; /* NULL at the end; each is freed */
	size_t count;
};

/* The first line that the started end hears. */
extern const char np_remote_greeting[];

/* Makes the words: the way in, the program, its arguments.  Returns 0 or -errno:
 * NP_ERROR_USAGE for what a shell at the other host might take apart.
 * np_remote_command_free() copes with both. */
int np_remote_command_make(struct np_remote_command *command,
			   const struct np_remote_order *order, struct np_error *error);
void np_remote_command_free(struct np_remote_command *command);

/* Runs it with pipes in remote->in, out and err.  Returns 0 or -errno. */
int np_remote_command_run(const struct np_remote_command *command, struct np_remote *remote,
			  struct np_error *error);

#endif
