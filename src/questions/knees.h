/*
 * knees.h - change points of a function that is constant on plateaus.
 *
 * Positions are in order: numbers of buffers.  Each unit, a pass or a run, has a
 * value at each, the logarithm of a ratio of times.  What is fitted is a constant on each
 * plateau, and a transition between two of them: at once, where nothing lies between, or
 * gradual, over positions that belong to neither.
 *
 * Method.  Outliers are winsorized; the figure of a position is the median over units.
 * Optimal partitioning by dynamic programming (B. Jackson et al., "An algorithm for optimal
 * partitioning of data on an interval", IEEE Signal Processing Letters 12(2), 2005) finds
 * the plateaus of the least squared error, where each transition costs NP_KNEE_PENALTY and
 * each position inside one NP_KNEE_BETWEEN squared units of noise.  So a ramp, which no
 * plateau fits, is one gradual transition and not a staircase.  The noise is the larger of
 * two: that between units, and that between neighbouring positions (the median of first
 * differences, which few transitions do not move; P. Fryzlewicz, "Wild binary segmentation
 * for multiple change-point detection", The Annals of Statistics 42(6), 2014), because
 * positions also differ by effects that are no transition.
 *
 * Each transition is then tested.  If its two plateaus were one, the values of each
 * unit could as well stand in another order: positions are measured in random
 * order.  So the largest step that any place between them has is compared with
 * those of such permutations (E. S. Edgington, P. Onghena, Randomization Tests, 4th
 * edition, 2007; with as few of them as suffice for p to be large: J.
 * Besag, P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78(2), 1991).
 * Transitions that fail are removed, the weakest first.  The squared step must besides be
 * NP_KNEE_STANDS_OUT, in the noise of its own plateaus, or NP_KNEE_REPEATED where positions
 * differ by effects that all units repeat, which permutations within units do not keep.
 *
 * A place is the median of the likelihood under three replacement policies: least recently
 * used, where all miss at once; random, where some survive; and 8-way set-associative,
 * where pages fall into sets at random.  Its interval is what the likelihood ratio does not
 * reject: B. E. Hansen, "Sample splitting and threshold estimation", Econometrica 68(3),
 * 2000.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	NP_KNEE_PENALTY = 14,
	NP_KNEE_BETWEEN = 6,
	NP_KNEE_STANDS_OUT = 20,
	NP_KNEE_REPEATED = 24,
	NP_KNEE_PLATEAU = 3, /* positions that a plateau has at least, but at an end */
	NP_KNEE_POSITIONS_MAX = 128
};

/* A transition: from one plateau to the next. */
struct np_transition {
	size_t first, last;    /* positions of the plateau before it */
	size_t next, end;      /* and of that behind it; next is last + 1, or more */
	size_t place;	       /* the last position that fits into the capacity */
	size_t low, high;      /* 95 %: place is not below low, and below high */
	double before, behind; /* their levels */
	double p;
};

struct np_transitions {
	struct np_transition *list; /* ascending */
	size_t count;
	double noise;	   /* standard error of a position's figure */
	double resolution; /* the smallest step found with four positions after it */
};

/*
 * values[unit * positions + position], NAN where a unit has none; each position has
 * one at least.  where[position] is how many buffers that is: ascending, above 0.  alpha is
 * the chance that any transition is seen where there is none.  floor is the least noise, in
 * units of the values: above 0, or values without any noise would be a staircase.  The same
 * seed gives the same result.
 *
 * Returns 0; -EINVAL for more than NP_KNEE_POSITIONS_MAX positions; or -ENOMEM.
 * np_transitions_free() copes with all.
 */
int np_transitions_find(const double *values, const double *where, size_t units,
			size_t positions, double alpha, double floor, uint64_t seed,
			struct np_transitions *transitions);
void np_transitions_free(struct np_transitions *transitions);
