/*
 * merge.h - curves and ratios of a run: derived from its visits, or, in the file of a
 * finished run, the rows and pairs written there.
 */
#pragma once

#include "report/curves/gather.h"

/*
 * Call after the last line.  If finished, the file's own rows and pairs are used; missing
 * ones, or all of an unfinished run, are derived from visits.  Returns 0 or -errno with a
 * text.
 */
int np_merge(struct np_gather *gather, bool finished, struct np_error *error);
