/*
 * causes_factors.h - how registrations, pages, alignment and completion mode change the
 * cost of rotation.
 */
#pragma once

#include "questions/causes.h"
#include "questions/causes_units.h"
#include "stats/proof.h"

/* Least share of the whole that is named a part. */
#define NP_CAUSES_LEAST_PART 0.1

/* Significance levels of the verdict on the two parts, and of that on all factors.  The
 * pair of rotation and reuse has the other half (pairs.c): --why errs no more often
 * than -I. */
#define NP_CAUSES_SURE_AT	  (NP_PROOF_Q / 4)
#define NP_CAUSES_FACTORS_SURE_AT (NP_PROOF_Q / 4)

/* Values of each unit in the scratch memory. */
enum { NP_CAUSES_VALUES = 3 };

/* Derives the changes by each factor, from units that have all four modes, with
 * causes->whole set.  values has room for NP_CAUSES_VALUES per unit.  Returns 0 or -ENOMEM.
 */
int np_causes_vary(const struct np_causes_unit *units, size_t count, double *values,
		   struct np_causes *causes);

/* Name in result files: "not_compared", "undecided", "no_effect", "removes", "reduces",
 * "adds". */
const char *np_removal_name(enum np_removal removal);
