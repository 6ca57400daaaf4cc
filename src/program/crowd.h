/*
 * crowd.h - processes of a run that outnumber the cores of their host.
 */
#pragma once

#include "base/error.h"
#include "contract/job.h"

/* The host of a job with the most ranks for each core that their affinity masks allow. */
struct np_crowd {
	unsigned ranks, cores; /* 0: not known */
	unsigned here;	       /* ranks on the host of rank 0 */
};

/* Exchanges host, affinity mask and options of all ranks; collective over the job.  options
 * is the plan's text, NULL where this rank refused them.  Returns 0 or -errno, EINVAL in
 * every rank where options of two differ. */
int np_crowd_find(const struct np_job_hooks *hooks, const struct np_job *job,
		  const char *options, struct np_crowd *crowd, struct np_error *error);
