/*
 * jumps_fit.h - what rounds say of the sizes of a question, and the steps among them.
 */
#ifndef NP_JUMPS_FIT_H
#define NP_JUMPS_FIT_H

#include "questions/jumps_cover.h"

enum {
	NP_ROUNDS_MOST = 4 * NP_CONFIRM_ROUNDS,
	NP_JUMPS_STEPS = 2 /* of one question that are told apart */
};

/* A step is followed if it is this many errors from none. */
#define NP_JUMPS_LIKELY 2.5

/* The answers so far to the one on top. */
struct np_jumps_rounds {
	size_t count;
	double seconds[NP_ROUNDS_MOST][NP_QUESTION_SIZES];
	double samples[NP_QUESTION_SIZES][NP_JUMPS_ROUNDS * NP_JUMPS_SAMPLES];
	size_t sample_counts[NP_QUESTION_SIZES];
};

/* What the rounds so far say of the sizes of a question. */
struct np_jumps_levels {
	double seconds[NP_QUESTION_SIZES]; /* free of what a round has in common */
	double error;			   /* standard error of their logarithms */
};

struct np_jumps_levels np_jumps_level(const struct np_jumps_rounds *rounds, size_t count);

/* A step between sizes at and at + 1: logarithm of the ratio, beyond the slope. */
struct np_jumps_step {
	size_t at;
	double effect, error;
};

/* A line with steps. */
struct np_jumps_fit {
	struct np_jumps_step steps[NP_JUMPS_STEPS]; /* ascending by at */
	size_t count;
	double misfit; /* squared errors, with the price of the steps */
};

/* The best of all with up to that many steps. */
struct np_jumps_fit np_jumps_fit(const struct np_jumps_task *task,
				 const struct np_jumps_levels *levels);

/* Where the step of a line with one may be: the best place first, then all whose misfit
 * is not above that of the best by more than `within`.  Returns how many; 0 if the
 * sizes do not tell. */
size_t np_jumps_places(const struct np_jumps_task *task,
		       const struct np_jumps_levels *levels, double within,
		       struct np_jumps_step places[NP_QUESTION_SIZES]);

#endif
