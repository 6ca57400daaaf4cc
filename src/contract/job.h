/*
 * job.h - optional table of a transport whose launcher starts all processes.
 *
 * A launcher such as mpiexec or srun starts every process of a run with the same command
 * line.  A module with np_module.job takes ranks from it, and makes the control channel by
 * the transport's own messages (boot_tcp.c).  All else is as in any other run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct np_endpoint;

struct np_job {
	int rank, size;
	bool started;  /* start() succeeded: finish() is due */
	bool diverged; /* the processes no longer agree: abort the job */
};

enum { NP_FLEET_SIZES = 2, NP_FLEET_REASON = 300 };

/* Measurement of two hosts or ranks at each size. */
struct np_pair_sample {
	size_t one, other; /* equal: reason holds for all pairs of that host */
	size_t size_count; /* smallest size, then largest; 0: not measured */
	size_t bytes[NP_FLEET_SIZES];
	double seconds[NP_FLEET_SIZES]; /* of a message */
	double error[NP_FLEET_SIZES];	/* standard error of the logarithm; NAN: unknown */
	unsigned degrees;		/* degrees of freedom of error */
	char reason[NP_FLEET_REASON];	/* why not measured; "": already reported for a host
					 */
};

/* Rank of a job that was the slowest in most passes: in `times` of `passes`. */
struct np_job_slowest {
	unsigned rank, times, passes;
	unsigned ranks; /* ranks that take part */
	char host[80];
	int core;
};

struct np_job_hooks {
	const char *launcher; /* command of the user, before the number of processes:
			       * "mpiexec -n" */
	/* Returns the launcher of the job that this process and others belong to, by the
	 * environment of the process, or NULL.  Sets *first in one process of the job.
	 * Called before start(). */
	const char *(*find_launcher)(bool *first);
	/* Joins the job and sets rank and size.  Called once, before all hooks but
	 * check(), with the signals that end a run blocked, so that threads of a library
	 * do not take them.  options: the module's, as far as they could be read; or
	 * NULL. */
	int (*start)(struct np_job *job, const void *options, struct np_error *error);
	/* Refuses, with NP_ERROR_USAGE, options that a job of `size` processes cannot
	 * serve.  Ranks 0 and 1 are the two processes of the run. */
	int (*fits)(const void *options, int size, struct np_error *error);
	/* All-gather: each process contributes `length` bytes at records + rank * length
	 * and receives those of all others.  All processes call this, in the same order. */
	int (*share)(const struct np_job *job, void *records, size_t length,
		     struct np_error *error);
	/* NULL if a job never has more than two processes.  Loop of the other ranks:
	 * executes the commands of rank 0, sent by the transport's messages, until
	 * leave(). */
	int (*serve_rank)(const struct np_job *job, const void *options,
			  struct np_error *error);
	/* NULL without a tournament.  Called at rank 0 while all others are in
	 * serve_rank(): measures disjoint pairs of ranks at once, by ping-pongs of `bytes`
	 * for about `seconds`, and adds that size to the samples. */
	int (*meet)(const struct np_job *job, struct np_pair_sample *samples, size_t count,
		    size_t bytes, double seconds, struct np_error *error);
	/* Ends serve_rank() at the other ranks. */
	int (*leave)(const struct np_job *job, struct np_error *error);
	/* May be NULL.  Called at rank 0 after the last block: finds the rank that was
	 * the slowest most often.  Returns false if it is unknown. */
	bool (*slowest)(const struct np_endpoint *endpoint, struct np_job_slowest *found);
	/* Leaves the job.  status 0: all processes call this together.  Otherwise status
	 * is an exit status, the other processes are aborted, and this need not return. */
	void (*finish)(const struct np_job *job, int status);
};
