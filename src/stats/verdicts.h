/*
 * verdicts.h - verdicts of a comparison of two times.
 *
 * A verdict follows from an interval of the ratio alone, so that it never contradicts the
 * printed interval.  The interval must be corrected for the number of comparisons
 * (mode_test.h, contrast.h).  Equality by an interval within a margin is the test of two
 * one-sided hypotheses: D. J. Schuirmann, "A Comparison of the Two One-Sided Tests
 * Procedure and the Power Approach", Journal of Pharmacokinetics and Biopharmaceutics
 * 15(6), 1987.
 */
#pragma once

#include <stdbool.h>

/* Default margin of NP_SAME: 2 % slower or faster. */
#define NP_SAME_WITHIN 0.02

enum np_verdict {
	NP_UNCLEAR, /* none of the others, or no interval */
	NP_SAME,    /* the interval lies within the margin */
	NP_FASTER,  /* the interval lies below 1 */
	NP_SLOWER,  /* the interval lies above 1 */
	NP_VERDICTS
};

/* Verdict of the interval of a ratio; unclear if an end is NAN.  A margin of 0.02 is 1 /
 * 1.02 to 1.02. */
enum np_verdict np_verdict_of_interval(double low, double high, double margin);

/* "unclear", "same", "faster" or "slower". */
const char *np_verdict_word(enum np_verdict verdict);

/* True if slower or faster: the difference is significant. */
static inline bool np_verdict_is_sure(enum np_verdict verdict)
{
	return verdict == NP_SLOWER || verdict == NP_FASTER;
}
