/*
 * step_confirm.h - steps and dropouts to the byte, from the rounds of a search's
 * confirmations.
 *
 * A confirmation visits two sizes one byte apart twice each in a round, in the order
 * low, high, high, low, and a size on either side.  Claims rest on these
 * times alone, by which nothing was chosen: an exact signed-rank test over rounds
 * (np_contrast_paired()), corrected over all confirmations of the run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "results/results.h"

enum np_confirmed_kind {
	NP_CONFIRMED_STEP,    /* the time jumps from one byte to the next and stays there */
	NP_CONFIRMED_DROPOUT, /* some sizes lie off a curve that goes on after them */
	NP_CONFIRMED_NOTHING  /* a confirmation that did not confirm */
};

/* One visit of a confirmation. */
struct np_confirm_visit {
	enum np_mode mode;
	unsigned round; /* visits of a round were made together */
	size_t length;	/* bytes */
	double seconds; /* of a message, above 0 and finite */
	bool other;	/* in another host state than most of the run */
};

struct np_confirmed {
	enum np_confirmed_kind kind;
	enum np_mode mode;
	/* Step: the last size before and the first after, one byte apart.  Dropout:
	 * the first and the last size that are off, which may be the same. */
	size_t low, high;
	/* Step: time after over time before.  Dropout: its time over that of its
	 * neighbours.  Above 1 is slower. */
	double effect;
	double low_effect, high_effect; /* its 95 % interval; of a dropout, of the edge
					   that is known better */
	double p, adjusted;		/* of the edge; the better of two */
	size_t rounds;
	bool sure; /* adjusted is at most NP_CONFIRMED_ALPHA */
};

/* The chance that a run without steps and dropouts claims any. */
#define NP_CONFIRMED_ALPHA 0.003

/*
 * Judges the confirmations among the visits; other rounds of a search may be among
 * them and are passed over, as are rounds in which the host state changed, and of each
 * confirmation those of the state with fewer.  Visits of a round stand together.  The list,
 * ascending by mode and size, is the caller's to free.  Returns 0 or -ENOMEM.
 */
int np_steps_confirm(const struct np_confirm_visit *visits, size_t count,
		     struct np_confirmed **found, size_t *found_count);

/* "step", "dropout", "nothing". */
const char *np_confirmed_word(enum np_confirmed_kind kind);
