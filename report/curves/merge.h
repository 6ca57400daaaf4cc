/*
 * merge.h - from what was read of a file to the curves and ratios of the run: derived
 * from visits, as the run itself does, and where a finished run has written them,
 * as it says.
 */
#ifndef NP_MERGE_H
#define NP_MERGE_H

#include "report/curves/gather.h"

/*
 * Once all lines are read.  With finished, rows and pairs of the file are taken as they
 * are; those it lacks, and all without it, are derived from visits.  Returns 0 or
 * -errno with a text.
 */
int np_merge(struct np_gather *gather, bool finished, struct np_error *error);

#endif
