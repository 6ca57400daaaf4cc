/*
 * steps_cover.h - the first questions of the search, and how an interval is cut.
 */
#pragma once

#include "questions/steps.h"

/* A question of the search. */
struct np_steps_task {
	size_t sizes[NP_QUESTION_SIZES]; /* ascending */
	size_t count;
	size_t low,
		high;  /* bytes: interval searched for a step; other sizes lie beside it */
	bool first;    /* gap of the schedule */
	bool confirms; /* low and high are one byte apart */
	double threshold; /* logarithm of the ratio that is followed */
	double clarity;	  /* first gap: step over its error; 0: not suspect */
	bool excluded;	  /* first gap: the passes exclude a step */
	double parent;	  /* effect in the gap that this is a quarter of; 0: first gap */
};

/* Puts a task on top.  Returns 0 or -ENOMEM. */
int np_steps_push(struct np_steps *search, const struct np_steps_task *task);

/* Question for the gap from low to high: sizes in between and, if these are few, one more
 * on either side. */
struct np_steps_task np_steps_split(const struct np_steps *search, size_t low, size_t high);

/* Adds questions for the gaps between neighbouring sizes, of an ascending list.
 * suspicion[i] is of the gap between sizes i and i + 1; NULL: no passes.  Leaves out gaps
 * in which the passes exclude the smallest step to find, and, with only_suspects, all in
 * which they do not show one.  Clear steps come first, then gaps from small to large sizes.
 * Returns 0 or -ENOMEM. */
int np_steps_cover(struct np_steps *search, const size_t *sizes, size_t count,
		   const struct np_suspicion *suspicion, bool only_suspects);
