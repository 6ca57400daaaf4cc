/*
 * slowest.h - the slowest rank of a pattern, of one run or of several.
 *
 * Of one run the unit is the pass.  Of several it is the run: a rank counts in each run in
 * which it was the slowest most often.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "contract/job.h"

/* What each run has found, in order; nothing where none is known. */
struct np_slowest_list {
	struct np_job_slowest *list;
	size_t count;
};

/* Adds what the processes of a run have found, if they are a job that knows.  Returns 0 or
 * -errno. */
int np_slowest_ask(struct np_slowest_list *all, const struct np_job_hooks *job,
		   const struct np_endpoint *endpoint, struct np_error *error);

/* Adds what a run has found.  Returns 0 or -ENOMEM. */
int np_slowest_add(struct np_slowest_list *all, const struct np_job_slowest *one);
void np_slowest_free(struct np_slowest_list *all);

/* The slowest rank of all of them; runs: a run is the unit, however many there are. Without
 * any its passes are 0. */
struct np_job_slowest np_slowest_find(const struct np_slowest_list *all, bool runs);

/* The chance that any rank would have been the slowest so often, or more, if all were
 * alike. */
double np_slowest_chance(const struct np_job_slowest *slowest);
