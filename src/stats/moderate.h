/*
 * moderate.h - variances over few units, moderated by the variances of other sizes.
 *
 * With many sizes, the six units (passes or runs) of some sizes agree by chance, and their
 * differences would be significant.  Empirical Bayes shrinks each variance towards a prior
 * from the variances of all sizes, the more the more similar these are.  G. K. Smyth,
 * "Linear models and empirical Bayes methods for assessing differential expression in
 * microarray experiments", Statistical Applications in Genetics and Molecular Biology 3(1),
 * 2004: a variance s_k^2 has d_k degrees of freedom, and the reciprocal of its true value
 * is distributed as chi-square with d0 degrees over d0 s0^2.
 *
 * The variance depends on the message size.  With enough sizes log s0^2 is therefore a
 * parabola over the rank of the size, as it is over the mean in C. W. Law, Y. Chen, W. Shi
 * and G. K. Smyth, "voom: precision weights unlock linear model analysis tools for RNA-seq
 * read counts", Genome Biology 15:R29, 2014.
 */
#pragma once

#include <stddef.h>

/* Prior distribution of the variance at one size. */
struct np_prior {
	double variance; /* s0^2; NAN with too few variances */
	double degrees;	 /* d0: degrees of freedom of variance; or 0 */
};

/* Least number of variances for a prior. */
enum { NP_PRIOR_LEAST = 3 };

/* Variance over the units at one size, NAN: none; and its degrees of freedom, 1 or more. */
struct np_spread {
	double variance;
	unsigned degrees;
};

/*
 * Fits priors to variances in the order of their sizes, by Smyth's section 6.2, moments of
 * log s^2, around the trend.  All sizes have the same d0, at most `most`: with an unbounded
 * prior a single outlying unit would be significant.  Variances of 0 count as 1e-5 of the
 * geometric mean of the others.
 */
void np_priors_fit(const struct np_spread *spreads, size_t count, double most,
		   struct np_prior *priors);

/* Moderated (posterior) variance (d0 s0^2 + d s^2) / (d0 + d); s^2 without a prior. */
double np_moderate(const struct np_prior *prior, const struct np_spread *spread);

/* First and second derivative of log gamma, x above 0: M. Abramowitz and I. A. Stegun,
 * Handbook of Mathematical Functions, 1964, 6.3.5, 6.3.18, 6.4.6, 6.4.12. */
double np_digamma(double x);
double np_trigamma(double x);
