/*
 * pairs.h - ratios of visits and of rows.
 */
#pragma once

#include "results/rows.h"

/* Derives the pairs of rows, controls included, without verdicts.  Returns 0 or -ENOMEM. */
int np_table_pairs(const struct np_results *results, struct np_table *table);

/* True for rotate over reuse. */
bool np_pair_is_rotation(const struct np_pair *pair);

/* True for a mode over another, false for a variant over the first. */
bool np_pair_is_of_modes(const struct np_pair *pair);

/* Name of a pair: "rotate/reuse", "event/poll". */
void np_pair_name(const struct np_results *results, const struct np_pair *pair, char *text,
		  size_t size);

/* Returns whether two modes and variants make a pair: a mode over reuse, fresh over rotate,
 * a variant over the first; not modes of --why. */
bool np_pair_is_wanted(enum np_mode mode, size_t variant, enum np_mode base_mode,
		       size_t base_variant);

/* Ratio of two visits of the same serial: the median over pairs of blocks; NAN without
 * blocks. */
double np_visit_ratio(const struct np_visit *base, const struct np_visit *over);

/* Lists the ratios of visits of equal unit and serial, and their base visits.  Both lists
 * of visits are in that order (np_visits_sort()); ratios and paired have space for all of
 * the base, and paired may be the list of the base.  Returns their number. */
size_t np_visits_pair(const struct np_results *results, struct np_visit *const *base,
		      size_t base_count, struct np_visit *const *over, size_t over_count,
		      double *ratios, struct np_visit **paired);

/*
 * Sets controls, verdicts and ranges of sizes, for each kind of pair over all sizes, and
 * drops the pairs of the control.  causes_beside: a run with --why, whose pairs have half
 * of the false discovery rate, and their adjusted p is doubled.  The axes of a sweep divide
 * the rate.  looked: interim analyses may have ended the measurement.  margin: of the
 * verdict "same".  Returns 0 or -ENOMEM.
 */
int np_pairs_prove(struct np_table *table, bool causes_beside, bool looked, double margin);
