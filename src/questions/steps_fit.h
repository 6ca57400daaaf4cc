/*
 * steps_fit.h - levels of the sizes of a question, and the steps among them.
 */
#pragma once

#include "questions/steps_cover.h"

enum {
	NP_ROUNDS_MOST = 4 * NP_CONFIRM_ROUNDS,
	NP_STEPS_FITTED = 2 /* most steps fitted in a question */
};

/* Standard errors from 0 at which a step is followed. */
#define NP_STEPS_LIKELY 2.5

/* Answers to the task on top. */
struct np_steps_rounds {
	size_t count;
	double seconds[NP_ROUNDS_MOST][NP_QUESTION_SIZES];
	double samples[NP_ROUNDS_MOST][NP_QUESTION_SIZES][NP_STEPS_SAMPLES];
	size_t sample_counts[NP_ROUNDS_MOST][NP_QUESTION_SIZES];
};

/* Levels of the sizes of a question. */
struct np_steps_levels {
	double seconds[NP_QUESTION_SIZES]; /* by size, without the effects of rounds */
	double rounds[NP_ROUNDS_MOST];	   /* ratio of each round to the others */
	double error;			   /* standard error of logarithms of seconds */
};

struct np_steps_levels np_steps_level(const struct np_steps_rounds *rounds, size_t count);

/* Tests whether a size has two modes, at least the ratio `apart` from each other.  Modes of
 * a whole round are removed: they are host states. */
struct np_bimodal np_steps_modes(const struct np_steps_rounds *rounds,
				 const struct np_steps_levels *levels, size_t size,
				 double apart);

/* A step between sizes at and at + 1: logarithm of the ratio beyond the slope. */
struct np_fitted_step {
	size_t at;
	double effect, error;
};

/* A line with steps. */
struct np_steps_fit {
	struct np_fitted_step steps[NP_STEPS_FITTED]; /* ascending by at */
	size_t count;
	double misfit; /* squared errors, plus the price of the steps */
};

/* Returns the best line with 0 to NP_STEPS_FITTED steps. */
struct np_steps_fit np_steps_fit(const struct np_steps_task *task,
				 const struct np_steps_levels *levels);

/* Lists the candidate places of a single step: the best first, then all whose misfit is at
 * most `within` above the least.  Returns their number; 0 if there are too few sizes. */
size_t np_steps_places(const struct np_steps_task *task,
		       const struct np_steps_levels *levels, double within,
		       struct np_fitted_step places[NP_QUESTION_SIZES]);
