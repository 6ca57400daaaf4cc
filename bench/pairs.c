/*
 * pairs.c - paired comparison of two commands.  Runs both in turn, in reverse order every
 * other pair; each pair of runs gives one ratio, in which drift of the machine cancels.
 *
 *     pairs LAUNCHES GOAL LABEL COMMAND-A COMMAND-B [SIZE...]
 *     pairs TITLE A B
 *
 * Each command is run by sh and prints one number, the seconds that a message
 * took, as the last word of its last line; with sizes one for each of them.  Prints the
 * label, both medians, the median ratio A/B and its 95 % interval by order statistics over
 * the pairs, the number of pairs, the goal, which is the largest ratio ("-": none), and how
 * it is kept: shown if the whole interval keeps it, met if the median does, else missed, as
 * in truth_table.awk.  A run that fails is an error.  The second form prints the heading.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

enum { RUNS_MOST = 1000, SIZES_MOST = 8 };

/* Runs a command and reads the last `count` words of its last line.  Returns false if they
 * are not all positive numbers. */
static bool read_numbers(const char *command, size_t count, double *numbers)
{
	char line[512], last[512] = "";
	FILE *output = popen(command, "r");

	if (output == NULL)
		return false;
	while (fgets(line, sizeof(line), output) != NULL) {
		if (line[strspn(line, " \n")] != '\0')
			memcpy(last, line, sizeof(last));
	}
	if (pclose(output) != 0)
		return false;
	for (size_t i = count; i-- != 0;) {
		char *end = last + strlen(last);

		while (end != last && (end[-1] == ' ' || end[-1] == '\n'))
			*--end = '\0';
		char *word = strrchr(last, ' ');
		word = word != NULL ? word + 1 : last;
		numbers[i] = strtod(word, NULL);
		if (numbers[i] <= 0)
			return false;
		*word = '\0';
	}
	return true;
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

/* Prints the row of one size. */
static void print_row(const char *label, const char *goal, double *a, double *b,
		      size_t runs)
{
	double ratio[RUNS_MOST];
	struct np_interval interval;

	for (size_t i = 0; i < runs; i++)
		ratio[i] = a[i] / b[i];
	if (!np_median_interval(ratio, runs, 0.95, &interval))
		return;
	const double middle = np_median(ratio, runs);

	printf("%-34s %11.4f %11.4f   %6.3f [%6.3f, %6.3f] %4zu %5s %s\n", label,
	       1e6 * np_median(a, runs), 1e6 * np_median(b, runs), middle, interval.low,
	       interval.high, runs, goal, judge(goal, middle, &interval));
	fflush(stdout);
}

/* words: goal, label, both commands, and the sizes whose numbers each prints; without sizes
 * one number. */
static int compare(size_t runs, char **words, size_t sizes)
{
	const size_t count = sizes != 0 ? sizes : 1;
	double a[SIZES_MOST][RUNS_MOST], b[SIZES_MOST][RUNS_MOST];
	double read[2][SIZES_MOST];

	for (size_t i = 0; i < runs; i++) {
		for (size_t turn = 0; turn < 2; turn++) {
			const size_t side = (i + turn) % 2;

			if (read_numbers(words[2 + side], count, read[side]))
				continue;
			fprintf(stderr, "pairs: %s: run %zu of %s gave no number\n",
				words[1], i, side == 0 ? "A" : "B");
			return 1;
		}
		for (size_t k = 0; k < count; k++) {
			a[k][i] = read[0][k];
			b[k][i] = read[1][k];
		}
	}
	for (size_t k = 0; k < count; k++) {
		char label[80];

		snprintf(label, sizeof(label), "%s%s%s", words[1], sizes != 0 ? " " : "",
			 sizes != 0 ? words[4 + k] : "");
		print_row(label, words[0], a[k], b[k], runs);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const long runs = argc >= 6 ? strtol(argv[1], NULL, 10) : 0;

	if (argc == 4) {
		printf("%-34s %11s %11s   %6s %16s %4s %5s\n", argv[1], argv[2], argv[3],
		       "ratio", "95 % interval", "n", "goal");
		return 0;
	}
	if (runs < 6 || runs > RUNS_MOST || argc - 6 > SIZES_MOST) {
		fputs("usage: pairs LAUNCHES GOAL LABEL COMMAND-A COMMAND-B [SIZE...], or "
		      "TITLE A B\n"
		      "6 to 1000 runs, or there is no interval, and at most 8 sizes\n",
		      stderr);
		return 2;
	}
	return compare((size_t)runs, argv + 2, (size_t)(argc - 6));
}
