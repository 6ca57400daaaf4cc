/*
 * capacity_choose.h - the fewest capacities that explain the knees of all axes together.
 *
 * The ratio of a point is 1, and for each capacity what missing it costs times the share
 * of messages that miss (capacity_model.h).  Capacities are bytes, pages or registrations;
 * each predicts all axes, so that a knee of one axis that is the capacity of another is
 * explained by it.  Their sizes are sought where knees were found, and nowhere else, so
 * that no more is claimed than the tests of knees.h bear out.
 *
 * Method.  Forward selection, in which all terms are sought again after each that is added,
 * and backward elimination (A. J. Miller, Subset Selection in Regression, 2nd edition,
 * 2002, 3.2 to 3.4), by the change of the sum of squares over the variance that is left: a
 * term must be worth NP_CHOICE_PRICE.  Once some are selected, the errors of points are of
 * what the misses of these are uncertain by (np_trials_doubt()): by chance some miss early,
 * which else would look like a smaller capacity beside a large one; and where all miss, a
 * further one shows that the first selection could not tell.  A step of one axis alone is a
 * term as well, at a higher price: a knee that no capacity explains.  The interval of a
 * size is what the likelihood ratio does not reject, as in knees_place.c.
 */
#pragma once

#include "questions/capacity_model.h"

enum { NP_CHOICE_PRICE = 24, NP_CHOICE_STEP_PRICE = 12, NP_CHOICE_MOST = 6 };

struct np_chosen {
	enum np_capacity_unit unit; /* NP_HOLDS_NONE: a step of one axis */
	enum np_axis axis; /* of that step, or where each buffer has the unit for itself */
	uint64_t buffers;  /* of that step: the last before it */
	double count;	   /* of the unit that fit */
	double low, high;  /* its interval */
	enum np_replacement replacement;
	double cost;	 /* of a miss, in messages of reuse */
	double worth;	 /* how much worse all points fit without it, in variances */
	unsigned others; /* bit u: unit u would explain it nearly as well */
};

struct np_choice {
	struct np_chosen list[NP_CHOICE_MOST];
	size_t count;
	double base; /* the ratio of few buffers */
};

/* Returns 0 or -ENOMEM. */
int np_capacity_choose(const struct np_capacity *capacity, struct np_choice *choice);
