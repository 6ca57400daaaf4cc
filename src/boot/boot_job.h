/*
 * boot_job.h - a boot channel between processes that a launcher has started.
 */
#ifndef NP_BOOT_JOB_H
#define NP_BOOT_JOB_H

#include "contract/boot.h"
#include "contract/job.h"
#include "boot/link.h"

/*
 * All processes of the job call it.  Each tells the others whether it is ready:
 * `failure` is the kind of what it failed with before, 0 if it is ready.  If all
 * are, ranks 0 and 1 meet over TCP, at an address of rank 1 that they exchange
 * by the job, and their channel is in boot.
 *
 * Returns 0; or -errno, with *all_know true if every process returns an error
 * here and the kind of the first in error; no text is written for the failure of
 * another process, which tells of it.  np_boot_close() copes with either.
 */
int np_boot_job(struct np_boot *boot, const struct np_job_hooks *hooks,
		const struct np_job *job, const struct np_identity *identity, int failure,
		bool *all_know, struct np_error *error);

#endif
