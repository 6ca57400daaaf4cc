/*
 * capacity_visits.h - the samples of a sweep, from visits.
 */
#pragma once

#include "questions/capacity.h"

/* Lists the samples of the visits of a run; the caller frees the list.  Returns 0 or
 * -ENOMEM. */
int np_capacity_samples(const struct np_results *results,
			struct np_capacity_sample **samples, size_t *count);

/* Derives points and knees from the visits of a run, which also set length and sides of
 * host. Returns 0 or -ENOMEM, as np_capacity_derive(). */
int np_capacity_of_visits(const struct np_results *results, struct np_capacity_host *host,
			  struct np_capacity *capacity);
