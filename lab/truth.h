/*
 * truth.h - planted effects, as lab/draw --truth prints them, fields of a result file, and
 * counts that truth.sh adds up.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TRUTH_WORD = 32, TRUTH_MOST = 64 };

/* A line of --truth; fields that it does not name are 0 or empty. */
struct planted {
	char kind[TRUTH_WORD];
	size_t bytes, last;
	double effect;		/* factor */
	double count, miss_ns;	/* of a capacity */
	double ns;		/* of the latency */
	char cause[TRUTH_WORD]; /* of a step */
	char axis[TRUTH_WORD], cache[TRUTH_WORD];
};

struct truth {
	struct planted list[TRUTH_MOST];
	size_t count;
};

/* A field of a line: NAN or "" if it is not there or null. */
double truth_number(const json_t *line, const char *name);
const char *truth_text(const json_t *line, const char *name);
bool truth_is(const json_t *line, const char *name, const char *text);

/* Holds the knees of a capacity sweep, and their names, against the planted capacities. */
void truth_judge_capacities(const struct truth *truth, json_t *lines, double least_effect);

struct tally {
	size_t hits, of;
};

static inline void count_in(struct tally *tally, bool hit)
{
	tally->hits += hit;
	tally->of++;
}

static inline void print_tally(const char *name, const struct tally *tally)
{
	if (tally->of != 0)
		printf("%s %zu %zu\n", name, tally->hits, tally->of);
}
