/*
 * capacity_choose.h - the fewest capacities that explain the knees of all axes.
 *
 * Model of a point: ratio = 1 + sum over capacities of (cost of a miss x miss rate), with
 * the miss rates of capacity_model.h.  Capacities are bytes, pages, registrations or queue
 * pairs. One capacity predicts misses on all axes, so it also explains its knees on other
 * axes.  Sizes are sought only where knees were found, so that no capacity is claimed
 * without a tested knee.
 *
 * Method.  Forward selection, with all terms refitted after each addition, then backward
 * elimination (A. J. Miller, Subset Selection in Regression, 2nd edition, 2002, 3.2
 * to 3.4). A term must lower the sum of squares by NP_CHOICE_PRICE residual variances.
 * After a first forward selection the errors of points include the model error of the
 * selected terms, and forward selection continues.  Model error: by chance some messages
 * miss early, which would look like a smaller capacity beside a large one.  Where all
 * messages miss, the model error is 0, and a further term is detectable.  A step of one
 * axis alone is a term at a higher price: a knee that no capacity explains.  The interval
 * of a size contains all sizes that the likelihood ratio does not reject, as in knees.h.
 */
#pragma once

#include "questions/capacity_model.h"

/* Least reduction of the sum of squares by a further term; surcharge of a step; both in
 * residual variances.  Largest number of terms. */
enum { NP_CHOICE_PRICE = 24, NP_CHOICE_STEP_PRICE = 12, NP_CHOICE_MOST = 6 };

/* Error of the model of a size, as a ratio: buffers do not divide it evenly, other data
 * share it, and the first use in a visit misses. */
#define NP_SIZE_ERROR 1.05

/* A selected term of the model: a capacity, or a step of one axis alone. */
struct np_chosen {
	enum np_capacity_unit unit; /* NP_HOLDS_NONE: a step of one axis */
	/* Axis of the step; for a capacity, the axis on which no two buffers share a unit.
	 */
	enum np_axis axis;
	uint64_t buffers; /* if a step: last number of buffers before it */
	double count;	  /* size: units that fit */
	double low, high; /* 95 % interval of count */
	enum np_replacement replacement;
	double cost;	 /* time of a miss, over the time of a message in reuse */
	double worth;	 /* increase of the sum of squares without this term, in residual
			    variances */
	unsigned others; /* bit u: unit u would fit nearly as well */
};

struct np_choice {
	struct np_chosen list[NP_CHOICE_MOST];
	size_t count;
	double base; /* intercept: ratio without misses */
};

/* Selects the capacities.  Returns 0 or -ENOMEM. */
int np_capacity_choose(const struct np_capacity *capacity, struct np_choice *choice);

/* Return the contribution of one term to the predicted ratio (rotate over reuse) of a
 * point, and the predicted ratio. */
double np_chosen_part(const struct np_capacity *capacity, const struct np_chosen *term,
		      enum np_axis axis, uint64_t buffers);
double np_choice_ratio(const struct np_capacity *capacity, const struct np_choice *choice,
		       enum np_axis axis, uint64_t buffers);
