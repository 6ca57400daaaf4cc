/*
 * thin.h - results of a bounded size, out of a file of any length.
 *
 * All visits are kept until there are NP_VISITS_ALL of them; then of each row as many as a
 * random choice, so that medians and intervals stay what they were, only wider.
 * The choice is by serial: visits that belong together stay together.  Single
 * samples, of a run that times each message, are halved at random when there are too many.
 */
#ifndef NP_THIN_H
#define NP_THIN_H

#include "base/random.h"
#include "results/results.h"

enum {
	NP_VISITS_ALL = 100000,
	NP_VISITS_OF_ROW = 768,
	NP_SAMPLES_ALL = 1 << 23, /* 64 MiB */
	NP_ROWS_MOST = 1 << 16	  /* different rows: more are refused */
};

/* All zero before the first visit. */
struct np_thinning {
	size_t begin;	   /* visits at which it is done again; 0: NP_VISITS_ALL */
	size_t samples;	   /* of all visits */
	unsigned halvings; /* of samples */
	struct np_random random;
};

/* After each visit that was added.  Returns 0, -ENOMEM, or -EFBIG for too many rows. */
int np_thin(struct np_thinning *thinning, struct np_results *results);

/* After the last one.  The same. */
int np_thin_end(struct np_thinning *thinning, struct np_results *results);

#endif
