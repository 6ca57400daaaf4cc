/*
 * budget.h - time budget of a run: its length, and the share of each activity.
 *
 * Shares are of budget_ns of the plan, which is the time of all passes, unless their
 * comment names another whole.
 */
#pragma once

#include "plan/plan.h"

/* Share of the budget that the least number of passes takes; the rest is for sizes with
 * wide intervals. */
static const double NP_BUDGET_LEAST_PASSES = 0.5;

/* Limit of passes for sizes that lack visits in the usual host state, in budgets.  Sizes
 * that have the least number of passes end at 1. */
static const double NP_BUDGET_LACKING = 1.5;

/* Share of the budget after which visits in another host state are not repeated. */
static const double NP_BUDGET_REPEATS = 0.9;

/* Share of a pass, of the least number in the whole budget, for warming connections. */
static const double NP_BUDGET_WARMING = 0.1;

/* Time limit of --refine, in budgets of the passes. */
static const double NP_BUDGET_REFINE = 3;

/* Limit of a search of --refine that is within a question, in limits of --refine. */
static const double NP_BUDGET_QUESTION = 1.25;

/* Share of the budget after which another host state is the usual one for --refine. */
static const double NP_BUDGET_STATE = 0.25;

/* Factor of a recommended --time-budget, as passes may take longer than the last ones. */
static const double NP_BUDGET_RECOMMENDED = 1.3;

/* Returns the time limit of a run, seconds: ten times the budget, an hour at least. */
double np_budget_limit(const struct np_options *options, const struct np_plan *plan);

/* Sets budget, passes, and times of visits and samples of a plan that has its sizes, modes,
 * conditions and pool. */
void np_budget_plan(const struct np_options *options, const struct np_resources *resources,
		    struct np_plan *plan);
