/*
 * ranks.h - all pairs of the ranks of a job.
 */
#pragma once

#include "program/program.h"

/* Measures and compares all pairs of ranks of a job; collective.  Returns 0 or -errno. */
int np_tournament(const struct np_program *program, struct np_error *error);
