/*
 * jumps_private.h - what the files of the search share; others read jumps.h.
 */
#ifndef NP_JUMPS_PRIVATE_H
#define NP_JUMPS_PRIVATE_H

#include <stdint.h>

#include "questions/jumps.h"

enum {
	NP_ROUNDS_MOST = 4 * NP_CONFIRM_ROUNDS,
	NP_JUMPS_STEPS = 2 /* of one question that are told apart */
};

/* A step is followed if it is this many errors from none. */
#define NP_JUMPS_LIKELY 2.5

/* A question. */
struct np_jumps_task {
	size_t sizes[NP_QUESTION_SIZES]; /* ascending */
	size_t count;
	size_t low, high; /* what may hold the jump; the other sizes are beside it */
	bool first;	  /* a gap of the schedule */
	bool confirms;	  /* low and high are one byte apart */
	double threshold; /* log of the ratio that is followed */
	double clarity;	  /* of a first gap: its jump over its error, if it is large */
	bool excluded;	  /* of a first gap: it surely has no jump */
	double parent;	  /* effect of the gap that this is a quarter of; 0 for the first */
};

/* The answers so far to the one on top. */
struct np_jumps_rounds {
	size_t count;
	double seconds[NP_ROUNDS_MOST][NP_QUESTION_SIZES];
	double samples[NP_QUESTION_SIZES][NP_JUMPS_ROUNDS * NP_JUMPS_SAMPLES];
	size_t sample_counts[NP_QUESTION_SIZES];
};

/* jumps_cover.c: puts a task on top.  Returns 0 or -ENOMEM. */
int np_jumps_push(struct np_jumps *search, const struct np_jumps_task *task);

/* A task for the gap from low to high, with the sizes in between and, where those
 * are few, one on either side. */
struct np_jumps_task np_jumps_split(const struct np_jumps *search, size_t low, size_t high);

/* jumps_fit.c: what the rounds so far say of the sizes of a question. */
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
