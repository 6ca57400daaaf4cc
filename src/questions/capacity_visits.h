/*
 * capacity_visits.h - the samples of a sweep, from visits.
 */
#pragma once

#include "questions/capacity.h"

/* The samples of a run's visits, in a list that the caller frees.  Returns 0 or
 * -ENOMEM. */
int np_capacity_samples(const struct np_results *results,
			struct np_capacity_sample **samples, size_t *count);

/* Derives points and knees from the visits of a run, from which length and sides of host
 * are set.  As np_capacity_derive(). */
int np_capacity_of_visits(const struct np_results *results, struct np_capacity_host *host,
			  struct np_capacity *capacity);
