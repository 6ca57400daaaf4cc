/*
 * gather_states.c - which visits were made in another state of the machine, by the
 * rule of the run itself: their core-to-core latency against the median of all.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "report/curves/gather.h"
#include "stats/stats.h"

/* What the walks through the cells look at. */
struct looking {
	double *probes; /* NULL: count them only */
	size_t count;
	double usual_ns;
	size_t other_state;
};

static void look_at(struct np_gathered_list *units, struct looking *looking)
{
	for (size_t i = 0; i < units->count; i++) {
		struct np_gathered *unit = &units->list[i];

		if (looking->usual_ns > 0) {
			unit->other_state = np_host_state_is_other(unit->core_latency_ns,
								   looking->usual_ns);
			looking->other_state += unit->other_state;
		} else if (unit->core_latency_ns > 0) {
			if (looking->probes != NULL)
				looking->probes[looking->count] = unit->core_latency_ns;
			looking->count++;
		}
	}
}

static void look_at_cell(const void *node, VISIT which, void *context)
{
	struct np_cell *cell = *(struct np_cell *const *)node;

	/* A ratio is of visits that have been seen. */
	if ((which == postorder || which == leaf) && !cell->key.is_ratio)
		look_at(&cell->units, context);
}

int np_gather_states(struct np_gather *gather, struct np_run *run)
{
	struct looking looking = { .probes = NULL };

	twalk_r(gather->cells, look_at_cell, &looking);
	if (looking.count == 0)
		return 0;
	looking.probes = malloc(looking.count * sizeof(*looking.probes));
	if (looking.probes == NULL)
		return -ENOMEM;
	looking.count = 0;
	twalk_r(gather->cells, look_at_cell, &looking);
	looking.usual_ns = np_median(looking.probes, looking.count);
	twalk_r(gather->cells, look_at_cell, &looking);
	free(looking.probes);
	run->visits_other_state = looking.other_state;
	return 0;
}
