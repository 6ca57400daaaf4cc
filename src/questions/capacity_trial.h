/*
 * capacity_trial.h - capacities that are tried, and the fit of a few of them to the points
 * of all axes.
 */
#pragma once

#include "questions/capacity_choose.h"

struct np_trials {
	const struct np_capacity *capacity;
	struct np_chosen *list; /* cost is not set */
	size_t count, room;
	size_t *points; /* indices of the fitted points of the capacity */
	size_t point_count;
	double *errors; /* standard error of each fitted ratio */
	double *shares; /* [candidate * point_count + point], divided by the error of the
			   point */
	size_t sealed;	/* candidates that have shares */
};

struct np_trial_fit {
	double base, costs[NP_CHOICE_MOST];
	double squares; /* weighted sum of squared residuals; infinite if a cost would be
			   negative */
	double scale;	/* residual variance, at least 1 */
};

/* Lists the points that are fitted.  Returns 0 or -ENOMEM; np_trials_free() copes with
 * both. */
int np_trials_make(const struct np_capacity *capacity, struct np_trials *trials);
int np_trials_add(struct np_trials *trials, const struct np_chosen *trial);

/* Computes the shares of new candidates.  Returns 0 or -ENOMEM. */
int np_trials_seal(struct np_trials *trials);

/* Returns true if two candidates of one unit are within a factor of near_by: one capacity.
 */
bool np_chosen_is_same(const struct np_chosen *one, const struct np_chosen *other);

/* Sets the error of each point to its noise and the model error of the given candidates,
 * then computes all shares again.  Returns 0 or -ENOMEM. */
int np_trials_doubt(struct np_trials *trials, const size_t *at, size_t count);

/* Fits a base and the costs of the given candidates, at most NP_CHOICE_MOST. */
void np_trials_fit(const struct np_trials *trials, const size_t *at, size_t count,
		   struct np_trial_fit *fit);

void np_trials_free(struct np_trials *trials);

/* Ratio that one term adds at a point; ratio that all terms predict. */
double np_chosen_part(const struct np_capacity *capacity, const struct np_chosen *term,
		      enum np_axis axis, uint64_t buffers);
double np_choice_ratio(const struct np_capacity *capacity, const struct np_choice *choice,
		       enum np_axis axis, uint64_t buffers);
