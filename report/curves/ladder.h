/*
 * ladder.h - time that each layer adds to the one below it (--ladder), size by size.
 *
 * Files of one program with the same settings are the runs of one layer; layers are in the
 * order of their first files.  np_compare() compares each layer with the one before: the
 * run is the unit, and the verdicts of a step are corrected over its sizes, as ratios,
 * because noise grows with the time.  The difference follows from the ratio, so the two
 * cannot contradict each other.
 */
#pragma once

#include "report/curves/compare.h"

struct np_layer {
	char name[NP_LABEL];	   /* module, or format of the files */
	const struct np_run *runs; /* files */
	size_t files;
};

/* Time that a layer adds at one size; the index is that of comparison.list. */
struct np_added {
	double seconds, low, high;
	double ratio, ratio_low, ratio_high; /* intervals NAN: none */
};

struct np_step_up {
	const struct np_layer *below, *above;
	struct np_compare_result comparison;
	struct np_added *added; /* for each entry of comparison.list */
	bool of_one_run;	/* intervals over passes, no verdict */
	bool apart;		/* all runs of one layer began before those of the other */
};

struct np_ladder {
	struct np_run *runs; /* borrowed content, layer by layer */
	struct np_layer *layers;
	size_t layer_count;
	struct np_step_up *steps; /* one less than layers */
};

/* Returns 0 or -errno: -EINVAL or -ENODATA with NP_ERROR_USAGE for one layer, different
 * operations, no size in common, or an incomplete run.  The runs must outlive the ladder;
 * np_ladder_free() copes with all. */
int np_ladder_make(const struct np_run *runs, size_t count, struct np_ladder *ladder,
		   struct np_error *error);
void np_ladder_free(struct np_ladder *ladder);
