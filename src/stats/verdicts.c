/*
 * verdicts.c - verdicts and their names.
 */
#include "stats/verdicts.h"

#include <math.h>

enum np_verdict np_verdict_of_interval(double low, double high, double margin)
{
	if (isnan(low) || isnan(high))
		return NP_UNCLEAR;
	if (low >= 1.0 / (1.0 + margin) && high <= 1.0 + margin)
		return NP_SAME;
	if (low > 1.0)
		return NP_SLOWER;
	return high < 1.0 ? NP_FASTER : NP_UNCLEAR;
}

const char *np_verdict_word(enum np_verdict verdict)
{
	static const char *const words[NP_VERDICTS] = {
		[NP_UNCLEAR] = "unclear",
		[NP_SAME] = "same",
		[NP_FASTER] = "faster",
		[NP_SLOWER] = "slower",
	};

	return words[verdict];
}
