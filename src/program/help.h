/*
 * help.h - what a program says of itself: --help, --help-all, --version and
 * --shell-completion.
 */
#pragma once

#include "program/program.h"

/* Answers what the command line asks for; *answered is false if that is a run. */
int np_help_answer(const struct np_program *program, const struct np_command_line *line,
		   bool *answered, struct np_error *error);
