/*
 * verdicts.h - what a comparison of two times ends in: one of four words.
 *
 * A verdict follows from an interval of the ratio and from nothing else, so what is shown
 * and what is said cannot contradict each other.  The interval has to be one that the
 * number of comparisons is allowed for in (proof.h, contrast_all.h).  That an interval
 * within a margin shows equality is the test of two one-sided hypotheses: D. J. Schuirmann,
 * "A Comparison of the Two One-Sided Tests Procedure and the Power Approach", Journal of
 * Pharmacokinetics and Biopharmaceutics 15(6), 1987.
 */
#pragma once

#include <stdbool.h>

/* The margin unless told: 2 % longer, or as much shorter. */
#define NP_SAME_WITHIN 0.02

enum np_verdict {
	NP_UNCLEAR, /* neither of the others, or no interval */
	NP_SAME,    /* the interval lies within the margin, wherever it is in it */
	NP_FASTER,  /* it lies below 1 */
	NP_SLOWER,  /* it lies above 1 */
	NP_VERDICTS
};

/* The verdict of an interval, whose ends are NAN if there is none; a margin of 0.02 is
 * from 1 / 1.02 to 1.02. */
enum np_verdict np_verdict_of_interval(double low, double high, double margin);

/* "unclear", "same", "faster", "slower".  And back: NP_VERDICTS for none of these. */
const char *np_verdict_word(enum np_verdict verdict);
enum np_verdict np_verdict_of(const char *word);

/* Slower or faster: the two differ significantly. */
bool np_verdict_is_sure(enum np_verdict verdict);
