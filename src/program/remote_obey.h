/*
 * remote_obey.h - the process that another host has started.
 */
#ifndef NP_REMOTE_OBEY_H
#define NP_REMOTE_OBEY_H

#include "base/error.h"

/*
 * Reads the token and the plan's lines from standard input, and sees to it that this
 * process gets SIGHUP when that ends.  plan becomes a string that the caller frees.
 * Returns 0 or -errno.
 */
int np_remote_obey(unsigned char *key, char **plan, struct np_error *error);

#endif
