/*
 * verdicts.c - verdicts and their names.
 */
#include "stats/verdicts.h"

#include <string.h>

bool np_verdict_is_sure(enum np_verdict verdict)
{
	return verdict == NP_SLOWER || verdict == NP_FASTER;
}

const char *np_verdict_word(enum np_verdict verdict)
{
	static const char *const words[NP_VERDICTS] = {
		[NP_UNDECIDED] = "undecided",
		[NP_UNSTABLE] = "unstable",
		[NP_NO_DIFFERENCE] = "no difference",
		[NP_FASTER] = "faster",
		[NP_SLOWER] = "slower",
	};

	return words[verdict];
}

const char *np_verdict_name(enum np_verdict verdict)
{
	return verdict == NP_NO_DIFFERENCE ? "no_difference" : np_verdict_word(verdict);
}

enum np_verdict np_verdict_of(const char *name)
{
	for (enum np_verdict verdict = 0; verdict < NP_VERDICTS; verdict++) {
		if (strcmp(np_verdict_name(verdict), name) == 0)
			return verdict;
	}
	return NP_VERDICTS;
}
