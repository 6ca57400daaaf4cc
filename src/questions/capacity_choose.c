/*
 * capacity_choose.c - selects capacities by weighted least squares of the ratios of a
 * sweep.
 */
#include "questions/capacity_choose.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "stats/least.h"

_Static_assert(NP_CHOICE_MOST + 1 <= NP_LEAST_COLUMNS, "a column for each term and a base");

/* Candidate terms, and the least-squares equations of the fitted points. */
struct candidates {
	const struct np_capacity *capacity;
	struct np_chosen *list; /* without cost, which fit_candidates() estimates */
	size_t count;
	size_t *points; /* indices into capacity->points */
	size_t point_count;
	double *errors; /* standard error of each fitted ratio */
	double *shares; /* design matrix [candidate * point_count + point]: misses of a
			   message, divided by the point's standard error */
	size_t sealed;	/* candidates whose shares are computed */
};

/* Weighted least-squares fit: intercept, and the cost of a miss of each candidate. */
struct fit {
	double base, costs[NP_CHOICE_MOST];
	double squares; /* weighted sum of squared residuals; infinite if a cost would be
			   negative */
	double scale;	/* residual variance, at least 1 */
};

static bool is_fitted(const struct np_capacity *capacity,
		      const struct np_capacity_point *point)
{
	return capacity->axes[point->axis].noise > 0 && point->ratio > 0;
}

/* Sizes of one unit within this factor are the same capacity. */
static const double near_by = 2.25;

/* Relative standard error of predicted misses, as a sample uses part of the buffers, in one
 * random order. */
static const double model_error = 0.015;

/* Standard error of a ratio: the noise of its axis is the standard error of the logarithm.
 */
static double noise_of(const struct np_capacity *capacity,
		       const struct np_capacity_point *point)
{
	return point->ratio * capacity->axes[point->axis].noise;
}

/* Standard error of a ratio before capacities are selected: noise, and the model error of a
 * ratio whose excess over 1 consists of misses. */
static double error_before(const struct np_capacity *capacity,
			   const struct np_capacity_point *point)
{
	return hypot(noise_of(capacity, point), (point->ratio - 1) * model_error);
}

static const struct np_capacity_point *point_of(const struct candidates *candidates,
						size_t at)
{
	return &candidates->capacity->points[candidates->points[at]];
}

/* Lists the points that are fitted, with their standard errors.  Returns 0 or -ENOMEM;
 * free_candidates() copes with both. */
static int make_candidates(const struct np_capacity *capacity,
			   struct candidates *candidates)
{
	*candidates = (struct candidates){ .capacity = capacity };
	candidates->points = calloc(capacity->point_count + 1, sizeof(*candidates->points));
	candidates->errors = calloc(capacity->point_count + 1, sizeof(*candidates->errors));
	if (candidates->points == NULL || candidates->errors == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < capacity->point_count; i++) {
		if (!is_fitted(capacity, &capacity->points[i]))
			continue;
		candidates->errors[candidates->point_count] =
			error_before(capacity, &capacity->points[i]);
		candidates->points[candidates->point_count++] = i;
	}
	return 0;
}

static int add_candidate(struct candidates *candidates, const struct np_chosen *candidate)
{
	return np_list_add(&candidates->list, &candidates->count, candidate,
			   sizeof(*candidate));
}

/* Computes the columns of the design matrix for new candidates.  Returns 0 or -ENOMEM. */
static int compute_shares(struct candidates *candidates)
{
	const size_t points = candidates->point_count;
	double *shares = reallocarray(candidates->shares, candidates->count * points + 1,
				      sizeof(*shares));

	if (shares == NULL)
		return -ENOMEM;
	candidates->shares = shares;
	for (; candidates->sealed < candidates->count; candidates->sealed++) {
		struct np_chosen whole = candidates->list[candidates->sealed];

		whole.cost = 1;
		for (size_t point = 0; point < points; point++) {
			const struct np_capacity_point *at = point_of(candidates, point);

			shares[candidates->sealed * points + point] =
				np_chosen_part(candidates->capacity, &whole, at->axis,
					       at->buffers) /
				candidates->errors[point];
		}
	}
	return 0;
}

/* Returns true if two candidates of one unit are within a factor of near_by: one capacity.
 */
static bool are_same(const struct np_chosen *one, const struct np_chosen *other)
{
	return one->unit == other->unit && one->unit != NP_HOLDS_NONE &&
	       one->count <= near_by * other->count && other->count <= near_by * one->count;
}

/* Returns true if the miss rate of a term rises gradually: under random or set-associative
 * replacement, or if two sizes together model one capacity. */
static bool is_gradual(const struct candidates *candidates, const size_t *at, size_t count,
		       size_t place)
{
	const struct np_chosen *term = &candidates->list[at[place]];

	for (size_t i = 0; i < count; i++) {
		if (i != place && are_same(&candidates->list[at[i]], term))
			return true;
	}
	return term->unit != NP_HOLDS_NONE && term->replacement != NP_REPLACES_OLDEST;
}

/* Misses of a candidate at a point, if it holds `count` units. */
static double misses_at(const struct np_capacity_host *host, const struct np_chosen *term,
			const struct np_capacity_point *point, double count)
{
	return np_capacity_unit_misses(host, term->unit, point->axis, point->buffers,
				       term->replacement, count);
}

/* Model error of the misses of a candidate at a point, in the unit of
 * np_capacity_unit_misses(). Proportional to the misses at low miss rates p, to
 * sqrt(p(1-p)) at high ones, and 0 where all messages miss.  A gradual term adds the
 * variance of random placement in sets and, on the axes of other units, the error of its
 * size. */
static double model_error_of(const struct candidates *candidates,
			     const struct np_chosen *term, bool gradual,
			     const struct np_capacity_point *point)
{
	const struct np_capacity_host *host = &candidates->capacity->host;

	if (term->unit == NP_HOLDS_NONE)
		return 0;
	const double all =
		np_capacity_unit_uses(host, term->unit, point->axis, point->buffers);
	const double misses = misses_at(host, term, point, term->count);
	const double model =
		model_error * fmin(misses, 2 * sqrt(misses * fmax(0, all - misses)));

	if (!gradual)
		return model;
	const double size =
		point->axis == term->axis ?
			0 :
			misses_at(host, term, point, term->count / NP_SIZE_ERROR) -
				misses_at(host, term, point, term->count * NP_SIZE_ERROR);
	const double sets = np_capacity_unit_scatter(host, term->unit, point->axis,
						     point->buffers, term->count);

	return hypot(hypot(model, size / 2), sets);
}

/* Fits the intercept and the costs of a miss of the given candidates, at most
 * NP_CHOICE_MOST. */
static void fit_candidates(const struct candidates *candidates, const size_t *at,
			   size_t count, struct fit *fit)
{
	struct np_least least = { .columns = count + 1 };
	struct np_solution solution;

	*fit = (struct fit){ .squares = (double)INFINITY, .scale = 1 };
	for (size_t point = 0; point < candidates->point_count; point++) {
		const struct np_capacity_point *measured = point_of(candidates, point);
		double row[NP_LEAST_WIDTH];

		row[0] = 1 / candidates->errors[point];
		for (size_t i = 0; i < count; i++)
			row[i + 1] =
				candidates->shares[at[i] * candidates->point_count + point];
		row[count + 1] = measured->ratio * row[0];
		np_least_add(&least, row);
	}
	if (!np_least_solve(&least, count + 1, &solution))
		return;
	fit->base = solution.x[0];
	for (size_t i = 0; i < count; i++) {
		fit->costs[i] = solution.x[i + 1];
		/* Only a step may have a negative cost: beyond a capacity no message is
		 * faster. */
		if (fit->costs[i] < 0 && candidates->list[at[i]].unit != NP_HOLDS_NONE)
			return;
	}
	fit->squares = solution.squares;
	fit->scale = fmax(1, solution.squares / fmax(1, (double)solution.free));
}

/* Sets the error of each point to its noise and the model error of the given candidates,
 * then computes all shares again.  Returns 0 or -ENOMEM. */
static int add_model_errors(struct candidates *candidates, const size_t *at, size_t count)
{
	struct fit fit;

	fit_candidates(candidates, at, count, &fit);
	for (size_t k = 0; k < candidates->point_count; k++)
		candidates->errors[k] =
			noise_of(candidates->capacity, point_of(candidates, k));
	for (size_t i = 0; i < count; i++) {
		const struct np_chosen *term = &candidates->list[at[i]];
		const bool gradual = is_gradual(candidates, at, count, i);

		for (size_t k = 0; k < candidates->point_count; k++)
			candidates->errors[k] = hypot(
				candidates->errors[k],
				fit.costs[i] * model_error_of(candidates, term, gradual,
							      point_of(candidates, k)));
	}
	candidates->sealed = 0;
	return compute_shares(candidates);
}

static void free_candidates(struct candidates *candidates)
{
	free(candidates->list);
	free(candidates->points);
	free(candidates->errors);
	free(candidates->shares);
	*candidates = (struct candidates){ .count = 0 };
}

double np_chosen_part(const struct np_capacity *capacity, const struct np_chosen *term,
		      enum np_axis axis, uint64_t buffers)
{
	if (term->unit == NP_HOLDS_NONE)
		return axis == term->axis && buffers > term->buffers ? term->cost : 0;
	return term->cost * np_capacity_unit_misses(&capacity->host, term->unit, axis,
						    buffers, term->replacement,
						    term->count);
}

double np_choice_ratio(const struct np_capacity *capacity, const struct np_choice *choice,
		       enum np_axis axis, uint64_t buffers)
{
	double ratio = choice->base;

	for (size_t i = 0; i < choice->count; i++)
		ratio += np_chosen_part(capacity, &choice->list[i], axis, buffers);
	return ratio;
}

/* Candidate sizes form a geometric grid of PARTS per spacing, refined to FINER per part;
 * ROUNDS limits the coordinate descent of seek_all(). */
enum { PARTS = 4, FINER = 5, ROUNDS = 4 };

/* Most likelihood ratio at which another unit fits nearly as well: 99.7 % of a chi-square.
 */
static const double as_well = 9;

/* Returns true if the interval of a knee, widened by one spacing, contains `count` units.
 */
static bool is_within(const struct np_capacity *capacity, const struct np_knee *knee,
		      enum np_capacity_unit unit, double count)
{
	const double low =
		np_capacity_unit_touched(&capacity->host, unit, knee->axis, knee->low);
	const double high =
		np_capacity_unit_touched(&capacity->host, unit, knee->axis, knee->high);

	return high > low && count * NP_SWEEP_SPACING >= low &&
	       count <= high * NP_SWEEP_SPACING;
}

/* Returns true if any knee contains `count` units.  Neither a speed-up nor a knee between
 * one buffer and two indicates a capacity. */
static bool is_at_a_knee(const struct np_capacity *capacity, enum np_capacity_unit unit,
			 double count)
{
	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *knee = &capacity->knees[i];

		if (knee->effect > 1 && knee->next > 2 &&
		    is_within(capacity, knee, unit, count))
			return true;
	}
	return false;
}

static enum np_axis axis_apart(const struct np_capacity *capacity,
			       enum np_capacity_unit unit)
{
	if (unit == NP_HOLDS_LINES || unit == NP_HOLDS_SET_LINES)
		return NP_AXIS_LINES;
	if (unit == NP_HOLDS_REGISTRATIONS)
		return NP_AXIS_REGISTRATIONS;
	if (unit == NP_HOLDS_QUEUE_PAIRS)
		return NP_AXIS_QUEUE_PAIRS;
	return unit == NP_HOLDS_PAGES && capacity->host.page > NP_SMALL_PAGE ?
		       NP_AXIS_LARGE_PAGES :
		       NP_AXIS_PAGES;
}

/* Returns the axis on which no two buffers share a unit. */
static enum np_axis axis_of(const struct np_capacity *capacity, enum np_capacity_unit unit)
{
	enum np_axis axis = axis_apart(capacity, unit);

	/* An axis may not be swept because buffers of whole pages share no page on any
	 * axis, or because the run was cut short. */
	if (capacity->axes[axis].counts == 0) {
		axis = NP_AXIS_LINES;
		while (axis + 1 < NP_AXES && capacity->axes[axis].counts == 0)
			axis++;
	}
	return axis;
}

/* Adds candidates of one unit: grid sizes at a knee, under each replacement policy. */
static int add_sizes(const struct np_capacity *capacity, enum np_capacity_unit unit,
		     struct candidates *candidates)
{
	const double factor = pow(NP_SWEEP_SPACING, 1.0 / PARTS);
	double most = 1;

	for (size_t i = 0; i < capacity->point_count; i++)
		most = fmax(most, np_capacity_unit_touched(&capacity->host, unit,
							   capacity->points[i].axis,
							   capacity->points[i].buffers));
	const unsigned sizes = (unsigned)ceil(log(most) / log(factor));

	for (unsigned i = 0; i < sizes; i++) {
		const double count = pow(factor, i);

		if (!is_at_a_knee(capacity, unit, count))
			continue;
		for (enum np_replacement by = 0; by < NP_REPLACEMENTS; by++) {
			const int rc = add_candidate(
				candidates,
				&(struct np_chosen){ .unit = unit,
						     .axis = axis_of(capacity, unit),
						     .count = count,
						     .replacement = by });
			if (rc != 0)
				return rc;
		}
	}
	return 0;
}

/* Adds the reported cache sizes, with set indices from the address: buffers at one offset
 * of their pages share few sets, which only matters at the size of a cache. */
static int add_caches(const struct np_capacity *capacity, struct candidates *candidates)
{
	const double line = np_capacity_unit_bytes(&capacity->host, NP_HOLDS_SET_LINES);
	int rc = 0;

	for (size_t i = 0; i < 3 && rc == 0; i++) {
		const double count = (double)capacity->host.caches[i] / line;

		if (count >= 1 && is_at_a_knee(capacity, NP_HOLDS_SET_LINES, count))
			rc = add_candidate(
				candidates,
				&(struct np_chosen){ .unit = NP_HOLDS_SET_LINES,
						     .axis = NP_AXIS_LINES,
						     .count = count,
						     .replacement = NP_REPLACES_IN_SETS });
	}
	return rc;
}

static int add_all(const struct np_capacity *capacity, struct candidates *candidates)
{
	int rc = add_sizes(capacity, NP_HOLDS_LINES, candidates);

	if (rc == 0)
		rc = add_caches(capacity, candidates);
	if (rc == 0)
		rc = add_sizes(capacity, NP_HOLDS_PAGES, candidates);
	if (rc == 0 && capacity->host.page > NP_SMALL_PAGE)
		rc = add_sizes(capacity, NP_HOLDS_SMALL_PAGES, candidates);
	if (rc == 0 && capacity->axes[NP_AXIS_REGISTRATIONS].counts != 0)
		rc = add_sizes(capacity, NP_HOLDS_REGISTRATIONS, candidates);
	if (rc == 0 && capacity->axes[NP_AXIS_QUEUE_PAIRS].counts != 0)
		rc = add_sizes(capacity, NP_HOLDS_QUEUE_PAIRS, candidates);
	for (size_t i = 0; i < capacity->knee_count && rc == 0; i++)
		rc = add_candidate(
			candidates,
			&(struct np_chosen){ .unit = NP_HOLDS_NONE,
					     .axis = capacity->knees[i].axis,
					     .buffers = capacity->knees[i].buffers });
	return rc;
}

static double price_of(const struct candidates *candidates, size_t at)
{
	return candidates->list[at].unit == NP_HOLDS_NONE ? NP_CHOICE_STEP_PRICE : 0;
}

/* Indices of the selected candidates; error: sum of squared residuals plus the surcharges
 * of steps. */
struct selection {
	size_t at[NP_CHOICE_MOST];
	size_t count;
	double error;
};

static double misfit_of(const struct candidates *candidates,
			const struct selection *selection)
{
	struct fit fit;
	double price = 0;

	for (size_t i = 0; i < selection->count; i++)
		price += price_of(candidates, selection->at[i]);
	fit_candidates(candidates, selection->at, selection->count, &fit);
	return fit.squares + price * fit.scale;
}

/* Replaces one term of a selection by the candidate of least error.  Returns true if that
 * lowers the error. */
static bool seek_place(const struct candidates *candidates, struct selection *selection,
		       size_t place)
{
	struct selection tried = *selection;
	bool found = false;

	for (size_t i = 0; i < candidates->count; i++) {
		tried.at[place] = i;
		tried.error = misfit_of(candidates, &tried);
		if (tried.error < selection->error - 1e-6) {
			*selection = tried;
			found = true;
		}
	}
	return found;
}

/* Coordinate descent: replaces each term in turn until no replacement lowers the error. */
static void seek_all(const struct candidates *candidates, struct selection *selection)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		bool found = false;

		for (size_t place = 0; place < selection->count; place++)
			found |= seek_place(candidates, selection, place);
		if (!found)
			return;
	}
}

/* Adds finer sizes around the selected ones: residuals of an inexact size would look like a
 * further capacity. */
static int refine(struct candidates *candidates, struct selection *selection)
{
	for (size_t place = 0; place < selection->count; place++) {
		const struct np_chosen near = candidates->list[selection->at[place]];

		for (int part = -FINER; part <= FINER && near.unit != NP_HOLDS_NONE;
		     part++) {
			struct np_chosen candidate = near;

			candidate.count *=
				pow(NP_SWEEP_SPACING, (double)part / (PARTS * FINER));
			const int rc =
				part == 0 ? 0 : add_candidate(candidates, &candidate);
			if (rc != 0)
				return rc;
		}
	}
	const int rc = compute_shares(candidates);
	if (rc == 0)
		seek_all(candidates, selection);
	return rc;
}

static double scale_of(const struct candidates *candidates,
		       const struct selection *selection)
{
	struct fit fit;

	fit_candidates(candidates, selection->at, selection->count, &fit);
	return fit.scale;
}

/* Returns true if the additional term of `with` lowers the error by its price. */
static bool is_worth(const struct candidates *candidates, const struct selection *without,
		     const struct selection *with)
{
	return without->error - with->error >= NP_CHOICE_PRICE * scale_of(candidates, with);
}

/* Forward selection: adds the best term and refits all, as long as that is worth its price.
 */
static int choose_forward(struct candidates *candidates, struct selection *selection)
{
	while (selection->count < NP_CHOICE_MOST) {
		struct selection more = *selection;
		int rc;

		more.at[more.count++] = 0;
		more.error = (double)INFINITY;
		if (!seek_place(candidates, &more, selection->count))
			break;
		seek_all(candidates, &more);
		rc = refine(candidates, &more);
		if (rc != 0)
			return rc;
		if (!is_worth(candidates, selection, &more))
			break;
		*selection = more;
	}
	return 0;
}

static struct selection without(const struct candidates *candidates,
				const struct selection *selection, size_t place)
{
	struct selection fewer = *selection;

	fewer.count--;
	memmove(fewer.at + place, fewer.at + place + 1,
		(fewer.count - place) * sizeof(*fewer.at));
	fewer.error = misfit_of(candidates, &fewer);
	return fewer;
}

/* Backward elimination: drops a term if the rest, refitted, explains it. */
static void choose_backward(const struct candidates *candidates,
			    struct selection *selection)
{
	for (size_t i = 0; i < selection->count;) {
		struct selection fewer = without(candidates, selection, i);

		seek_all(candidates, &fewer);
		if (is_worth(candidates, &fewer, selection)) {
			i++;
			continue;
		}
		*selection = fewer;
		i = 0;
	}
}

/* Sets the size of a term to the geometric mean of the candidate sizes of its unit,
 * weighted by likelihood over all replacement policies; its interval to the sizes that the
 * likelihood ratio does not reject; and the units that fit nearly as well. */
static void seek_size(const struct candidates *candidates,
		      const struct selection *selection, size_t place, double scale,
		      struct np_chosen *term)
{
	struct selection tried = *selection;
	double all = 0, sum = 0;

	term->low = term->high = term->count;
	for (size_t i = 0; i < candidates->count; i++) {
		const struct np_chosen *other = &candidates->list[i];

		tried.at[place] = i;
		const double worse =
			(misfit_of(candidates, &tried) - selection->error) / scale;
		if (worse <= as_well && other->unit != NP_HOLDS_NONE)
			term->others |= 1u << other->unit;
		if (other->unit != term->unit || term->unit == NP_HOLDS_NONE)
			continue;
		all += exp(-worse / 2);
		sum += exp(-worse / 2) * log(other->count);
		if (worse <= NP_KNEE_REJECTED) {
			term->low = fmin(term->low, other->count);
			term->high = fmax(term->high, other->count);
		}
	}
	if (all > 0)
		term->count = exp(sum / all);
}

/* Increase of the error if a term is dropped, in residual variances. */
static double worth_of(const struct candidates *candidates,
		       const struct selection *selection, size_t place, double scale)
{
	return (without(candidates, selection, place).error - selection->error) / scale;
}

static void write_choice(const struct candidates *candidates,
			 const struct selection *selection, struct np_choice *choice)
{
	struct fit fit;

	fit_candidates(candidates, selection->at, selection->count, &fit);
	choice->count = selection->count;
	choice->base = fit.base;
	for (size_t i = 0; i < selection->count; i++) {
		choice->list[i] = candidates->list[selection->at[i]];
		choice->list[i].cost = fit.costs[i];
		choice->list[i].worth = worth_of(candidates, selection, i, fit.scale);
		seek_size(candidates, selection, i, fit.scale, &choice->list[i]);
	}
}

/* Merges the second term into the first: geometric mean of the sizes, weighted by squared
 * costs. */
static void merge_two(struct np_chosen *one, const struct np_chosen *other)
{
	const double weight = one->cost * one->cost, more = other->cost * other->cost;

	one->count = exp((weight * log(one->count) + more * log(other->count)) /
			 (weight + more));
	one->low = fmin(one->low, one->count);
	one->high = fmax(one->high, one->count);
	one->replacement = NP_REPLACES_IN_SETS;
	one->cost += other->cost;
	one->worth = fmax(one->worth, other->worth);
	one->others |= other->others;
}

static int by_cost(const void *a, const void *b)
{
	const struct np_chosen *left = a, *right = b;

	return (left->cost < right->cost) - (left->cost > right->cost);
}

/* Merges neighbouring terms of one unit: they are one capacity with a replacement policy
 * that capacity_model.h does not have. */
static void merge(struct np_choice *choice)
{
	struct np_chosen *list = choice->list;

	qsort(list, choice->count, sizeof(*list), by_cost);
	for (size_t i = 0; i < choice->count; i++) {
		for (size_t other = i + 1; other < choice->count;) {
			if (!are_same(&list[i], &list[other])) {
				other++;
				continue;
			}
			merge_two(&list[i], &list[other]);
			choice->count--;
			memmove(list + other, list + other + 1,
				(choice->count - other) * sizeof(*list));
		}
	}
}

int np_capacity_choose(const struct np_capacity *capacity, struct np_choice *choice)
{
	struct selection selection = { .count = 0 };
	struct candidates candidates;

	*choice = (struct np_choice){ .base = 1 };
	if (capacity->knee_count == 0)
		return 0;
	int rc = make_candidates(capacity, &candidates);
	if (rc == 0)
		rc = add_all(capacity, &candidates);
	if (rc == 0)
		rc = compute_shares(&candidates);
	if (rc == 0 && candidates.count != 0) {
		selection.error = misfit_of(&candidates, &selection);
		rc = choose_forward(&candidates, &selection);
		if (rc == 0)
			rc = add_model_errors(&candidates, selection.at, selection.count);
		if (rc == 0) {
			selection.error = misfit_of(&candidates, &selection);
			rc = choose_forward(&candidates, &selection);
		}
		if (rc == 0) {
			choose_backward(&candidates, &selection);
			write_choice(&candidates, &selection, choice);
			merge(choice);
		}
	}
	free_candidates(&candidates);
	return rc;
}
