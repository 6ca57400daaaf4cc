/*
 * step_confirm.h - steps and dropouts to the byte, from the rounds of confirmations.
 *
 * A confirmation visits two sizes one byte apart twice each in a round, in the order low,
 * high, high, low, and one size on either side.  These times did not select the sizes, so
 * tests of them have no selection bias: exact signed-rank test over rounds
 * (np_contrast_paired()), Bonferroni over all confirmations of the run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
	/* Step: time after over time before.  Dropout: time over that of the neighbours.
	 * Above 1 is slower. */
	double effect;
	double low_effect, high_effect; /* 95 % interval of effect; of a dropout, from its
					   first edge; NAN if not significant */
	/* p-value of the step, and adjusted over all confirmations; dropout: of the edge
	 * with the lesser p. */
	double p, adjusted;
	size_t rounds;
	bool other; /* its rounds were in another host state than most of the run */
	bool sure;  /* adjusted is at most NP_CONFIRMED_ALPHA */
};

/* Probability that a run without steps and dropouts reports one. */
#define NP_CONFIRMED_ALPHA 0.003

/* Judges the confirmations among the visits of a search.  Ignores other rounds, rounds in
 * which the host state changed, and of each confirmation one of two host states: the usual
 * one, unless only the other has the rounds for significance, or more of too few.
 * Visits of a round are consecutive.  The list is ascending by mode and size; the caller
 * frees it. Returns 0 or -ENOMEM. */
int np_steps_confirm(const struct np_confirm_visit *visits, size_t count,
		     struct np_confirmed **found, size_t *found_count);

/* "step", "dropout", "nothing". */
const char *np_confirmed_word(enum np_confirmed_kind kind);
