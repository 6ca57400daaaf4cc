/*
 * slowest.h - slowest rank of an MPI pattern.
 *
 * The unit is the pass of a single run.  With several runs it is the run: a rank counts in
 * each run in which it was the slowest most often.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "contract/job.h"

/* Slowest ranks, of the runs that report one. */
struct np_slowest_list {
	struct np_job_slowest *list;
	size_t count;
};

/* Adds the slowest rank that the job reports, if it does.  Returns 0 or -errno. */
int np_slowest_ask(struct np_slowest_list *all, const struct np_job_hooks *job,
		   const struct np_endpoint *endpoint, struct np_error *error);

/* Adds the slowest rank of a run.  Returns 0 or -ENOMEM. */
int np_slowest_add(struct np_slowest_list *all, const struct np_job_slowest *one);
void np_slowest_free(struct np_slowest_list *all);

/* Finds the rank that is the slowest most often; runs: the unit is the run even if there is
 * only one.  Without any, passes is 0. */
struct np_job_slowest np_slowest_find(const struct np_slowest_list *all, bool runs);

/* Chance that any rank is the slowest so often, or more, if all are alike. */
double np_slowest_chance(const struct np_job_slowest *slowest);
