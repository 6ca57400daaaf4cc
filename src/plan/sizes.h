/*
 * sizes.h - message sizes of a run: NetPIPE's schedule, or a list.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

/*
 * NetPIPE's schedule: 1, 2, 3, 4, 6, 8, 12, 16, 24, ... from lower to upper bytes, each
 * also less and plus perturbation if the step to the next exceeds perturbation + 1.  A
 * lower above 1 steps by half of itself.  upper limits unperturbed sizes; perturbed ones
 * may be above upper, or below lower but not below 1.  lower 0 adds the message of 0 bytes.
 * 1 to 8 MiB with perturbation 3 gives 124 sizes.
 *
 * Makes an ascending list without duplicates, which the caller frees.  Returns 0, -EINVAL
 * if lower is above upper, or -ENOMEM.
 */
int np_sizes_schedule(size_t lower, size_t upper, size_t perturbation, size_t **sizes,
		      size_t *count);

/*
 * Parses a list of sizes: "64,1K,4K-1,1M+3".  K, M, G and T are binary; one "+n" or
 * "-n" may follow.  Makes an ascending list without duplicates, which the caller frees.
 * Returns 0, -EINVAL with NP_ERROR_USAGE, or -ENOMEM.
 */
int np_sizes_parse(const char *text, size_t **sizes, size_t *count, struct np_error *error);

/* Sorts sizes and removes duplicates.  Returns the number of those left. */
size_t np_sizes_unique(size_t *sizes, size_t count);
