/*
 * verdicts.h - what a comparison of two times ends in, in words.
 */
#ifndef NP_VERDICTS_H
#define NP_VERDICTS_H

#include <stdbool.h>

enum np_verdict {
	NP_UNDECIDED,	  /* too few units to tell, whatever they say */
	NP_UNSTABLE,	  /* the same differs from itself: no difference can be told */
	NP_NO_DIFFERENCE, /* none was found; the interval says how large it may be */
	NP_FASTER,	  /* the second is: its ratio is surely below 1 */
	NP_SLOWER,
	NP_VERDICTS
};

/* "undecided", "unstable", "no difference", "faster", "slower". */
const char *np_verdict_word(enum np_verdict verdict);

/* The same as result files have it: "no_difference".  The verdict of a name;
 * NP_VERDICTS for none. */
const char *np_verdict_name(enum np_verdict verdict);
enum np_verdict np_verdict_of(const char *name);

/* Slower or faster: the two surely differ. */
bool np_verdict_is_sure(enum np_verdict verdict);

#endif
