/*
 * job.h - a program whose processes are all started by somebody else.
 *
 * A transport may have a launcher of its own (mpiexec, srun), which starts every
 * process of a run with the same command line and lets them find each other.
 * Such a module says so in np_module.job.  Who is who then comes from the
 * launcher, and the control channel by what its processes can tell each other
 * (boot_job.c); from there on a run is like any other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct np_endpoint;

struct np_job {
	int rank, size;
	bool started; /* finish() is due */
	bool apart;   /* the ends no longer do the same: leave by force */
};

/* Two processes that are measured beside others; ranks. */
struct np_job_pair {
	int one, other;
	double seconds;	  /* a message; 0: it could not be measured */
	double error;	  /* standard error of its logarithm, from as many passes as */
	unsigned degrees; /* these, and one more */
};

/* The process of a job that was the slowest of all in most passes. */
struct np_job_slowest {
	unsigned rank, times, passes;
	unsigned ranks; /* that take part */
	char host[80];
	int core;
};

struct np_job_hooks {
	const char *launcher; /* how a user starts it; the number follows: "mpiexec -n" */
	/* Joins the other processes and fills in rank and size; called once, before
	 * anything else of the module but check(), with the signals that end a run
	 * blocked already, so that threads of a library do not catch them.  options:
	 * the module's, as far as they could be read; NULL for none. */
	int (*start)(struct np_job *job, const void *options, struct np_error *error);
	/* Refuses, with NP_ERROR_USAGE, options that a job of `size` processes cannot
	 * serve.  Ranks 0 and 1 are the two ends. */
	int (*fits)(const void *options, int size, struct np_error *error);
	/* Each process gives the record of `length` bytes at records + rank * length
	 * and gets those of all others.  All of them call it, in the same order. */
	int (*share)(const struct np_job *job, void *records, size_t length,
		     struct np_error *error);
	/* NULL if a job never has more than two processes.  All that the others do:
	 * what rank 0 tells them by the transport's means, until it dismisses them. */
	int (*attend)(const struct np_job *job, const void *options,
		      struct np_error *error);
	/* NULL without a tournament.  Rank 0, while all others attend(): measures pairs of
	 * different ranks at once, by ping-pongs of `bytes` that last about `seconds`. */
	int (*meet)(const struct np_job *job, struct np_job_pair *pairs, size_t count,
		    size_t bytes, double seconds, struct np_error *error);
	/* Dismisses the others. */
	int (*part)(const struct np_job *job, struct np_error *error);
	/* May be NULL.  In rank 0, after the last block: which rank was the slowest most
	 * often.  False: not known. */
	bool (*slowest)(const struct np_endpoint *endpoint, struct np_job_slowest *found);
	/* Leaves.  status 0: every process calls it, in peace.  Otherwise it is an
	 * exit status, and the others are ended, whatever they are doing; it need
	 * not return then. */
	void (*finish)(const struct np_job *job, int status);
};
