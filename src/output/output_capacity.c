/*
 * output_capacity.c - capacity of a run in progress, from its header and visits.
 */
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "questions/capacity_host.h"
#include "questions/capacity_visits.h"

struct fact_source {
	const struct np_run_header *header;
	char text[256]; /* value of an option */
};

/* The value of an option, or a fact of rank 0's host. */
static const char *find_fact(void *context, const char *name)
{
	struct fact_source *source = context;
	const struct np_run_header *header = source->header;

	for (size_t set = 0; set < header->set_count; set++) {
		const struct np_option *option = header->sets[set].table;

		for (; option != NULL && option->name != NULL; option++) {
			if (strcmp(option->name, name) != 0)
				continue;
			np_option_text(option, header->sets[set].values, source->text,
				       sizeof(source->text));
			return source->text;
		}
	}
	return np_facts_find(&header->hosts[0], name);
}

int np_output_capacity(const struct np_results *results, const struct np_run_header *header,
		       struct np_capacity *capacity)
{
	struct fact_source source = { .header = header };
	struct np_capacity_host host = { .share_cache = !header->two_hosts,
					 .pool = header->plan != NULL ?
							 header->plan->pool_bytes :
							 0 };

	np_capacity_host_read(find_fact, &source, &host);
	return np_capacity_of_visits(results, &host, capacity);
}
