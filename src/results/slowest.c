/*
 * slowest.c - slowest rank of an MPI pattern.
 */
#include "results/results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "stats/tails.h"

int np_slowest_add(struct np_slowest_list *all, const struct np_job_slowest *one)
{
	return np_list_add(&all->list, &all->count, one, sizeof(*one));
}

int np_slowest_collect(struct np_slowest_list *all, const struct np_job_hooks *job,
		       const struct np_endpoint *endpoint, struct np_error *error)
{
	struct np_job_slowest found;

	if (job == NULL || job->slowest == NULL || !job->slowest(endpoint, &found))
		return 0;
	return np_slowest_add(all, &found) == 0 ?
		       0 :
		       np_fail_errno(error, ENOMEM, "no memory for results");
}

void np_slowest_free(struct np_slowest_list *all)
{
	free(all->list);
	*all = (struct np_slowest_list){ .list = NULL };
}

static unsigned count_runs(const struct np_slowest_list *all, unsigned rank)
{
	unsigned count = 0;

	for (size_t i = 0; i < all->count; i++)
		count += all->list[i].rank == rank;
	return count;
}

struct np_job_slowest np_slowest_find(const struct np_slowest_list *all, bool runs)
{
	struct np_job_slowest found = { .passes = 0 };
	unsigned most = 0, ranks = 0;

	if (all->count == 1 && !runs)
		return all->list[0];
	for (size_t i = 0; i < all->count; i++) {
		const struct np_job_slowest *one = &all->list[i];
		const unsigned times = count_runs(all, one->rank);

		found = times > most ? *one : found;
		most = times > most ? times : most;
		ranks = one->ranks > ranks ? one->ranks : ranks;
	}
	found.times = most;
	found.passes = (unsigned)all->count;
	found.ranks = ranks;
	return found;
}

double np_slowest_chance(const struct np_job_slowest *slowest)
{
	return fmin(1, slowest->ranks * np_binomial_p(slowest->times, slowest->passes,
						      1.0 / slowest->ranks));
}
