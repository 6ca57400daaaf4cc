/*
 * power.c - detection rates of effects that are planted in runs without one.
 *
 *   lab/power [FILE...]
 *
 * FILE is the result file of a run in which nothing differs (-I --slots 1).  The times of
 * rotate are multiplied by an effect at some neighbouring sizes, and all is derived again.
 * NPsim, whose noise multiplies as well, would have measured the same with that effect.
 *
 * Prints a line for each effect and number of sizes: the runs, and for each of three rules
 * the runs with a claim at planted sizes and with one elsewhere.  The rules are sizes as
 * before there were ranges (corrected p, and a 95 % interval without 1), sizes now, and
 * sizes or ranges.  Nothing is planted by an effect of 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/reading/reading.h"
#include "results/rows.h"
#include "stats/mode_test.h"

static const double effects[] = { 1.0, 1.01, 1.02, 1.03, 1.05, 1.10 };
static const size_t widths[] = { 1, 4, 8, 16 };
enum {
	EFFECTS = sizeof(effects) / sizeof(*effects),
	WIDTHS = sizeof(widths) / sizeof(*widths),
	RULES = 3,
	KINDS = EFFECTS * WIDTHS,
	SIZES_MOST = 512
};

/* Runs, and by rule those with a claim at planted sizes, and at others. */
struct tally {
	size_t runs, found[RULES], wrong[RULES];
};

/* Sizes of a run, ascending, and the indices of the planted ones. */
struct planting {
	size_t lengths[SIZES_MOST], count;
	size_t first, last;
	double effect;
};

static bool is_planted(const struct planting *planting, size_t length)
{
	return planting->effect > 1.0 && length >= planting->lengths[planting->first] &&
	       length <= planting->lengths[planting->last];
}

static void list_sizes(const struct np_results *results, struct planting *planting)
{
	struct np_table table;

	if (np_table_derive(results, &table) != 0)
		exit(EXIT_FAILURE);
	for (size_t i = 0; i < table.pair_count && planting->count < SIZES_MOST; i++) {
		if (table.pairs[i].mode == NP_MODE_ROTATE)
			planting->lengths[planting->count++] = table.pairs[i].length;
	}
	np_table_free(&table);
}

/* Multiplies the times of rotate at the planted sizes. */
static void plant(struct np_results *results, const struct planting *planting,
		  double effect)
{
	for (size_t i = 0; i < results->count; i++) {
		struct np_visit *visit = results->visits[i];
		double medians[NP_VISIT_BLOCKS];

		if (visit->mode != NP_MODE_ROTATE || !is_planted(planting, visit->length))
			continue;
		for (unsigned block = 0; block < visit->blocks; block++)
			medians[block] = visit->block_median_s[block] * effect;
		/* The medians lie behind the visit, in the same allocation. */
		memcpy((char *)visit +
			       ((const char *)visit->block_median_s - (const char *)visit),
		       medians, visit->blocks * sizeof(*medians));
	}
}

static void judge(const struct np_results *results, const struct planting *planting,
		  struct tally *tally)
{
	bool found[RULES] = { false }, wrong[RULES] = { false };
	struct np_table table;

	if (np_table_derive(results, &table) != 0)
		exit(EXIT_FAILURE);
	for (size_t i = 0; i < table.pair_count; i++) {
		const struct np_pair *pair = &table.pairs[i];
		const bool apart = pair->alone_low > 1.0 || pair->alone_high < 1.0;
		const bool claims[RULES] = { pair->adjusted_p <= NP_MODE_TEST_Q && apart &&
						     !pair->unstable,
					     np_verdict_is_sure(pair->verdict),
					     np_verdict_is_sure(pair->verdict) };

		for (size_t rule = 0; rule < RULES; rule++) {
			if (is_planted(planting, pair->length) && pair->ratio > 1.0)
				found[rule] |= claims[rule];
			else
				wrong[rule] |= claims[rule];
		}
	}
	/* A range is of the planted sizes if at least half of it is. */
	for (size_t i = 0; i < table.range_count; i++) {
		const struct np_pair_range *range = &table.ranges[i];
		size_t inside = 0;

		for (size_t k = 0; k < planting->count; k++)
			inside +=
				planting->lengths[k] >= range->smallest &&
						planting->lengths[k] <= range->largest &&
						is_planted(planting, planting->lengths[k]) ?
					1 :
					0;
		if (!np_verdict_is_sure(range->verdict))
			continue;
		if (2 * inside >= range->sizes && range->ratio > 1.0)
			found[RULES - 1] = true;
		else
			wrong[RULES - 1] = true;
	}
	np_table_free(&table);
	tally->runs++;
	for (size_t rule = 0; rule < RULES; rule++) {
		tally->found[rule] += found[rule];
		tally->wrong[rule] += wrong[rule];
	}
}

/* Plants each effect at sizes that the number of the run selects. */
static void judge_run(struct np_results *results, size_t run, struct tally *tallies)
{
	struct planting planting = { .count = 0 };

	list_sizes(results, &planting);
	for (size_t i = 0; i < EFFECTS; i++) {
		for (size_t k = 0; k < WIDTHS; k++) {
			if ((i == 0 && k != 0) || planting.count < widths[k])
				continue;
			const size_t room = planting.count - widths[k] + 1;

			planting.first = run * 7 % room;
			planting.last = planting.first + widths[k] - 1;
			planting.effect = effects[i];
			plant(results, &planting, effects[i]);
			judge(results, &planting, &tallies[i * WIDTHS + k]);
			plant(results, &planting, 1.0 / effects[i]);
		}
	}
}

int main(int argc, char **argv)
{
	struct tally tallies[KINDS] = { { .runs = 0 } };

	for (int i = 1; i < argc; i++) {
		struct np_error error = { .code = 0 };
		struct np_run run;

		if (np_read_file(argv[i], "netpong", &run, &error) != 0) {
			fprintf(stderr, "%s: %s\n", argv[i], error.text);
			return EXIT_FAILURE;
		}
		judge_run(run.results, (size_t)i, tallies);
		np_run_free(&run);
	}
	for (size_t i = 0; i < KINDS; i++) {
		const struct tally *tally = &tallies[i];

		if (tally->runs == 0)
			continue;
		printf("%g %zu %zu", 100 * (effects[i / WIDTHS] - 1),
		       i < WIDTHS ? 0 : widths[i % WIDTHS], tally->runs);
		for (size_t rule = 0; rule < RULES; rule++)
			printf(" %zu %zu", tally->found[rule], tally->wrong[rule]);
		putchar('\n');
	}
	return EXIT_SUCCESS;
}
