/*
 * sampling.h - random sampling of visits, so that results of a file of any length have a
 * bounded size.
 *
 * All visits are kept until there are NP_VISITS_ALL of them; then a random sample of each
 * row, so that medians stay unbiased and intervals get wider.  Sampling is by serial:
 * the modes of one visit stay together.  Samples of --per-message are halved at random
 * when there are too many.
 */
#pragma once

#include "base/random.h"
#include "results/results.h"

enum {
	NP_VISITS_ALL = 100000,	  /* visits of a file up to which all are kept */
	NP_VISITS_OF_ROW = 768,	  /* then, visits kept of a row */
	NP_SAMPLES_ALL = 1 << 23, /* samples of --per-message, 64 MiB */
	NP_ROWS_MOST = 1 << 16	  /* different rows: more are refused */
};

/* Zeroed before the first visit. */
struct np_sampling {
	size_t begin;	   /* number of visits that triggers sampling; 0: NP_VISITS_ALL */
	size_t samples;	   /* kept samples of --per-message, of all visits */
	unsigned halvings; /* number of times that the samples were halved */
	struct np_random random;
};

/* Call after each added visit.  Returns 0, -ENOMEM, or -EFBIG for too many rows. */
int np_sample_visits(struct np_sampling *sampling, struct np_results *results);

/* Call after the last visit.  Returns as np_sample_visits(). */
int np_sample_visits_end(struct np_sampling *sampling, struct np_results *results);
