/*
 * answers.c - --capacity and --refine, derived by the code of a run.
 */
#include "report/curves/answers.h"

#include <stdlib.h>
#include <string.h>

#include "questions/capacity_host.h"
#include "questions/capacity_visits.h"

static const char *find_fact(void *context, const char *name)
{
	const struct np_run *run = context;
	const char *option = np_run_text(run, "options", name);

	return option != NULL ? option : np_run_text(run, "transmitter", name);
}

/* The header names each end's host. */
static bool on_one_host(const struct np_run *run)
{
	const char *one = np_run_text(run, "transmitter", "host");
	const char *other = np_run_text(run, "receiver", "host");

	return one != NULL && other != NULL && strcmp(one, other) == 0;
}

int np_answers_derive(struct np_run *run)
{
	const json_int_t pool =
		json_integer_value(json_object_get(run->header, "pool_bytes"));
	struct np_capacity_host host = { .share_cache = on_one_host(run),
					 .pool = pool > 0 ? (size_t)pool : 0 };

	np_capacity_host_read(find_fact, run, &host);
	const int rc = np_capacity_of_visits(run->results, &host, &run->capacity);
	return rc == 0 ?
		       np_refine_derive(run->results, &run->refined, &run->refined_count) :
		       rc;
}
