/*
 * verdicts.h - when a difference is one.
 *
 * A test's unit is what may vary as a whole: a pass, or a run.  Tests here are
 * exact permutation tests, which assume that under no difference the units
 * could as well have been swapped, and nothing on how they are distributed.
 * They have a least p that the number of units sets, below which no effect can
 * bring them:
 *
 *   paired units   5: 0.0625   6: 0.03125   7: 0.0157   8: 0.0079   10: 0.002
 *   runs     4+4: 0.0286 5+5: 0.0080  6+6: 0.0022
 *
 * So at q = 0.01, six passes cannot decide anything; eight can.  A test that
 * could not is "undecided", which is not "no difference".
 */
#ifndef NP_VERDICTS_H
#define NP_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum np_verdict {
	NP_UNDECIDED,	  /* too few units to tell, whatever they say */
	NP_UNSTABLE,	  /* the same differs from itself: no difference can be told */
	NP_NO_DIFFERENCE, /* none was found; the interval says how large it may be */
	NP_FASTER,	  /* the second is: its ratio is surely below 1 */
	NP_SLOWER,
	NP_VERDICTS
};

/* "undecided", "unstable", "no difference", "faster", "slower". */
const char *np_verdict_word(enum np_verdict verdict);

/* The same as result files have it: "no_difference".  The verdict of a name;
 * NP_VERDICTS for none. */
const char *np_verdict_name(enum np_verdict verdict);
enum np_verdict np_verdict_of(const char *name);

/* Slower or faster: the two surely differ. */
bool np_verdict_is_sure(enum np_verdict verdict);

/*
 * Which of the hypotheses to reject so that on average at most a share q of
 * those rejected was true: Y. Benjamini and Y. Hochberg, "Controlling the False
 * Discovery Rate", J. R. Statist. Soc. B 57(1), 1995, step-up.  Holds for
 * independent tests and for those that go together (Benjamini and Yekutieli,
 * 2001).  adjusted[i] is the least q at which i is rejected: reject where it is
 * <= q.  NAN among the p is no test: it counts for nothing and stays NAN.
 * adjusted may be p itself.  Returns 0 or -ENOMEM.
 */
int np_adjust_p(const double *p, size_t count, double *adjusted);

struct np_contrast {
	double ratio;		 /* of the second over the first */
	double low, high;	 /* 95 % interval; NAN if there are too few units for one */
	double p;		 /* two-sided; of one size alone until corrected */
	double adjusted;	 /* over all sizes; NAN until np_contrast_all() */
	double least_p;		 /* the least p that so many units can give */
	size_t units;		 /* pairs, or the smaller of the two numbers of runs */
	enum np_verdict verdict; /* NP_UNDECIDED until judged */
};

/*
 * Ratios, second over first, of units that were measured together: exact
 * Wilcoxon signed-rank test of their logarithms against 0 (F. Wilcoxon, 1945;
 * ties get mean ranks, for which the exact distribution is made too; normal
 * above 60 units), Hodges-Lehmann estimate and the interval that belongs to the
 * test (M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical
 * Methods, 3rd edition, 2014, 3.1 to 3.3).  Pairs whose order alternates are
 * exchangeable if nothing differs, so the symmetry that the test needs holds.
 * Ratios above 0 and finite.  Returns 0 or -ENOMEM.
 */
int np_contrast_paired(const double *ratios, size_t count, struct np_contrast *contrast);

/*
 * Two groups of runs, each run a time: exact Mann-Whitney test (H. B.
 * Mann and D. R. Whitney, 1947; ties as above; normal where the groups'
 * sizes multiply to above 400), Hodges-Lehmann ratio and interval on logarithms
 * (Hollander, Wolfe, Chicken, 4.1 to 4.3).  Times above 0 and finite.
 * Returns 0 or -ENOMEM.
 */
int np_contrast_runs(const double *first, size_t first_count, const double *second,
		     size_t second_count, struct np_contrast *contrast);

/* What --compare needs: fewer runs a side are "undecided". */
enum { NP_RUNS_LEAST = 5 };

/*
 * All sizes of two groups of runs at once; what --compare prints.  times
 * holds first_count + second_count runs, one after the other, each with
 * `sizes` times in the same order; NAN where a run lacks a size.
 *
 * Each contrast gets ratio, interval and p as by np_contrast_runs(), but
 * adjusted is by single-step maxT: runs change sides as a whole, and a
 * size's difference is compared with the largest of any size in each such
 * exchange.  P. H. Westfall and S. S. Young, Resampling-Based Multiple Testing,
 * 1993; statistic of V. G. Tusher, R. Tibshirani, G. Chu, "Significance
 * analysis of microarrays", PNAS 98(9), 2001.  It keeps the chance that any
 * size of two equal sides gets a verdict at q, whatever a run has in common
 * over its sizes, and, unlike a correction of p by p, can single out one size
 * with five runs a side.
 *
 * All exchanges are made up to 12870 (8 + 8), above that 10000 random ones from
 * seed.  Verdicts at q; all undecided if either side has fewer than
 * NP_RUNS_LEAST runs.  Returns 0 or -ENOMEM.
 */
int np_contrast_all(const double *times, size_t sizes, size_t first_count,
		    size_t second_count, double q, uint64_t seed,
		    struct np_contrast *contrasts);

#endif
