/*
 * budget.h - time budget of a run: its length, and the share of each activity.
 *
 * A budget is plan->budget_ns: the time from the start of a run to the end of its passes,
 * a limit that only the first pass exceeds.  With --refine the search follows.  The
 * constants are choices of this project, without a published source; the range in which
 * results do not change is not measured.
 */
#pragma once

#include "plan/plan.h"

/* Time of the first plan->passes passes, without mapping of memory.  Visits after these
 * are for sizes whose confidence intervals are wide.  Unit: budgets. */
static const double NP_BUDGET_LEAST_PASSES = 0.5;

/* Remaining time of the planned passes over the remaining time of the budget: above the
 * first bound visits become shorter; above the second, after the first pass, sizes are left
 * out. */
static const double NP_BUDGET_LATE = 0.9, NP_BUDGET_TOO_LATE = 1.2;

/* Share of the sizes, one in so many, that may miss --precision without prolonging a
 * default sweep: the last few would take most of the time (doc/results.md). */
enum { NP_BUDGET_OPEN = 12 };

/* Minimum number of sizes of a plan for which those between powers of two are left out for
 * lack of time.  The schedules have 124, and 46 with --quick; fewer are the choice of the
 * user. */
enum { NP_BUDGET_FEWEST = 40 };

/* Shortest planned visit of such a plan, seconds: as long as the overhead before a visit on
 * the machine of doc/results.md. */
static const double NP_BUDGET_LEAST_VISIT = 0.0007;

/* Shortest visit for lack of time.  Unit: planned visits. */
static const double NP_BUDGET_SHORTEST = 0.1;

/* Elapsed time of the passes from which on a visit in another host state is not repeated.
 * Unit: budgets. */
static const double NP_BUDGET_REPEATS = 0.9;

/* Time limit for warming up all connections before a pass.  Unit: budget_ns /
 * plan->passes. */
static const double NP_BUDGET_WARMING = 0.1;

/* Time limit of the search of --refine, which follows the passes.  Unit: budgets. */
static const double NP_BUDGET_REFINE = 3;

/* Elapsed time of that search from which on it begins no question (sizes measured in
 * rounds, steps.h).  Unit: time limits of --refine, NP_BUDGET_REFINE budgets each. */
static const double NP_BUDGET_QUESTION = 0.8;

/* Time for which --refine repeats measurements in another host state; a state that lasts
 * longer is the usual one from then on.  Unit: budgets. */
static const double NP_BUDGET_STATE = 0.25;

/* Reserve in a recommended --time-budget, since passes may take longer than the last ones.
 * Unit: recommended over estimated time. */
static const double NP_BUDGET_RECOMMENDED = 1.3;

/* Returns the number of passes that ends a run, of --passes or --watch; 0: none. */
unsigned np_budget_passes(const struct np_options *options);

/* Returns the budget of a run and of the search of --refine, seconds. */
double np_budget_estimate(const struct np_options *options, const struct np_plan *plan);

/* Lengthens samples, and visits with them, until a clock whose readings are `grain_ns` off
 * is at most 1 % of a sample, as far as the first passes fit the budget.  Samples that
 * options fix keep their length. */
void np_budget_lengthen(const struct np_options *options, double grain_ns,
			struct np_plan *plan);

/* Refuses --time-budget if mapping the memory of the plan alone takes longer.  Returns 0 or
 * -EINVAL. */
int np_budget_refuse(const struct np_options *options, const struct np_resources *resources,
		     const struct np_plan *plan, struct np_error *error);

/* Returns the expected time of the planned passes over the budget, in the first pass: after
 * `done` of `count` sizes, measured from `begin_ns` to `now_ns` of the run.  0: too few to
 * expect any.  Warm-up and sentinel before the sizes count once. */
double np_budget_lateness(const struct np_plan *plan, double begin_ns, double now_ns,
			  size_t done, size_t count);

/* Returns the duration of the next visits over the planned one, after `passes` passes of
 * which the last took pass_ns with visits of `pace`: the planned passes are to fit left_ns.
 * 1 after these. */
double np_budget_pace(const struct np_plan *plan, unsigned passes, double pace,
		      double pass_ns, double left_ns);

/* Sets budget, passes, and times of visits and samples of a plan that has its sizes, modes,
 * conditions and pool. */
void np_budget_plan(const struct np_options *options, const struct np_resources *resources,
		    struct np_plan *plan);
