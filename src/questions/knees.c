/* knees.c - finds plateaus by dynamic programming, tests and places the transitions. */
#include "questions/knees.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "questions/knees_place.h"
#include "questions/knees_test.h"
#include "stats/stats.h"

/* Prefix sums of figures and of their squares give the error of any plateau in O(1). */
static void take_row(struct np_row_of_figures *row, const double *figures, size_t count,
		     double noise)
{
	const double middle = np_median(figures, count);

	row->count = count;
	row->sums[0] = row->squares[0] = 0;
	for (size_t i = 0; i < count; i++) {
		/* Centred, to avoid cancellation in squares. */
		const double figure = (figures[i] - middle) / noise;

		row->figures[i] = figure;
		row->sums[i + 1] = row->sums[i] + figure;
		row->squares[i + 1] = row->squares[i] + figure * figure;
	}
}

static double row_error(const struct np_row_of_figures *row, size_t first, size_t last)
{
	const double sum = row->sums[last + 1] - row->sums[first];
	const double square = row->squares[last + 1] - row->squares[first];

	return fmax(0, square - sum * sum / (double)(last + 1 - first));
}

/* Best partition that ends at a position: least error, begin of its last plateau, end of
 * the plateau before. */
struct best {
	double error;
	size_t first, before;
};

/* Returns true if a plateau is long enough, or lies at an end of the sweep, where it may
 * continue. */
static bool may_be(const struct np_row_of_figures *row, size_t first, size_t last)
{
	return last + 1 - first >= NP_KNEE_PLATEAU || first == 0 || last + 1 == row->count;
}

/* Fills best for each position.  open[i]: least error before a plateau that begins at i;
 * opened[i]: end of the plateau before it. */
static void optimize(const struct np_row_of_figures *row, struct best *best)
{
	double open[NP_KNEE_POSITIONS_MAX];
	size_t opened[NP_KNEE_POSITIONS_MAX];

	for (size_t last = 0; last < row->count; last++) {
		best[last] = (struct best){ .error = row_error(row, 0, last) };
		best[last].before = SIZE_MAX;
		for (size_t first = 1; first <= last; first++) {
			const double error =
				open[first] + NP_KNEE_PENALTY + row_error(row, first, last);

			if (may_be(row, first, last) && error < best[last].error)
				best[last] = (struct best){ error, first, opened[first] };
		}
		if (last + 1 == row->count)
			break;
		open[last + 1] = best[last].error;
		opened[last + 1] = last;
		if (last > 0 && open[last] + NP_KNEE_BETWEEN < open[last + 1]) {
			open[last + 1] = open[last] + NP_KNEE_BETWEEN;
			opened[last + 1] = opened[last];
		}
	}
}

/* Lists the transitions of the best partition, ascending, and returns their number. */
static size_t trace(const struct np_row_of_figures *row, const struct best *best,
		    struct np_transition *list)
{
	size_t count = 0, end = row->count - 1;

	for (size_t at = end; best[at].before != SIZE_MAX; at = best[at].before) {
		list[count++] =
			(struct np_transition){ .last = best[at].before,
						.next = best[at].first,
						.end = at,
						.first = best[best[at].before].first };
	}
	for (size_t i = 0; i < count / 2; i++) {
		const struct np_transition other = list[i];

		list[i] = list[count - 1 - i];
		list[count - 1 - i] = other;
	}
	return count;
}

/* Removes a transition: its plateaus and the positions between them become one plateau. */
static void take_out(struct np_transitions *transitions, size_t at)
{
	struct np_transition *list = transitions->list;

	if (at > 0)
		list[at - 1].end = list[at].end;
	if (at + 1 < transitions->count)
		list[at + 1].first = list[at].first;
	transitions->count--;
	memmove(list + at, list + at + 1, (transitions->count - at) * sizeof(*list));
}

/* Least squared step, in squared units of noise.  Permutations within units do not keep an
 * effect that every unit repeats, so its steps always pass the permutation test. Then the
 * price alone rejects false ones, with a noise known from few differences. */
static double price_of(const struct np_knee_values *values, const double *figures)
{
	return np_knee_is_repeated(values, figures) ? NP_KNEE_REPEATED : NP_KNEE_STANDS_OUT;
}

/* Removes transitions that fail a test, the weakest first.  Tests all again after each
 * removal, since the neighbouring plateaus are longer then. */
static void keep_sure(const struct np_knee_values *values, const double *figures,
		      double alpha, double price, struct np_transitions *transitions)
{
	for (;;) {
		size_t weakest = 0;

		for (size_t i = 0; i < transitions->count; i++) {
			struct np_transition *it = &transitions->list[i];

			it->p = np_transition_stands_out(values, figures, it,
							 transitions->noise, price) ?
					np_transition_p(values, it, alpha) :
					1;
			if (it->p > transitions->list[weakest].p)
				weakest = i;
		}
		if (transitions->count == 0 || !(transitions->list[weakest].p > alpha))
			return;
		take_out(transitions, weakest);
	}
}

static void find_levels(const double *figures, struct np_transitions *transitions)
{
	for (size_t i = 0; i < transitions->count; i++) {
		struct np_transition *it = &transitions->list[i];

		it->before = np_mean(figures + it->first, it->last + 1 - it->first);
		it->behind = np_mean(figures + it->next, it->end + 1 - it->next);
	}
}

/* Smallest detectable step between a plateau of four positions and one of all others. */
static double resolution_of(double noise, double price, size_t positions)
{
	const double beyond = positions > 8 ? 4 : (double)positions / 2;
	const double before = (double)positions - beyond;

	return positions < 2 ? (double)NAN :
			       noise * sqrt(price * (1 / beyond + 1 / before));
}

static int find(const struct np_knee_values *values, double alpha, double floor,
		struct np_transitions *transitions)
{
	struct best best[NP_KNEE_POSITIONS_MAX] = { { .error = 0 } };
	double figures[NP_KNEE_POSITIONS_MAX];
	struct np_row_of_figures row;

	np_knee_figures(values, figures);
	transitions->noise =
		fmax(floor, np_knee_noise(values, figures, 0, values->positions - 1));
	const double price = price_of(values, figures);
	transitions->resolution =
		resolution_of(transitions->noise, price, values->positions);
	take_row(&row, figures, values->positions, transitions->noise);
	optimize(&row, best);
	transitions->list = calloc(values->positions, sizeof(*transitions->list));
	if (transitions->list == NULL)
		return -ENOMEM;
	transitions->count = trace(&row, best, transitions->list);
	keep_sure(values, figures, alpha, price, transitions);
	find_levels(figures, transitions);
	for (size_t i = 0; i < transitions->count; i++)
		np_transition_place(&row, values->where, &transitions->list[i]);
	return 0;
}

int np_transitions_find(const double *values, const double *where, size_t units,
			size_t positions, double alpha, double floor, uint64_t seed,
			struct np_transitions *transitions)
{
	struct np_random random = { seed };

	*transitions = (struct np_transitions){ .noise = floor };
	if (positions > NP_KNEE_POSITIONS_MAX)
		return -EINVAL;
	if (units == 0 || positions == 0)
		return 0;
	double *scratch = malloc((2 * units * positions + units) * sizeof(*scratch));
	if (scratch == NULL)
		return -ENOMEM;
	double *tamed = scratch + units * positions + units;
	np_knee_tame(values, units, positions, tamed);
	const struct np_knee_values all = { .values = tamed,
					    .where = where,
					    .units = units,
					    .positions = positions,
					    .scratch = scratch,
					    .random = &random };
	const int rc = find(&all, alpha, floor, transitions);

	free(scratch);
	return rc;
}

void np_transitions_free(struct np_transitions *transitions)
{
	free(transitions->list);
	*transitions = (struct np_transitions){ .count = 0 };
}
