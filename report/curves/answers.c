/*
 * answers.c - derives --capacity and --refine from visits, by the code of a run.
 */
#include "report/curves/answers.h"

#include <stdlib.h>
#include <string.h>

#include "questions/capacity_host.h"
#include "questions/capacity_visits.h"

/* Compares the host names in the header. */
static bool on_one_host(const struct np_run *run)
{
	const char *one = np_facts_find(&run->hosts[0], "host");
	const char *other = np_facts_find(&run->hosts[1], "host");

	return one != NULL && other != NULL && strcmp(one, other) == 0;
}

int np_answers_derive(struct np_run *run)
{
	const json_int_t pool =
		json_integer_value(json_object_get(run->header, "pool_bytes"));
	const char *regions = np_facts_find(&run->options, "regions");
	const char *order = np_facts_find(&run->options, "order");
	struct np_capacity_host host = {
		.in_order = order != NULL && strcmp(order, "sequential") == 0,
		.share_cache = on_one_host(run),
		.pool = pool > 0 ? (size_t)pool : 0,
		/* A program without the option registers its pool as one. */
		.regions = regions != NULL ? strtoull(regions, NULL, 10) : 1,
	};

	np_capacity_host_read(&run->hosts[0], np_facts_find(&run->options, "pages"), &host);
	const int rc = np_capacity_of_visits(run->results, &host, &run->capacity);
	return rc == 0 ?
		       np_refine_derive(run->results, &run->refined, &run->refined_count) :
		       rc;
}
