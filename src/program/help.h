/*
 * help.h - --help, --help-all, --version and --shell-completion.
 */
#pragma once

#include "program/program.h"

/* Prints the help, version or completion that the command line requests. *answered becomes
 * false if it requests a run.  Returns 0 or -errno. */
int np_help_answer(const struct np_program *program, const struct np_command_line *line,
		   bool *answered, struct np_error *error);
