/*
 * output_capacity.c - capacity of a run in progress, from its header and visits.
 */
#include "output/output.h"
#include "plan/pages.h"
#include "questions/capacity_host.h"
#include "questions/capacity_visits.h"

int np_output_capacity(const struct np_results *results, const struct np_run_header *header,
		       struct np_capacity *capacity)
{
	const struct np_options *options =
		header->set_count != 0 ? header->sets[0].values : NULL;
	struct np_capacity_host host = {
		.share_cache = !header->two_hosts,
		.pool = header->plan != NULL ? header->plan->pool_bytes : 0,
		.in_order = options != NULL && options->order != NP_ORDER_RANDOM,
		.regions = options != NULL ? options->regions : 0,
	};

	np_capacity_host_read(&header->hosts[0],
			      options != NULL ? np_page_words[options->pages] : NULL,
			      &host);
	return np_capacity_of_visits(results, &host, capacity);
}
