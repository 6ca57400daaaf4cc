/*
 * remote_obey.h - standard input of a process that remote.c started on this host.
 */
#pragma once

#include "base/error.h"

/*
 * Reads the token into key (NP_KEY_LENGTH bytes) and the plan's lines from standard input,
 * and starts a thread that raises SIGHUP when standard input closes.  The caller frees
 * *plan.  Returns 0 or -errno.
 */
int np_remote_obey(unsigned char *key, char **plan, struct np_error *error);
