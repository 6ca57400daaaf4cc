/*
 * options_read.h - refuses options that this run would not read.
 */
#pragma once

#include "contract/np_module.h"
#include "plan/options.h"

/* given: the last option of each .read_if on the command line.  waits: this process is a
 * server.  Returns 0 or -EINVAL with NP_ERROR_USAGE. */
int np_options_read(const struct np_option *const given[NP_OPTION_CONDITIONS],
		    const struct np_options *options, const struct np_request *request,
		    bool waits, struct np_error *error);
