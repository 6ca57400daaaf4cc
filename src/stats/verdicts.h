/*
 * verdicts.h - verdicts of a comparison of two times, and their names.
 */
#ifndef NP_VERDICTS_H
#define NP_VERDICTS_H

#include <stdbool.h>

enum np_verdict {
	NP_UNDECIDED,	  /* too few units for any decision */
	NP_UNSTABLE,	  /* the control differs from 1: no difference can be told */
	NP_NO_DIFFERENCE, /* none was found; it lies within the interval */
	NP_FASTER,	  /* the second is: its ratio is significantly below 1 */
	NP_SLOWER,
	NP_VERDICTS
};

/* "undecided", "unstable", "no difference", "faster", "slower". */
const char *np_verdict_word(enum np_verdict verdict);

/* The same as result files have it: "no_difference".  The verdict of a name;
 * NP_VERDICTS for none. */
const char *np_verdict_name(enum np_verdict verdict);
enum np_verdict np_verdict_of(const char *name);

/* Slower or faster: the two differ significantly. */
bool np_verdict_is_sure(enum np_verdict verdict);

#endif
