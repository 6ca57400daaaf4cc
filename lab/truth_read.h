/*
 * truth_read.h - what truth.c compares: what a profile has planted, as draw --truth
 * prints it, and what a run has found, as its result file tells it.
 *
 * Both end the program, with a line that says why, where they cannot be read.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { TRUTH_WORD = 32, TRUTH_MOST = 64 };

/* A line of --truth; what it does not name is 0 or empty. */
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

void truth_read(const char *path, struct truth *truth);

/* The lines of a complete run but its visits, as an array.  The caller's. */
json_t *truth_read_results(const char *path);

/* A field of a line: NAN or "" if it is not there or null. */
double truth_number(const json_t *line, const char *name);
const char *truth_text(const json_t *line, const char *name);
bool truth_is(const json_t *line, const char *name, const char *text);
