/*
 * options_check.h - options that exclude or need each other.
 */
#pragma once

#include "plan/options.h"

/*
 * Checks relations between options: ranges, options that exclude or need each other.
 * Returns 0 or -EINVAL with NP_ERROR_USAGE.
 */
int np_options_check(const struct np_options *options, struct np_error *error);
