/*
 * capacity_trial.h - capacities that are tried, and the fit of a few of them to the points
 * of all axes.
 */
#pragma once

#include "questions/capacity_choose.h"

struct np_trials {
	const struct np_capacity *capacity;
	struct np_chosen *list; /* cost is not known yet */
	size_t count, room;
	size_t *points; /* of the capacity: those that are fitted */
	size_t point_count;
	double *errors; /* of the points: standard errors of their ratios */
	double *shares; /* [trial * point_count + point], over the error of the point */
	size_t sealed;	/* trials that have shares */
};

struct np_trial_fit {
	double base, costs[NP_CHOICE_MOST];
	double squares; /* infinite if a cost would be negative */
	double scale;	/* variance that is left, 1 at least */
};

/* Returns 0 or -ENOMEM; np_trials_free() copes with both. */
int np_trials_make(const struct np_capacity *capacity, struct np_trials *trials);
int np_trials_add(struct np_trials *trials, const struct np_chosen *trial);

/* Computes the shares of those that were added.  Returns 0 or -ENOMEM. */
int np_trials_seal(struct np_trials *trials);

/* Whether two are one capacity, whose share of misses grows in another way than those of
 * capacity_model.h. */
bool np_chosen_is_same(const struct np_chosen *one, const struct np_chosen *other);

/* Makes the errors of points those of the noise and of what the misses of these trials may
 * be off by: nothing where none misses, or all; more where which entries share a set is
 * chance (np_replacement_scatter()).  Computes all shares anew.  Returns 0 or -ENOMEM. */
int np_trials_doubt(struct np_trials *trials, const size_t *at, size_t count);

/* Least squares of so many trials, NP_CHOICE_MOST at most. */
void np_trials_fit(const struct np_trials *trials, const size_t *at, size_t count,
		   struct np_trial_fit *fit);

void np_trials_free(struct np_trials *trials);

/* The ratio that it predicts, and what one of its terms has of that. */
double np_chosen_part(const struct np_capacity *capacity, const struct np_chosen *term,
		      enum np_axis axis, uint64_t buffers);
double np_choice_ratio(const struct np_capacity *capacity, const struct np_choice *choice,
		       enum np_axis axis, uint64_t buffers);
