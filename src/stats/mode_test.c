/*
 * mode_test.c - Student's t with moderated variances, calibrated by the control.
 */
#include "stats/mode_test.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stats/adjust.h"
#include "stats/moderate.h"
#include "stats/sequential.h"
#include "stats/stats.h"
#include "stats/tails.h"

/* Power at the detection limit. */
static const double power = 0.8;

/* Maximum of d0, the degrees of freedom of the prior, which the number of other sizes
 * bounds as well.  A single outlier among the units has t = 1 by the variance of its own
 * size, and at most sqrt((d0 + d) / d) by a moderated one. */
static const double prior_degrees_most = 10.0;

/* Least sizes with a control for an estimate of the inflation of its t. */
enum { CALIBRATION_LEAST = 8 };

/* Ratios of a mode to the first one, or of the control, at one size, one per unit. */
struct tested {
	struct np_t_test t; /* of logarithms; variance of this size, error moderated */
	size_t count;
	const double *ratios;
	const unsigned *numbers;
	bool looked;
};

/* Student's t test of the logarithms of ratios; logs: scratch, count numbers. */
static struct tested begin_test(const double *ratios, const unsigned *numbers, size_t count,
				bool looked, double *logs)
{
	for (size_t i = 0; i < count; i++)
		logs[i] = log(ratios[i]);
	return (struct tested){ np_t_test(logs, count), count, ratios, numbers, looked };
}

/*
 * Share, 0 to 1, of the variance that all sizes of a unit have in common: the correlation
 * between sizes of the standardized deviations.
 */
static double common_share(const struct tested *tested, size_t sizes)
{
	double variance = 0.0, units = 0.0, each = 0.0;

	for (unsigned unit = 0, next; unit != NP_NO_UNIT; unit = next) {
		double sum = 0.0, known = 0.0;

		next = NP_NO_UNIT;
		for (size_t i = 0; i < sizes; i++) {
			const struct tested *one = &tested[i];
			const size_t place =
				np_place_of_unit(one->numbers, one->count, unit);

			next = np_next_unit(one->numbers, one->count, unit, next);
			if (place == one->count || !(one->t.variance > 0.0))
				continue;
			sum += (log(one->ratios[place]) - one->t.mean) /
			       sqrt(one->t.variance);
			known += 1.0;
		}
		if (known < 2.0)
			continue;
		variance += sum * sum / (known * known);
		each += 1.0 / known;
		units += 1.0;
	}
	if (units < 2.0)
		return 0.0;
	/* Means of `known` uncorrelated deviations have a variance of 1 / known. */
	const double mean = variance / (units - 1.0), alone = each / units;
	return fmin(1.0, fmax(0.0, (mean - alone) / (1.0 - alone)));
}

/*
 * Moderates the error of a t test, and sets its degrees of freedom and p-value.  The part
 * of the variance that all sizes of a unit have in common has the degrees of freedom of the
 * units; the rest has the degrees of the prior as well: F. E. Satterthwaite, "An
 * Approximate Distribution of Estimates of Variance Components", Biometrics Bulletin 2(6),
 * 1946.
 */
static void finish_test(struct tested *tested, const struct np_prior *prior, double common)
{
	struct np_t_test *t = &tested->t;
	const struct np_spread spread = { t->variance, t->degrees };
	const double own = spread.degrees, prior_degrees = prior->degrees;

	if (isnan(spread.variance))
		return;
	t->error = sqrt(np_moderate(prior, &spread) / (double)tested->count);
	t->degrees =
		(unsigned)fmin(own + prior_degrees, 1.0 / (common * common / own +
							   (1.0 - common) * (1.0 - common) /
								   (own + prior_degrees)));
	t->p = np_t_test_p(t);
}

/* Genomic control: inflation of t^2 of the control, at least 1.  Median of the squares of
 * normal values with the same p-values, over the median of chi-square with one degree of
 * freedom. */
static double inflation_of(const struct tested *controls, size_t count, double *room)
{
	static const double chi_square_median = 0.454936;
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(controls[i].t.p))
			room[known++] = controls[i].t.p;
	}
	if (known < CALIBRATION_LEAST)
		return 1.0;
	/* p falls with the square, so the median of p gives the median of the squares. */
	const double z = np_normal_quantile(np_median(room, known));
	return fmax(1.0, z * z / chi_square_median);
}

/* State of a test of all sizes, of the ratios and of the control. */
struct judging {
	size_t count;
	double q, margin;
	struct tested *tested, *controls;
	struct np_prior *priors, *control_priors;
	double *p, *control_p; /* adjusted p-values; one array behind the other */
	/* Families of tests that share q: 1, or 2 with a control. */
	size_t families;
	struct np_calibration calibration;
};

static void fit_priors(const struct tested *tested, size_t count, struct np_spread *room,
		       struct np_prior *priors)
{
	for (size_t i = 0; i < count; i++)
		room[i] = (struct np_spread){ tested[i].t.variance, tested[i].t.degrees };
	np_priors_fit(room, count, fmin(prior_degrees_most, (double)count - 1.0), priors);
}

/* Moderates and tests all sizes; the prior variance of a mode is at least that of the
 * control. */
static void test_all(struct judging *judging, struct np_spread *room)
{
	const size_t count = judging->count;
	const double common = common_share(judging->tested, count),
		     control_common = common_share(judging->controls, count);

	fit_priors(judging->tested, count, room, judging->priors);
	fit_priors(judging->controls, count, room, judging->control_priors);
	for (size_t i = 0; i < count; i++) {
		struct np_prior *prior = &judging->priors[i];
		const struct np_prior *control = &judging->control_priors[i];

		if (control->variance > prior->variance)
			prior->variance = control->variance;
		finish_test(&judging->tested[i], prior, common);
		finish_test(&judging->controls[i], control, control_common);
	}
	judging->calibration.noise_degrees = count != 0 ? judging->priors[0].degrees : 0.0;
	judging->calibration.common = common;
}

/* Corrects both families of tests, of ratios and of controls, which share q: with a control
 * the number of tests doubles. */
static int correct(struct judging *judging)
{
	const double inflation =
		inflation_of(judging->controls, judging->count, judging->control_p);
	size_t known = 0, controls_known = 0;

	judging->calibration.inflation = inflation;
	for (size_t i = 0; i < judging->count; i++) {
		struct np_t_test *t = &judging->tested[i].t;

		t->error *= sqrt(inflation);
		t->p = np_t_test_p(t);
		judging->p[i] = t->p;
		judging->control_p[i] = judging->controls[i].t.p;
		known += isnan(judging->p[i]) ? 0 : 1;
		controls_known += isnan(judging->control_p[i]) ? 0 : 1;
	}
	judging->families = controls_known != 0 ? 2 : 1;
	const int rc = np_adjust_p(judging->p, judging->count, judging->families * known,
				   NP_ADJUST_FDR, judging->p);

	return rc != 0 ? rc :
			 np_adjust_p(judging->control_p, judging->count,
				     judging->families * controls_known, NP_ADJUST_FDR,
				     judging->control_p);
}

/* Level of Benjamini and Hochberg's step-up: q R / m if R of m tests are rejected, q / m
 * without rejections.  *rejected becomes R. */
static double level_of(const struct judging *judging, const double *p, size_t *rejected)
{
	size_t known = 0;

	*rejected = 0;
	for (size_t i = 0; i < judging->count; i++) {
		known += isnan(p[i]) ? 0 : 1;
		*rejected += p[i] <= judging->q;
	}
	return judging->q * fmax(1.0, (double)*rejected) /
	       (double)(judging->families * (known != 0 ? known : 1));
}

/* Interval of the median of the ratios of one size, without assumptions about their
 * distribution; false with too few units. */
static bool find_median_interval(const struct tested *tested, struct np_interval *interval)
{
	return np_median_interval(tested->ratios, tested->count,
				  np_look_level(tested->count, tested->looked), interval);
}

/* Interval of the mean ratio by Student's t at a two-sided level, extended to hold the
 * interval of the median; false with too few units. */
static bool find_interval(const struct tested *tested, double level,
			  struct np_interval *interval)
{
	const struct np_t_test *t = &tested->t;

	if (isnan(t->error) || !find_median_interval(tested, interval))
		return false;
	const double half = t->error * np_student_quantile(level, t->degrees);

	interval->low = fmin(interval->low, exp(t->mean - half));
	interval->high = fmax(interval->high, exp(t->mean + half));
	return true;
}

/* Detection limit: the effect that is significant after correction with probability
 * `power`. */
static double resolution_of(const struct judging *judging, size_t at, size_t rejected)
{
	const struct np_t_test *t = &judging->tested[at].t;
	const double rank = (double)(rejected < judging->count ? rejected + 1 : rejected);
	const double level =
		judging->q * rank / (double)(judging->families * judging->count);

	if (isnan(t->error))
		return (double)NAN;
	return expm1(t->error * (np_student_quantile(level, t->degrees) +
				 np_student_quantile(2.0 * (1.0 - power), t->degrees)));
}

/* Widens the interval by the deviation of the control from 1, if significant; returns
 * true if it is. */
static bool allow_for_control(const struct tested *control, double level,
			      struct np_interval *interval)
{
	struct np_interval own;

	if (!find_interval(control, level, &own) || (own.low <= 1.0 && own.high >= 1.0))
		return false;
	const double off = fmax(own.high, 1.0 / own.low);

	interval->low /= off;
	interval->high *= off;
	return true;
}

static void judge_one(const struct judging *judging, size_t at, double level,
		      double control_level, struct np_mode_test *proof)
{
	const struct tested *tested = &judging->tested[at];
	struct np_interval interval = { (double)NAN, (double)NAN, 0.0 };

	find_median_interval(tested, &interval);
	*proof = (struct np_mode_test){ .alone_low = interval.low,
					.alone_high = interval.high,
					.mean = tested->t.mean,
					.variance = tested->t.error * tested->t.error *
						    (double)tested->count,
					.p = tested->t.p,
					.adjusted = judging->p[at],
					.resolution = (double)NAN };
	if (find_interval(tested, level, &interval))
		proof->unstable =
			allow_for_control(&judging->controls[at], control_level, &interval);
	proof->low = interval.low;
	proof->high = interval.high;
	proof->verdict =
		np_verdict_of_interval(interval.low, interval.high, judging->margin);
}

static void judge_all(const struct judging *judging, struct np_mode_test *proofs)
{
	size_t rejected, controls_rejected;
	const double level = level_of(judging, judging->p, &rejected),
		     control_level =
			     level_of(judging, judging->control_p, &controls_rejected);

	for (size_t i = 0; i < judging->count; i++) {
		judge_one(judging, i, level, control_level, &proofs[i]);
		if (!isnan(proofs[i].low))
			proofs[i].resolution = resolution_of(judging, i, rejected);
	}
}

static size_t most_units(const struct np_size_test *trials, size_t count)
{
	size_t most = 0;

	for (size_t i = 0; i < count; i++) {
		most = trials[i].count > most ? trials[i].count : most;
		most = trials[i].control_count > most ? trials[i].control_count : most;
	}
	return most;
}

int np_test_modes(const struct np_size_test *trials, size_t count, double q, double margin,
		  struct np_mode_test *proofs, struct np_calibration *calibration)
{
	struct judging judging = {
		.count = count,
		.q = q,
		.margin = margin,
		.tested = calloc(2 * count + 1, sizeof(struct tested)),
		.priors = calloc(2 * count + 1, sizeof(struct np_prior)),
		.p = calloc(2 * count + 1, sizeof(double)),
	};
	struct np_spread *room = calloc(count + 1, sizeof(*room));
	double *logs = calloc(most_units(trials, count) + 1, sizeof(*logs));
	int rc = -ENOMEM;

	if (judging.tested != NULL && judging.priors != NULL && judging.p != NULL &&
	    room != NULL && logs != NULL) {
		judging.controls = judging.tested + count;
		judging.control_priors = judging.priors + count;
		judging.control_p = judging.p + count;
		for (size_t i = 0; i < count; i++) {
			const struct np_size_test *trial = &trials[i];

			judging.tested[i] = begin_test(trial->ratios, trial->numbers,
						       trial->count, trial->looked, logs);
			judging.controls[i] =
				begin_test(trial->control_ratios, trial->control_numbers,
					   trial->control_count, false, logs);
		}
		test_all(&judging, room);
		rc = correct(&judging);
	}
	if (rc == 0) {
		judge_all(&judging, proofs);
		if (calibration != NULL)
			*calibration = judging.calibration;
	}
	free(judging.tested);
	free(judging.priors);
	free(judging.p);
	free(room);
	free(logs);
	return rc;
}

int np_test_modes_share(const struct np_size_test *trials, size_t count, double share,
			double margin, struct np_mode_test *proofs,
			struct np_calibration *calibration)
{
	const int rc = np_test_modes(trials, count, share * NP_MODE_TEST_Q, margin, proofs,
				     calibration);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		double *adjusted = &proofs[i].adjusted;

		*adjusted = *adjusted > share ? 1.0 : *adjusted / share;
	}
	return rc;
}
