/*
 * sizes.h - which message lengths a run visits.
 */
#ifndef NP_SIZES_H
#define NP_SIZES_H

#include <stddef.h>

#include "base/error.h"

/*
 * NetPIPE's schedule: 1, 2, 3, 4, 6, 8, 12, 16, 24, ... from lower to upper,
 * each with perturbation less and more around it where the step to the next
 * exceeds perturbation + 1.  A start above 1 steps by half of itself.  upper
 * bounds the length in the middle, so the last may lie above upper, and the
 * first below lower, but never below 1.  lower 0 puts the message of no bytes
 * before the schedule from 1.  1 to 8 MiB with perturbation 3 makes 124 sizes.
 *
 * Makes an ascending list without duplicates, which the caller frees.  Returns
 * 0, -EINVAL if lower is above upper, or -ENOMEM.
 */
int np_sizes_schedule(size_t lower, size_t upper, size_t perturbation, size_t **sizes,
		      size_t *count);

/*
 * Lengths by name: "64,1K,4K-1,1M+3".  K, M, G and T are binary; one "+n" or
 * "-n" may follow.  Makes an ascending list without duplicates, which the
 * caller frees.  Returns 0, -EINVAL with NP_ERROR_USAGE, or -ENOMEM.
 */
int np_sizes_parse(const char *text, size_t **sizes, size_t *count, struct np_error *error);

#endif
