/*
 * jumps_cover.h - the first questions of the search, and how an interval is cut.
 */
#ifndef NP_JUMPS_COVER_H
#define NP_JUMPS_COVER_H

#include "questions/jumps.h"

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

/* Puts a task on top.  Returns 0 or -ENOMEM. */
int np_jumps_push(struct np_jumps *search, const struct np_jumps_task *task);

/* A task for the gap from low to high, with the sizes in between and, where those
 * are few, one on either side. */
struct np_jumps_task np_jumps_split(const struct np_jumps *search, size_t low, size_t high);

/*
 * Asks for the gaps between neighbouring sizes, of an ascending list.  suspicion[i] is
 * of the gap between sizes i and i + 1; NULL: nothing is known.  Gaps whose jump is
 * surely smaller than the least that is to be found are left out; only_suspects leaves
 * out those as well whose jump is not surely there.  Clear jumps come first, then
 * gaps from small to large sizes.  Returns 0 or -ENOMEM.
 */
int np_jumps_cover(struct np_jumps *search, const size_t *sizes, size_t count,
		   const struct np_suspicion *suspicion, bool only_suspects);

#endif
