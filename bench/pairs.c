/*
 * pairs.c - is one command faster than another?  Both are launched in turn,
 * the order reversed every other pair, and each pair of runs gives one
 * ratio: the machine may drift, the two of a pair drift together.
 *
 *     pairs LAUNCHES GOAL LABEL COMMAND-A COMMAND-B
 *     pairs TITLE A B
 *
 * Each command is run by sh and prints one number, the seconds that a message
 * took, as the last word of its last line.  Prints the label, both medians, the
 * median ratio A/B and its 95 % interval by order statistics over the pairs, how
 * many there are, the goal, and how the ratio keeps it: the goal is the most that
 * the ratio may be ("-": none).  It is met by the median, shown by the upper end of
 * the interval too, and missed otherwise; truth_table.awk judges shares so.  A run
 * that fails is an error.  The second form prints the heading of such lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

/* Runs a command.  Returns its number, or a negative one if it gave none. */
static double run_index(const char *command)
{
	char line[512], last[512] = "";
	FILE *output = popen(command, "r");

	if (output == NULL)
		return -1;
	while (fgets(line, sizeof(line), output) != NULL) {
		if (line[strspn(line, " \n")] != '\0')
			memcpy(last, line, sizeof(last));
	}
	if (pclose(output) != 0)
		return -1;
	last[strcspn(last, "\n")] = '\0';
	const char *word = strrchr(last, ' ');
	const double seconds = strtod(word != NULL ? word : last, NULL);

	return seconds > 0 ? seconds : -1;
}

static const char *judge(const char *goal, double ratio, const struct np_interval *interval)
{
	const double most = strtod(goal, NULL);

	if (strcmp(goal, "-") == 0)
		return "";
	if (ratio > most)
		return "missed";
	return interval->high <= most ? "shown" : "met";
}

static int compare(size_t runs, char **words)
{
	double *a = calloc(3 * runs, sizeof(*a));
	struct np_interval interval;

	if (a == NULL)
		return 1;
	double *b = a + runs, *ratio = b + runs;
	for (size_t i = 0; i < runs; i++) {
		if (i % 2 == 0)
			a[i] = run_index(words[2]);
		b[i] = run_index(words[3]);
		if (i % 2 != 0)
			a[i] = run_index(words[2]);
		if (a[i] <= 0 || b[i] <= 0) {
			fprintf(stderr, "pairs: %s: run %zu of %s gave no number\n",
				words[1], i, a[i] <= 0 ? "A" : "B");
			free(a);
			return 1;
		}
		ratio[i] = a[i] / b[i];
	}
	if (np_median_interval(ratio, runs, 0.95, &interval)) {
		const double middle = np_median(ratio, runs);

		printf("%-34s %11.4f %11.4f   %6.3f [%6.3f, %6.3f] %4zu %5s %s\n", words[1],
		       1e6 * np_median(a, runs), 1e6 * np_median(b, runs), middle,
		       interval.low, interval.high, runs, words[0],
		       judge(words[0], middle, &interval));
		fflush(stdout);
	}
	free(a);
	return 0;
}

int main(int argc, char **argv)
{
	const long runs = argc == 6 ? strtol(argv[1], NULL, 10) : 0;

	if (argc == 4) {
		printf("%-34s %11s %11s   %6s %16s %4s %5s\n", argv[1], argv[2], argv[3],
		       "ratio", "95 % interval", "n", "goal");
		return 0;
	}
	if (runs < 6 || runs > 10000) {
		fputs("usage: pairs LAUNCHES GOAL LABEL COMMAND-A COMMAND-B, or TITLE A B\n"
		      "at least 6 runs, or there is no interval\n",
		      stderr);
		return 2;
	}
	return compare((size_t)runs, argv + 2);
}
