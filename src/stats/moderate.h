/*
 * moderate.h - the variance of a few units, moderated by those of other sizes.
 *
 * Six units now and then agree by chance, and of many sizes some always do: their
 * differences would pass for significant ones.  So each variance is shrunk towards a
 * prior from the variances of all sizes, the more the more alike these are.
 * G. K. Smyth, "Linear models and empirical Bayes methods for assessing
 * differential expression in microarray experiments", Statistical Applications
 * in Genetics and Molecular Biology 3(1), 2004: variances s_k^2 with d_k degrees
 * of freedom, drawn around true ones of which 1 / v is distributed as chi-square
 * with d0 degrees over d0 s0^2.
 *
 * Long messages scatter otherwise than short ones.  So s0^2 follows the place of a size
 * among them, where there are sizes enough: a parabola of its logarithm, as C. W. Law,
 * Y. Chen, W. Shi and G. K. Smyth, "voom: precision weights unlock linear model analysis
 * tools for RNA-seq read counts", Genome Biology 15:R29, 2014, have it follow the mean.
 */
#pragma once

#include <stddef.h>

/* The prior of a variance. */
struct np_prior {
	double variance; /* s0^2; NAN if there are too few to tell */
	double degrees;	 /* d0: the degrees of freedom it stands for; or 0 */
};

/* Variances from which a prior can be told. */
enum { NP_PRIOR_LEAST = 3 };

/* One variance and its degrees of freedom, 1 or more; none where it is NAN. */
struct np_spread {
	double variance;
	unsigned degrees;
};

/*
 * The priors of variances in the order of their sizes, by Smyth's section 6.2, moments of
 * log s^2, around the trend; all have one d0.  `most` bounds it: an unbounded prior would
 * make an outlier in one of the units significant.  Variances of 0 count as a
 * hundred-thousandth of the geometric mean of the others.
 */
void np_priors_fit(const struct np_spread *spreads, size_t count, double most,
		   struct np_prior *priors);

/* (d0 s0^2 + d s^2) / (d0 + d); s^2 itself without a prior. */
double np_moderate(const struct np_prior *prior, const struct np_spread *spread);

/* The derivatives of log gamma, x above 0: M. Abramowitz and I. A. Stegun, Handbook
 * of Mathematical Functions, 1964, 6.3.5, 6.3.18, 6.4.6, 6.4.12. */
double np_digamma(double x);
double np_trigamma(double x);
