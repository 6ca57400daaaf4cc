/*
 * ladder.h - what each layer adds to the one below it (--ladder), size by size.
 *
 * Files of one program with the same settings are the runs of one layer; layers are in the
 * order in which their first files are given.  Each layer is compared with the one before
 * by np_compare(): the run is the unit, and the verdicts of a step are corrected over its
 * sizes, as ratios, because noise grows with the time.  The difference follows from the
 * ratio, so the two cannot contradict each other.
 */
#pragma once

#include "report/curves/compare.h"

struct np_layer {
	char name[NP_LABEL];	   /* its module, or the format of its files */
	const struct np_run *runs; /* files */
	size_t files;
};

/* What a layer adds at one size, beside the same entry of the comparison. */
struct np_added {
	double seconds, low, high;
	double ratio, ratio_low, ratio_high; /* intervals NAN: none */
};

struct np_step_up {
	const struct np_layer *below, *above;
	struct np_compare_result comparison;
	struct np_added *added; /* of each entry of comparison.list */
	bool of_one_run;	/* intervals are of passes, without a verdict */
	bool apart;		/* the runs of one layer all began before the other's */
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
