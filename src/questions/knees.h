/*
 * knees.h - change points of a function that is constant on plateaus.
 *
 * Positions are numbers of buffers, ascending.  Each unit (a pass or a run) has a value at
 * each position: the logarithm of a ratio of times.  The model is a constant on each
 * plateau, and a transition between two plateaus: abrupt, or gradual over positions that
 * belong to neither.
 *
 * Method.  Outliers are winsorized; the figure of a position is the median over units.  The
 * optimal partition (partition.h) has the plateaus of least squared error, with a price of
 * NP_KNEE_PENALTY for each transition and of NP_KNEE_BETWEEN for each position inside one,
 * in squared units of noise.  A ramp is therefore one gradual transition and not a
 * staircase.  Noise is the larger of two estimates: between units, and between neighbouring
 * positions, which also differ by effects that are no transition (median of first
 * differences, which few transitions do not move; P. Fryzlewicz, "Wild binary segmentation
 * for multiple change-point detection", The Annals of Statistics 42(6), 2014).
 *
 * Each transition is then tested.  Positions are measured in random order, so under the
 * null hypothesis of one plateau the values of a unit are exchangeable.  The test compares
 * the largest step at any place between the two plateaus with the steps of permutations (E.
 * S. Edgington, P. Onghena, Randomization Tests, 4th edition, 2007; with as few
 * permutations as suffice for a large p: J. Besag, P. Clifford, "Sequential Monte Carlo
 * p-values", Biometrika 78(2), 1991).  Transitions that fail are removed, the weakest
 * first.  In addition the squared step must reach NP_KNEE_STANDS_OUT squared standard
 * errors, from the noise of its own plateaus, or NP_KNEE_REPEATED where all units repeat an
 * effect, since permutations within units destroy it.
 *
 * A transition lies where a step fits best, a gradual one where its first plateau ends. The
 * interval contains the places that the likelihood ratio does not reject: B. E. Hansen,
 * "Sample splitting and threshold estimation", Econometrica 68(3), 2000.  Replacement
 * policies are modelled once, in capacity_model.h, where a capacity explains the knee.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	/* Penalties and limits of squared steps, in squared units of noise: see Method. */
	NP_KNEE_PENALTY = 14,
	NP_KNEE_BETWEEN = 6,
	NP_KNEE_STANDS_OUT = 20,
	NP_KNEE_REPEATED = 24,
	NP_KNEE_PLATEAU = 3, /* least positions of a plateau, except at an end */
	NP_KNEE_POSITIONS_MAX = 128
};

/* 95 % quantile of the likelihood ratio for the location of a threshold, without unit:
 * Hansen 2000, table 1. */
#define NP_KNEE_REJECTED 7.35

/* A transition between two plateaus. */
struct np_transition {
	size_t first, last;    /* positions of the plateau before it */
	size_t next, end;      /* positions of the plateau after it; next is above last */
	size_t place;	       /* the last position that fits into the capacity */
	size_t low, high;      /* 95 % interval: low <= place < high */
	double before, behind; /* means of the plateaus, in the unit of the values */
	double p;	       /* of the permutation test */
};

struct np_transitions {
	struct np_transition *list; /* ascending */
	size_t count;
	double noise;	   /* standard error of a position's median over units */
	double resolution; /* smallest detectable step with four positions after it */
};

/*
 * Finds the transitions of values[unit * positions + position], NAN if a unit has none;
 * each position has a value in some unit.  alpha: significance level, the probability of a
 * false transition. floor: lower bound of the noise, in the unit of the values, above 0;
 * values without noise would give a staircase of transitions.  Results depend on the seed
 * alone.
 *
 * Returns 0; -EINVAL for more than NP_KNEE_POSITIONS_MAX positions; or -ENOMEM.
 * np_transitions_free() copes with all.
 */
int np_transitions_find(const double *values, size_t units, size_t positions, double alpha,
			double floor, uint64_t seed, struct np_transitions *transitions);
void np_transitions_free(struct np_transitions *transitions);
