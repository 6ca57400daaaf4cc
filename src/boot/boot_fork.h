/*
 * boot_fork.h - control channel over socket pairs, between a process and its fork
 * (--local).
 */
#pragma once

#include <sys/types.h>

#include "boot/channel.h"

/*
 * Forks.  Returns 0 in both processes, with boot->rank 0 and the child's pid in *child
 * in the parent, rank 1 and 0 in the child; or -errno with a text.  To be called before
 * the watcher thread starts: threads do not survive a fork.  The child is killed when
 * its parent ends.
 */
int np_boot_fork(struct np_boot *boot, pid_t *child, struct np_error *error);
