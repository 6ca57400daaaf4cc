/*
 * start_over.h - a run of --runs, in the process that was forked for it.
 */
#pragma once

#include "program/program.h"

/* Executes this program as run `index`, with results written to pipe_end; exits on failure.
 */
void __attribute__((noreturn))
np_start_over(const struct np_program *program, int pipe_end, unsigned index);
