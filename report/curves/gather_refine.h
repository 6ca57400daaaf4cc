/*
 * gather_refine.h - the visits of --refine: from them to steps and dropouts to the
 * byte.
 */
#ifndef NP_GATHER_REFINE_H
#define NP_GATHER_REFINE_H

#include "questions/found.h"
#include "results/results.h"

struct np_run;

/* A step or dropout of a run, with the curve that shows it. */
struct np_pinned {
	char op[NP_WORD], mode[NP_WORD], variant[NP_WORD];
	struct np_found found;
};

/* The visits of a search, a few numbers of each. */
struct np_refine_visits {
	struct np_confirming *list;
	size_t count, room;
	char op[NP_WORD];
	char variants[NP_VARIANTS_MAX][NP_WORD];
};

void np_refine_visits_free(struct np_refine_visits *visits);

/* Keeps what is needed of a visit that refines.  Returns 0 or -errno with a text. */
int np_refine_visit(struct np_refine_visits *visits, const struct np_results *results,
		    const struct np_visit *visit, const char *op, struct np_error *error);

/* Puts what they say into the run.  Returns 0 or -ENOMEM. */
int np_refine_finish(const struct np_refine_visits *visits, struct np_run *run);

#endif
