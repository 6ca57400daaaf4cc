/*
 * agree.h - negotiation of the plan by rank 0, from its options and the facts of both
 * hosts.
 */
#pragma once

#include "plan/plan.h"
#include "program/program.h"

/*
 * Negotiates the plan of run run_index of --runs and prepares the process.  Fills facts of
 * rank 0 and rank 1, which the caller frees.  Returns 0 or -errno; the caller calls
 * np_plan_free() in either case.
 */
int np_agree(const struct np_program *program, struct np_process *process,
	     unsigned run_index, struct np_facts facts[2], struct np_plan *plan,
	     struct np_error *error);

/* Sets the resources that concern pages, from the module and the facts of both hosts.
 * Returns 0, or -EPROTO for facts out of range. */
int np_agree_on_pages(const struct np_module *module, const struct np_facts facts[2],
		      struct np_resources *resources, struct np_error *error);
