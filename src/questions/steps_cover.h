/*
 * steps_cover.h - the first questions of the search, and how an interval is cut.
 */
#pragma once

#include "questions/steps.h"

/* A question. */
struct np_steps_task {
	size_t sizes[NP_QUESTION_SIZES]; /* ascending */
	size_t count;
	size_t low, high; /* interval searched for a step; other sizes lie beside it */
	bool first;	  /* a gap of the schedule */
	bool confirms;	  /* low and high are one byte apart */
	double threshold; /* log of the ratio that is followed */
	double clarity;	  /* of a first gap: its step over its error; 0: no suspect */
	bool excluded;	  /* of a first gap: the passes exclude a step */
	double parent;	  /* effect of the gap that this is a quarter of; 0 for the first */
};

/* Puts a task on top.  Returns 0 or -ENOMEM. */
int np_steps_push(struct np_steps *search, const struct np_steps_task *task);

/* A question of the gap from low to high: sizes in between and, where those are few, one
 * on either side. */
struct np_steps_task np_steps_split(const struct np_steps *search, size_t low, size_t high);

/*
 * Asks for the gaps between neighbouring sizes, of an ascending list.  suspicion[i] is
 * of the gap between sizes i and i + 1; NULL: the passes tell nothing.  Gaps in which the
 * passes exclude the smallest step to find are left out; only_suspects leaves out all in
 * which they do not show one.  Clear steps come first, then gaps from small to large sizes.
 * Returns 0 or -ENOMEM.
 */
int np_steps_cover(struct np_steps *search, const size_t *sizes, size_t count,
		   const struct np_suspicion *suspicion, bool only_suspects);
