/*
 * shape_window.c - the equations of one side, added up outwards.
 */
#include "curve/shape_window.h"

#include <math.h>
#include <stdint.h>

/* Octaves from the nearest to the farthest point of a side, if it has points enough: within
 * it a smooth curve is a line and a bend. */
static const double reach_octaves = 1.2;

static const size_t reaches[NP_REACHES] = { 3, 4, 6, 9, 15, NP_PLACE_REACH };

/* Returns true if a point is too far from the nearest point of a side. */
static bool too_far(const struct np_shape_work *work, const struct np_side *side,
		    size_t point)
{
	return side->count >= NP_SIDE_LEAST &&
	       fabs(work->octaves[point] - work->octaves[side->points[0]]) > reach_octaves;
}

static void list_before(const struct np_shape_work *work, size_t point,
			struct np_side *side)
{
	for (size_t i = point; i-- > 0 && side->count < NP_PLACE_REACH;) {
		if (!work->dropped[i]) {
			if (too_far(work, side, i))
				return;
			side->points[side->count++] = i;
		}
		if (work->broken[i])
			return;
	}
}

static void list_from(const struct np_shape_work *work, size_t point, struct np_side *side)
{
	for (size_t i = point; i < work->count && side->count < NP_PLACE_REACH; i++) {
		if (i > point && work->broken[i])
			return;
		if (work->dropped[i])
			continue;
		if (too_far(work, side, i))
			return;
		side->points[side->count++] = i;
	}
}

double np_bend(double bytes, double middle)
{
	const double away = bytes - middle;

	return (bytes > 0.0 ? bytes * log1p(away / middle) : 0.0) - away;
}

void np_line_add(const struct np_shape_work *work, size_t point, double middle,
		 struct np_least *line)
{
	const double bytes = (double)work->points[point].bytes;
	const double weight = 1.0 / (work->points[point].seconds * work->error[point]);
	double row[] = { weight, weight * (bytes - middle), weight * np_bend(bytes, middle),
			 1.0 / work->error[point] };

	np_least_add(line, row);
}

void np_lines_join(const struct np_least *left, const struct np_least *right,
		   struct np_least *both)
{
	const struct np_least *const sides[] = { left, right };

	/* Both sides share the bend. */
	*both = (struct np_least){ .columns = 2 * NP_LINE_COLUMNS - 1 };
	for (size_t side = 0; side < 2; side++) {
		for (size_t k = 0; k < NP_LINE_COLUMNS; k++) {
			const double *from = sides[side]->r[k];
			double row[NP_LEAST_WIDTH] = { 0.0 };

			row[2 * side] = from[0];
			row[2 * side + 1] = from[1];
			row[4] = from[2];
			row[5] = from[3];
			np_least_add(both, row);
		}
	}
	both->squares += left->squares + right->squares;
	both->rows = left->rows + right->rows;
}

double np_sides_middle(const struct np_side *left, const struct np_side *right)
{
	return right != NULL ? right->middle : left->middle;
}

void np_sides_line(const struct np_side *left, const struct np_side *right, size_t reach,
		   struct np_least *line)
{
	if (right == NULL) {
		*line = left->lines[reach];
		return;
	}
	*line = right->lines[reach];
	if (left == NULL)
		return;
	/* Convert the columns of the left side to those of the right. */
	const struct np_least *other = &left->lines[reach];
	const double away = right->middle - left->middle;
	const double turn = -log1p(away / left->middle);
	const double start = np_bend(left->middle, right->middle);

	for (size_t k = 0; k < NP_LINE_COLUMNS; k++) {
		const double *from = other->r[k];
		double row[] = { from[0], from[1] - away * from[0],
				 from[2] + turn * from[1] + start * from[0], from[3] };

		np_least_add(line, row);
	}
	line->squares += other->squares;
	line->rows = right->lines[reach].rows + other->rows;
}

static void add_up(const struct np_shape_work *work, struct np_side *side)
{
	struct np_least line = { .columns = NP_LINE_COLUMNS };
	size_t added = 0;

	if (side->count != 0)
		side->middle = fmax(1.0, (double)work->points[side->points[0]].bytes);
	for (size_t i = 0; i < NP_REACHES; i++) {
		for (; added < side->count && added < reaches[i]; added++)
			np_line_add(work, side->points[added], side->middle, &line);
		side->lines[i] = line;
	}
}

/* Returns the cached side at a place; lists its points if not cached. */
static const struct np_side *
side_at(const struct np_shape_work *work, size_t place, struct np_side *kept,
	void list(const struct np_shape_work *, size_t, struct np_side *))
{
	struct np_side *side = &kept[place % NP_SIDES_KEPT];

	if (side->place != place) {
		side->place = place;
		side->count = 0;
		list(work, place, side);
		add_up(work, side);
	}
	return side;
}

const struct np_side *np_side_before(const struct np_shape_work *work, size_t point)
{
	return side_at(work, point, work->sides, list_before);
}

const struct np_side *np_side_from(const struct np_shape_work *work, size_t point)
{
	return side_at(work, point, work->sides + NP_SIDES_KEPT, list_from);
}

void np_sides_forget(const struct np_shape_work *work)
{
	for (size_t i = 0; i < (size_t)2 * NP_SIDES_KEPT; i++)
		work->sides[i].place = SIZE_MAX;
}
