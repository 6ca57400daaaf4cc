/*
 * remote_obey.h - the part of the process that was started by remote.c from another host.
 */
#pragma once

#include "base/error.h"

/*
 * Reads the token and the plan's lines from standard input, and starts a thread that
 * raises SIGHUP when standard input closes.  plan becomes a string that the caller frees.
 * Returns 0 or -errno.
 */
int np_remote_obey(unsigned char *key, char **plan, struct np_error *error);
