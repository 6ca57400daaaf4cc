/*
 * cold_check.h - checks before a run that rotated buffers are cold.
 */
#pragma once

#include <stdio.h>

#include "endpoint/process.h"
#include "output/output.h"

/*
 * Probes a small size of the plan, one of a page, and the largest, in both processes.
 * Results go to *header and, unless json is NULL, to the result file.  Buffers that share a
 * cache line, or that the CPU cannot load from, are not probed: header->cold_unchecked is
 * the reason.  Returns 0 or -errno.
 */
int np_check_cold(struct np_process *process, const struct np_plan *plan, FILE *json,
		  struct np_run_header *header, struct np_error *error);
