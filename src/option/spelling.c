/*
 * spelling.c - distance between a misspelled name and one that exists.
 *
 * Optimal string alignment: G. Navarro, A guided tour to approximate string matching, ACM
 * Computing Surveys 33 (2001), with a swap of neighbours as one step.
 */
#include <string.h>

#include "option/option.h"

enum { LETTERS_MAX = 32 };

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t np_spelling_distance(const char *word, size_t length, const char *other)
{
	/* steps[i][k]: distance of the first i letters of one to the first k of the other.
	 */
	size_t steps[LETTERS_MAX + 1][LETTERS_MAX + 1];
	const size_t letters = strlen(other);

	if (length > LETTERS_MAX || letters > LETTERS_MAX)
		return SIZE_MAX;
	for (size_t k = 0; k <= letters; k++)
		steps[0][k] = k;
	for (size_t i = 1; i <= length; i++) {
		steps[i][0] = i;
		for (size_t k = 1; k <= letters; k++) {
			size_t least = steps[i - 1][k - 1] + (word[i - 1] != other[k - 1]);

			least = least_of(least, steps[i - 1][k] + 1);
			least = least_of(least, steps[i][k - 1] + 1);
			if (i > 1 && k > 1 && word[i - 1] == other[k - 2] &&
			    word[i - 2] == other[k - 1])
				least = least_of(least, steps[i - 2][k - 2] + 1);
			steps[i][k] = least;
		}
	}
	return steps[length][letters];
}
