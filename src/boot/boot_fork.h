/*
 * boot_fork.h - a boot channel between a process and the child it forks: both
 * ends from one command.
 */
#ifndef NP_BOOT_FORK_H
#define NP_BOOT_FORK_H

#include <sys/types.h>

#include "contract/boot.h"

/*
 * Forks.  Returns 0 in both processes, with boot->rank 0 and the child's pid
 * in *child in the parent, rank 1 and 0 in the child; or -errno with a text.
 * Threads do not survive it: fork before the watcher starts.  The child dies
 * with its parent.
 */
int np_boot_fork(struct np_boot *boot, pid_t *child, struct np_error *error);

/* Closes what np_boot_fork(), np_boot_dial() or np_boot_wait() opened; copes
 * with a half-open channel. */
void np_boot_close(struct np_boot *boot);

#endif
