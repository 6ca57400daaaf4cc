/*
 * proof.c - Student's t with moderated variances, calibrated by the null.
 */
#include "stats/proof.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stats/moderate.h"
#include "stats/stats.h"
#include "stats/tails.h"

static const double confidence = 0.95;

/* Of the effects that a resolution names, this share would be found. */
static const double power = 0.8;

/* The most degrees of freedom that other sizes lend to one: one each, and no more
 * than this.  One unit of n that is far off has t = 1 by its own variance, and at
 * most sqrt((d0 + d) / d) of that by a moderated one. */
static const double lent_most = 10.0;

/* Nulls of fewer sizes say too little of how wide they are spread. */
enum { CALIBRATION_LEAST = 8 };

/* One mode over its base at one size. */
struct tested {
	double mean; /* of logarithms */
	struct np_spread spread;
	size_t count;
	const double *ratios;
	double error;	  /* standard error of the mean; NAN if none */
	unsigned degrees; /* of error */
	double p;
};

static struct tested begin_test(const double *ratios, size_t count)
{
	struct tested tested = { .mean = (double)NAN,
				 .spread = { .variance = (double)NAN },
				 .count = count,
				 .ratios = ratios,
				 .error = (double)NAN,
				 .p = (double)NAN };
	double sum = 0.0, squares = 0.0;

	if (count < 2)
		return tested;
	for (size_t i = 0; i < count; i++)
		sum += log(ratios[i]);
	tested.mean = sum / (double)count;
	for (size_t i = 0; i < count; i++) {
		const double apart = log(ratios[i]) - tested.mean;

		squares += apart * apart;
	}
	tested.spread.degrees = (unsigned)(count - 1);
	tested.spread.variance = squares / (double)(count - 1);
	return tested;
}

/* p of a mean that is so many errors from 0; both may be 0. */
static double p_of(double mean, double error, unsigned degrees)
{
	if (!(fabs(mean) > 0.0))
		return 1.0;
	return error > 0.0 ? np_student_p(mean / error, degrees) : 0.0;
}

/*
 * The share of variance that a unit brings to all sizes alike: the correlation of
 * its deviations from size to size, in standard deviations of each.
 */
static double common_share(const struct tested *tested, size_t sizes)
{
	double variance = 0.0, units = 0.0, each = 0.0;

	for (size_t unit = 0;; unit++) {
		double sum = 0.0, known = 0.0;

		for (size_t i = 0; i < sizes; i++) {
			const struct tested *one = &tested[i];

			if (unit >= one->count || !(one->spread.variance > 0.0))
				continue;
			sum += (log(one->ratios[unit]) - one->mean) /
			       sqrt(one->spread.variance);
			known += 1.0;
		}
		if (known < 2.0)
			break;
		variance += sum * sum / (known * known);
		each += 1.0 / known;
		units += 1.0;
	}
	if (units < 2.0)
		return 0.0;
	/* Of nothing in common, sums of `known` deviations spread by 1 / known. */
	const double mean = variance / (units - 1.0), alone = each / units;
	return fmin(1.0, fmax(0.0, (mean - alone) / (1.0 - alone)));
}

/*
 * With the variance of a moderated one.  What units bring to all sizes alike was
 * seen as often as there are units, however many sizes saw it; the rest has what
 * the others lend: F. E. Satterthwaite, "An Approximate Distribution of Estimates
 * of Variance Components", Biometrics Bulletin 2(6), 1946.
 */
static void finish_test(struct tested *tested, const struct np_prior *prior, double common)
{
	const struct np_spread *spread = &tested->spread;
	const double own = spread->degrees,
		     lent = isnan(prior->variance) ? 0.0 : prior->degrees;

	if (isnan(spread->variance))
		return;
	tested->error = sqrt(np_moderate(prior, spread) / (double)tested->count);
	tested->degrees = (unsigned)fmin(
		own + lent, 1.0 / (common * common / own +
				   (1.0 - common) * (1.0 - common) / (own + lent)));
	tested->p = p_of(tested->mean, tested->error, tested->degrees);
}

/* How many times as wide as they should be the nulls' squares of t are spread:
 * the median, as squares of normal values with the same p, over that of chi-square
 * with one degree of freedom. */
static double inflation_of(const struct tested *controls, size_t count, double *room)
{
	static const double chi_square_median = 0.454936;
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(controls[i].p))
			room[known++] = controls[i].p;
	}
	if (known < CALIBRATION_LEAST)
		return 1.0;
	/* The median of p is that of the squares: one falls as the other rises. */
	const double z = np_normal_quantile(np_median(room, known));
	return fmax(1.0, z * z / chi_square_median);
}

/* What a size is judged by. */
struct judging {
	size_t count;
	double q;
	struct tested *tested, *controls;
	double *p, *null_p; /* adjusted; one after the other */
	double families;
	struct np_calibration calibration;
};

static struct np_prior fit_prior(const struct tested *tested, size_t count,
				 struct np_spread *room)
{
	for (size_t i = 0; i < count; i++)
		room[i] = tested[i].spread;
	return np_prior_fit(room, count, fmin(lent_most, (double)count - 1.0));
}

/* Tests of all sizes, by priors; the mode's is never narrower than the null's. */
static void test_all(struct judging *judging, struct np_spread *room)
{
	const size_t count = judging->count;
	const double common = common_share(judging->tested, count),
		     null_common = common_share(judging->controls, count);
	struct np_prior prior = fit_prior(judging->tested, count, room);
	const struct np_prior null_prior = fit_prior(judging->controls, count, room);

	if (null_prior.variance > prior.variance)
		prior.variance = null_prior.variance;
	for (size_t i = 0; i < count; i++) {
		finish_test(&judging->tested[i], &prior, common);
		finish_test(&judging->controls[i], &null_prior, null_common);
	}
	judging->calibration.noise = sqrt(prior.variance);
	judging->calibration.noise_degrees = isnan(prior.variance) ? 0.0 : prior.degrees;
	judging->calibration.common = common;
}

/* Both families of tests, of ratios and of nulls, share q: with a null, each p
 * counts twice. */
static int correct(struct judging *judging)
{
	const double inflation =
		inflation_of(judging->controls, judging->count, judging->null_p);
	bool has_null = false;

	judging->calibration.inflation = inflation;
	for (size_t i = 0; i < judging->count; i++) {
		struct tested *tested = &judging->tested[i];

		tested->error *= sqrt(inflation);
		if (!isnan(tested->error))
			tested->p = p_of(tested->mean, tested->error, tested->degrees);
		judging->p[i] = tested->p;
		judging->null_p[i] = judging->controls[i].p;
		has_null |= !isnan(judging->null_p[i]);
	}
	judging->families = has_null ? 2.0 : 1.0;
	int rc = np_adjust_p(judging->p, judging->count, judging->p);
	if (rc == 0)
		rc = np_adjust_p(judging->null_p, judging->count, judging->null_p);
	for (size_t i = 0; i < 2 * judging->count && rc == 0; i++) {
		if (!isnan(judging->p[i]))
			judging->p[i] = fmin(1.0, judging->families * judging->p[i]);
	}
	return rc;
}

/* Whether the median of ratios surely lies on that side of 1 where their mean does. */
static bool lies_apart(const double *ratios, size_t count, double mean)
{
	struct np_interval interval;

	return np_median_interval(ratios, count, confidence, &interval) &&
	       ((mean > 0.0 && interval.low > 1.0) || (mean < 0.0 && interval.high < 1.0));
}

/* The effect whose t exceeds what the correction asks for. */
static double resolution_of(const struct judging *judging, size_t at, size_t rejected)
{
	const struct tested *tested = &judging->tested[at];
	const double rank = (double)(rejected < judging->count ? rejected + 1 : rejected);
	const double level =
		judging->q * rank / (judging->families * (double)judging->count);

	if (isnan(tested->error) || tested->degrees == 0)
		return (double)NAN;
	return expm1(tested->error *
		     (np_student_quantile(level, tested->degrees) +
		      np_student_quantile(2.0 * (1.0 - power), tested->degrees)));
}

static enum np_verdict verdict_of(const struct judging *judging, size_t at,
				  const struct np_trial *trial,
				  const struct np_proof *proof)
{
	const struct tested *tested = &judging->tested[at];

	if (isnan(proof->low) || isnan(proof->p))
		return NP_UNDECIDED;
	if (judging->null_p[at] <= judging->q &&
	    lies_apart(trial->control_ratios, trial->control_count,
		       judging->controls[at].mean))
		return NP_UNSTABLE;
	if (!(proof->adjusted <= judging->q) ||
	    !lies_apart(trial->ratios, trial->count, tested->mean))
		return NP_NO_DIFFERENCE;
	return tested->mean > 0.0 ? NP_SLOWER : NP_FASTER;
}

static void judge_all(const struct judging *judging, const struct np_trial *trials,
		      struct np_proof *proofs)
{
	size_t rejected = 0;

	for (size_t i = 0; i < judging->count; i++)
		rejected += judging->p[i] <= judging->q;
	for (size_t i = 0; i < judging->count; i++) {
		struct np_proof *proof = &proofs[i];
		struct np_interval interval = { (double)NAN, (double)NAN, 0.0 };

		np_median_interval(trials[i].ratios, trials[i].count, confidence,
				   &interval);
		proof->low = interval.low;
		proof->high = interval.high;
		proof->p = judging->tested[i].p;
		proof->adjusted = judging->p[i];
		proof->verdict = verdict_of(judging, i, &trials[i], proof);
		proof->resolution = proof->verdict == NP_UNDECIDED ?
					    (double)NAN :
					    resolution_of(judging, i, rejected);
	}
}

int np_prove(const struct np_trial *trials, size_t count, double q, struct np_proof *proofs,
	     struct np_calibration *calibration)
{
	struct judging judging = {
		.count = count,
		.q = q,
		.tested = calloc(2 * count + 1, sizeof(struct tested)),
		.p = calloc(2 * count + 1, sizeof(double)),
	};
	struct np_spread *room = calloc(count + 1, sizeof(*room));
	int rc = -ENOMEM;

	if (judging.tested != NULL && judging.p != NULL && room != NULL) {
		judging.controls = judging.tested + count;
		judging.null_p = judging.p + count;
		for (size_t i = 0; i < count; i++) {
			const struct np_trial *trial = &trials[i];

			judging.tested[i] = begin_test(trial->ratios, trial->count);
			judging.controls[i] =
				begin_test(trial->control_ratios, trial->control_count);
		}
		test_all(&judging, room);
		rc = correct(&judging);
	}
	if (rc == 0) {
		judge_all(&judging, trials, proofs);
		if (calibration != NULL)
			*calibration = judging.calibration;
	}
	free(judging.tested);
	free(judging.p);
	free(room);
	return rc;
}

int np_prove_share(const struct np_trial *trials, size_t count, double share,
		   struct np_proof *proofs)
{
	const int rc = np_prove(trials, count, share * NP_PROOF_Q, proofs, NULL);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		double *adjusted = &proofs[i].adjusted;

		*adjusted = *adjusted > share ? 1.0 : *adjusted / share;
	}
	return rc;
}
