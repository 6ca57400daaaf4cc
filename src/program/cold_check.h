/*
 * cold_check.h - checks before a run that rotated buffers are cold.
 */
#pragma once

#include <stdio.h>

#include "endpoint/process.h"
#include "output/output.h"

/*
 * Has both processes probe a small size of the plan, one of a page, and the largest.  What
 * they saw is kept in *header and, unless json is NULL, written there.  Buffers that share
 * a cache line, or that the CPU cannot load from, are not: header->cold_unchecked.
 * Returns 0 or -errno.
 */
int np_check_cold(struct np_process *process, const struct np_plan *plan, FILE *json,
		  struct np_run_header *header, struct np_error *error);
