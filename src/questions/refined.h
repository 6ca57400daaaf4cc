/*
 * refined.h - the result of --refine: extent of the search, steps and dropouts to the byte.
 *
 * A confirmation visits two sizes one byte apart twice each in a round, in the order low,
 * high, high, low, and one size on either side.  These times did not select the sizes, so
 * tests of them have no selection bias: exact signed-rank test over rounds
 * (np_contrast_paired()), Bonferroni over all confirmations of the run.
 */
#pragma once

#include "curve/segments.h"
#include "questions/steps.h"
#include "results/results.h"

enum np_confirmed_kind {
	NP_CONFIRMED_STEP,    /* the time jumps from one byte to the next and stays there */
	NP_CONFIRMED_DROPOUT, /* some sizes are off, and the curve continues after them */
	NP_CONFIRMED_NOTHING  /* not confirmed */
};

/* One visit of a confirmation. */
struct np_confirm_visit {
	enum np_mode mode;
	unsigned round; /* visits of a round are consecutive */
	size_t length;	/* bytes */
	double seconds; /* of a message, above 0 and finite */
	bool other;	/* other host state than most of the run */
};

struct np_confirmed {
	enum np_confirmed_kind kind;
	enum np_mode mode;
	/* Step: last size before, first size after, one byte apart.  Dropout: first and
	 * last size that are off; may be equal. */
	size_t low, high;
	/* Step: time after over time before.  Dropout: time over the time of the
	 * neighbours. Above 1 is slower. */
	double effect;
	double low_effect, high_effect; /* 95 % interval of effect; of a dropout, from its
					   first edge; NAN if not significant */
	/* p-value of the step, and adjusted over all confirmations; dropout: of the edge
	 * with the lesser p. */
	double p, adjusted;
	size_t rounds;
	bool other; /* the rounds were in another host state than most of the run */
	bool sure;  /* adjusted is at most NP_CONFIRMED_ALPHA */
};

/* Probability that a run without steps and dropouts reports one. */
#define NP_CONFIRMED_ALPHA 0.003

/* Judges the confirmations among the visits of a search.  Ignores other rounds, and rounds
 * in which the host state changed.  A confirmation in two host states is judged by the
 * usual state if its rounds suffice for significance, else by the state with more rounds.
 * Visits of a round are consecutive.  The list is ascending by mode and size; the caller
 * frees it. Returns 0 or -ENOMEM. */
int np_steps_confirm(const struct np_confirm_visit *visits, size_t count,
		     struct np_confirmed **found, size_t *found_count);

/* "step", "dropout", "nothing". */
const char *np_confirmed_word(enum np_confirmed_kind kind);

/* A bend or bimodal size found by the search, and its mode. */
struct np_refine_bend {
	enum np_mode mode;
	struct np_note bend;
};

/* Extent of the search: the first mode in all gaps, other modes in suspect gaps. */
struct np_refining {
	size_t gaps, gaps_left; /* gaps to search; gaps unfinished for lack of time */
	size_t gaps_clear;	/* gaps not searched: the passes exclude a step there */
	size_t searched_to;	/* bytes: all gaps of the first mode below are searched */
	size_t visits;		/* measured by the search */
	double seconds;		/* duration of the search */
	bool ran;
	struct np_refine_bend *bends;
	size_t bend_count;
};

void np_refining_free(struct np_refining *refining);

/* Derives the steps and dropouts that are significant at 5 % from the visits of a search,
 * complete or not.  The caller frees the list.  Returns 0 or -ENOMEM. */
int np_refine_derive(const struct np_results *results, struct np_confirmed **found,
		     size_t *count);

/* Returns true if a step or dropout of the search overlaps the sizes of a break of a curve.
 */
bool np_refine_has(const struct np_confirmed *found, size_t count,
		   const struct np_break *at);

/* Clears the significance of steps and dropouts of the curve of the first mode that lie in
 * searched gaps and that the search has not found. */
void np_refine_deny(const struct np_confirmed *found, size_t count, size_t searched_to,
		    struct np_shape *shape);

/* Estimates the step in each gap between neighbouring sizes, with standard error, from the
 * visits of the passes.  base: NULL for the times of a mode, or the mode that divides them.
 * suspicion[i] is of the gap between sizes i and i + 1; it has `count` elements.  Returns 0
 * or -ENOMEM. */
int np_refine_suspect(const struct np_results *results, const size_t *sizes, size_t count,
		      enum np_mode mode, const enum np_mode *base,
		      struct np_suspicion *suspicion);
