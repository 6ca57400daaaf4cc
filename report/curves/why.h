/*
 * why.h - the visits of --why: why rotation costs, said again from them, that of a run
 * that was killed as well.
 *
 * Of each visit the median is kept and no sample.
 */
#ifndef NP_WHY_H
#define NP_WHY_H

#include "results/results.h"
#include "report/curves/run.h"

/* The run has asked: its header, of which `results` has taken the variants, says so.
 * Returns 0 or -ENOMEM. */
int np_why_begin(struct np_run *run, const struct np_results *results);

/* Keeps a visit, and what is known of conditions by now; does nothing of a run that
 * has not asked.  Returns 0 or -ENOMEM. */
int np_why_take(struct np_run *run, const struct np_results *results,
		const struct np_visit *visit);

/* Visits that no longer count. */
void np_why_supersede(struct np_run *run, unsigned run_index, uint64_t serial);

void np_why_free(struct np_run *run);

#endif
