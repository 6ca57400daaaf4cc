/*
 * boot_job.h - control channel between ranks 0 and 1 of a job that an MPI launcher
 * started.
 */
#pragma once

#include "base/facts.h"
#include "boot/channel.h"
#include "contract/job.h"

/*
 * Connects ranks 0 and 1 of a job; collective over the job.  failure: error kind with which
 * this process failed before, 0 if it is ready.  If all are ready, ranks 0 and 1 connect
 * over TCP, at an address of rank 1 that was exchanged through the job, and boot becomes
 * their channel.
 *
 * Returns 0 or -errno.  *all_know is true if the failures were exchanged and every process
 * returns an error here: its kind is that of the lowest failed rank, and the process that
 * failed prints the text.  np_boot_close() accepts the channel in either case.
 */
int np_boot_job(struct np_boot *boot, const struct np_job_hooks *hooks,
		const struct np_job *job, const struct np_identity *identity, int failure,
		bool *all_know, struct np_error *error);
