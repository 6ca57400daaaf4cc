/*
 * agree.h - how the transmitter comes to a plan: it offers its options, hears
 * what the other host has, and plans for both.
 */
#ifndef NP_AGREE_H
#define NP_AGREE_H

#include "plan/plan.h"
#include "program/program.h"

struct np_agreement {
	const struct np_program *program;
	struct np_process *process; /* its request is filled in, and it is prepared */
	struct np_topology *topology;
	unsigned run_index;	/* its index */
	struct np_facts *facts; /* [2], of rank 0 and rank 1; the caller frees them */
};

/*
 * From two programs that have met to two ends that agree.  Returns 0 and the
 * plan, or -errno; np_plan_free() copes with both.
 */
int np_agree(const struct np_agreement *agreement, struct np_plan *plan,
	     struct np_error *error);

/* What the module and the facts of both hosts say of pages. */
void np_agree_on_pages(const struct np_module *module, const struct np_facts facts[2],
		       struct np_resources *resources);

#endif
