/*
 * fit.c - Hockney's line.
 */
#include "curve/fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/least.h"
#include "stats/stats.h"
#include "stats/tails.h"

enum { FIT_LEAST = 5, ROUNDS = 50, COLUMNS = 2 };

/* Least ratio of the largest size to the smallest. */
static const double span_least = 4.0;
/* Largest robust standard deviation of relative residuals. */
static const double scatter_most = 0.1;
/* Largest residual of a point on a line: a share of its time, or a number of robust
 * standard deviations, fewer if neighbouring residuals are correlated.  Normal
 * residuals of 46 points exceed 4 standard deviations at 1 of 350 lines. */
static const double off_most = 0.05, deviations_most = 4.0;
/* Correlation of neighbouring residuals, in standard errors, that counts as structure: one
 * sided, 5 %. */
static const double structure_least = 1.645;
/* Corner of psi in standard deviations: 95 % efficiency with normal errors. */
static const double huber = 1.345;
static const double interval_p = 0.05;
/* Relative change of both parameters at convergence. */
static const double settled = 1e-12;

struct line {
	double start, slope; /* seconds, seconds per unit */
	double scatter;
	double variance_start, variance_slope, covariance;
};

struct data {
	double *units; /* sizes in units of the largest */
	double *seconds;
	double *weights;
	double *residuals; /* absolute, as shares of the time */
	double *signs;	   /* of the residuals */
	size_t *places;	   /* indexes of the points */
	size_t count;
	double unit;   /* bytes of the largest size */
	double common; /* half the logarithmic width of a point's interval, median */
};

/* Median of half the logarithmic widths of the intervals of points; 0: no intervals. */
static double common_error(const struct np_point *points, size_t first, size_t last,
			   double *scratch)
{
	size_t count = 0;

	for (size_t i = first; i <= last; i++) {
		if (points[i].low > 0 && points[i].high > 0)
			scratch[count++] = log(points[i].high / points[i].low) / 2;
	}
	return count != 0 ? np_median(scratch, count) : 0;
}

static int gather(const struct np_point *points, size_t first, size_t last,
		  const struct np_shape *shape, struct data *data)
{
	const size_t room = last - first + 1;

	*data = (struct data){ .unit = fmax(1.0, (double)points[last].bytes) };
	data->units = malloc(room * (5 * sizeof(double) + sizeof(size_t)));
	if (data->units == NULL)
		return -ENOMEM;
	data->seconds = data->units + room;
	data->weights = data->seconds + room;
	data->residuals = data->weights + room;
	data->signs = data->residuals + room;
	data->places = (size_t *)(void *)(data->signs + room);
	data->common = common_error(points, first, last, data->weights);
	for (size_t i = first; i <= last; i++) {
		if (shape != NULL && np_shape_drops(shape, i))
			continue;
		data->units[data->count] = (double)points[i].bytes / data->unit;
		data->seconds[data->count] = points[i].seconds;
		data->places[data->count++] = i;
	}
	return 0;
}

/* One step of iteratively reweighted least squares.  Equations are divided by the time on
 * the line, or by the measured time in the first step and where the line is far below it.
 * Returns false if singular. */
static bool solve(const struct data *data, bool started, struct line *line,
		  struct np_least *least, struct np_solution *solution)
{
	*least = (struct np_least){ .columns = COLUMNS };
	for (size_t i = 0; i < data->count; i++) {
		double time = line->start + line->slope * data->units[i];

		if (!started || time <= data->seconds[i] / 2.0)
			time = data->seconds[i];
		const double weight = sqrt(data->weights[i]) / time;
		double row[] = { weight, weight * data->units[i],
				 weight * data->seconds[i] };
		np_least_add(least, row);
	}
	if (!np_least_solve(least, COLUMNS, solution))
		return false;
	line->start = solution->x[0];
	line->slope = solution->x[1];
	return true;
}

static void measure_scatter(struct data *data, struct line *line)
{
	for (size_t i = 0; i < data->count; i++) {
		const double time = line->start + line->slope * data->units[i];

		data->residuals[i] =
			fabs(data->seconds[i] - time) / fmax(time, data->seconds[i] / 2.0);
		data->signs[i] = data->seconds[i] < time ? -1.0 : 1.0;
	}
	/* Two parameters make two residuals about 0: take the median of the others. */
	const double share = (double)(data->count + COLUMNS) / (2.0 * (double)data->count);
	line->scatter =
		np_quantile(data->residuals, data->count, fmin(share, 1.0)) / NP_NORMAL_MAD;
}

/* Factor of the variance of a mean of residuals that are correlated with their neighbours:
 * (1 + r) / (1 - r) of a first-order autoregression; 1 without significant correlation. */
static double structure(const struct data *data, const struct line *line)
{
	const double most = 0.9;
	double squares = 0.0, products = 0.0, before = 0.0;

	for (size_t i = 0; i < data->count; i++) {
		const double psi =
			data->signs[i] * fmin(data->residuals[i], huber * line->scatter);

		squares += psi * psi;
		products += psi * before;
		before = psi;
	}
	const double r = squares > 0.0 ? fmin(products / squares, most) : 0.0;
	return r * sqrt((double)data->count) > structure_least ? (1.0 + r) / (1.0 - r) :
								 1.0;
}

/* Covariance of Huber's M-estimate: the mean square of psi over the square of its mean
 * derivative, with Huber's correction for few points. */
static void set_variances(const struct data *data, const struct np_solution *solution,
			  struct line *line)
{
	const double count = (double)data->count;
	const double functions[3][NP_LEAST_COLUMNS] = { { 1.0, 0.0 },
							{ 0.0, 1.0 },
							{ 1.0, 1.0 } };
	double inside = 0.0, squares = 0.0, errors[3];

	for (size_t i = 0; i < data->count; i++) {
		const double psi = fmin(data->residuals[i], huber * line->scatter);

		inside += data->residuals[i] <= huber * line->scatter;
		squares += psi * psi;
	}
	const double mean = fmax(inside / count, 1.0 / count);
	const double few = 1.0 + (double)COLUMNS / count * (1.0 - mean) / mean;
	const double scale = few * few * squares / (count - (double)COLUMNS) /
			     (mean * mean) * structure(data, line);
	for (size_t i = 0; i < 3; i++)
		np_solution_value(solution, functions[i], &errors[i]);
	line->variance_start = scale * errors[0] * errors[0];
	line->variance_slope = scale * errors[1] * errors[1];
	line->covariance = (scale * errors[2] * errors[2] - line->variance_start -
			    line->variance_slope) /
			   2.0;
}

static bool is_settled(const struct line *before, const struct line *line)
{
	return fabs(line->start - before->start) <= settled * fabs(line->start) &&
	       fabs(line->slope - before->slope) <= settled * fabs(line->slope);
}

static bool fit(struct data *data, struct line *line)
{
	struct np_least least;
	struct np_solution solution;

	*line = (struct line){ .start = 0.0 };
	for (size_t i = 0; i < data->count; i++)
		data->weights[i] = 1.0;
	for (size_t round = 0; round < ROUNDS; round++) {
		const struct line before = *line;

		if (!solve(data, round > 0, line, &least, &solution))
			return false;
		if (is_settled(&before, line))
			break;
		measure_scatter(data, line);
		for (size_t i = 0; i < data->count; i++) {
			const double most = huber * line->scatter;

			data->weights[i] =
				data->residuals[i] > most ? most / data->residuals[i] : 1.0;
		}
	}
	for (size_t i = 0; i < data->count; i++)
		data->weights[i] = 1.0;
	struct line whole = *line;
	if (!solve(data, true, &whole, &least, &solution))
		return false;
	set_variances(data, &solution, line);
	return true;
}

static struct np_estimate between(double value, double error)
{
	return (struct np_estimate){ value, value - error, value + error };
}

static void set_estimates(const struct data *data, const struct line *line,
			  struct np_line_fit *made)
{
	const double t = np_student_quantile(interval_p, (unsigned)(data->count - COLUMNS));
	const struct np_estimate start =
		between(line->start, t * sqrt(line->variance_start));
	const struct np_estimate slope =
		between(line->slope, t * sqrt(line->variance_slope));

	made->scatter = line->scatter;
	if (!(line->scatter <= scatter_most)) {
		made->support = NP_FIT_NOT_A_LINE;
		return;
	}
	if (slope.low > 0.0)
		made->r_inf = (struct np_estimate){ data->unit / slope.value,
						    data->unit / slope.high,
						    data->unit / slope.low };
	if (start.low > 0.0)
		made->t0 = start;
	if (slope.low > 0.0 && start.low > 0.0) {
		const double a = line->start, b = line->slope;
		const double ratio = a / b;
		const double spread =
			t * sqrt(fmax(0.0, line->variance_start / (a * a) +
						   line->variance_slope / (b * b) -
						   2.0 * line->covariance / (a * b)));
		made->n_half = (struct np_estimate){ ratio * data->unit,
						     ratio * data->unit * exp(-spread),
						     ratio * data->unit * exp(spread) };
	}
	made->support = slope.low <= 0.0 ? NP_FIT_NO_SLOPE :
			start.low <= 0.0 ? NP_FIT_NO_START :
					   NP_FIT_GOOD;
}

static const struct np_estimate unknown = { (double)NAN, (double)NAN, (double)NAN };

/* Index of the point with the largest residual beyond the limit for a line; count: none. */
static size_t find_off(const struct data *data, const struct line *line)
{
	const double most =
		fmax(off_most, deviations_most * line->scatter / structure(data, line));
	size_t worst = data->count;

	for (size_t i = 0; i < data->count; i++) {
		if (data->residuals[i] >
		    (worst < data->count ? data->residuals[worst] : most))
			worst = i;
	}
	return worst;
}

/* Keeps the points on that side of one point which has more. */
static void cut_at(struct data *data, size_t point)
{
	if (2 * point < data->count) {
		data->units += point + 1;
		data->seconds += point + 1;
		data->places += point + 1;
		data->count -= point + 1;
	} else {
		data->count = point;
	}
}

/* Widens an interval by the error of passes or runs, which all points of a line share, so
 * that no residual shows it. */
static void add_common(const struct data *data, struct np_estimate *estimate)
{
	const double below = log(estimate->value / estimate->low),
		     above = log(estimate->high / estimate->value);

	if (!(estimate->low > 0))
		return;
	estimate->low = estimate->value * exp(-hypot(below, data->common));
	estimate->high = estimate->value * exp(hypot(above, data->common));
}

/* Raises the upper limit of r_inf to the highest rate of the points on the line. */
static void hold_peak(const struct data *data, struct np_estimate *r_inf)
{
	for (size_t i = 0; i < data->count; i++)
		r_inf->high =
			fmax(r_inf->high, data->units[i] * data->unit / data->seconds[i]);
}

int np_fit_line(const struct np_point *points, size_t first, size_t last,
		const struct np_shape *shape, struct np_line_fit *made)
{
	struct data data;
	struct line line;
	const int rc = gather(points, first, last, shape, &data);
	void *const memory = data.units;

	if (rc != 0)
		return rc;
	*made = (struct np_line_fit){ .t0 = unknown,
				      .r_inf = unknown,
				      .n_half = unknown,
				      .first = first,
				      .last = last,
				      .points = data.count,
				      .scatter = (double)NAN,
				      .support = NP_FIT_FEW_POINTS };
	for (bool cut = false; data.count >= FIT_LEAST; cut = true) {
		const double least = fmax(data.units[0], 1.0 / data.unit);

		if (data.units[data.count - 1] < span_least * least || !fit(&data, &line)) {
			made->support = cut ? NP_FIT_NOT_A_LINE : NP_FIT_NARROW;
			break;
		}
		const size_t off =
			line.scatter <= scatter_most ? find_off(&data, &line) : data.count;

		if (off == data.count) {
			set_estimates(&data, &line, made);
			add_common(&data, &made->r_inf);
			add_common(&data, &made->t0);
			hold_peak(&data, &made->r_inf);
			made->first = data.places[0];
			made->last = data.places[data.count - 1];
			made->points = data.count;
			break;
		}
		cut_at(&data, off);
		made->support = NP_FIT_NOT_A_LINE;
	}
	free(memory);
	return 0;
}

const char *np_fit_support_text(enum np_fit_support support)
{
	static const char *const texts[] = {
		[NP_FIT_GOOD] = "the points lie on a line",
		[NP_FIT_FEW_POINTS] = "fewer than 5 points",
		[NP_FIT_NARROW] = "sizes span less than a factor of 4",
		[NP_FIT_NO_SLOPE] = "time does not grow significantly with size",
		[NP_FIT_NO_START] = "the intercept is not significantly above 0",
		[NP_FIT_NOT_A_LINE] = "not linear: residuals above 5 %",
	};

	return texts[support];
}
