/*
 * shape_window.c - neighbours of a place, and their lines by least squares.
 */
#include "curve/shape_window.h"

#include <math.h>

/* How far a side may reach where there are points enough: near enough for a
 * smooth curve to be a line and a bend. */
static const double reach_octaves = 1.2;

size_t np_window_left(const struct np_shape_work *work, size_t before, size_t reach,
		      size_t *list)
{
	size_t found = 0;
	size_t nearest[NP_PLACE_REACH];

	for (size_t i = before; i-- > 0 && found < reach;) {
		if (work->dropped[i]) {
			if (work->broken[i])
				break;
			continue;
		}
		if (found >= NP_SIDE_LEAST &&
		    np_point_octave(&work->points[nearest[0]]) -
				    np_point_octave(&work->points[i]) >
			    reach_octaves)
			break;
		nearest[found++] = i;
		if (work->broken[i])
			break;
	}
	for (size_t i = 0; i < found; i++)
		list[i] = nearest[found - 1 - i];
	return found;
}

size_t np_window_right(const struct np_shape_work *work, size_t from, size_t reach,
		       size_t *list)
{
	size_t found = 0;

	for (size_t i = from; i < work->count && found < reach; i++) {
		if (i > from && work->broken[i])
			break;
		if (work->dropped[i])
			continue;
		if (found >= NP_SIDE_LEAST &&
		    np_point_octave(&work->points[i]) -
				    np_point_octave(&work->points[list[0]]) >
			    reach_octaves)
			break;
		list[found++] = i;
	}
	return found;
}

void np_window_center(const struct np_shape_work *work, struct np_window *window,
		      size_t middle)
{
	const double first = (double)work->points[window->list[0]].bytes;
	const double last = (double)work->points[window->list[window->count - 1]].bytes;

	window->middle = (double)work->points[middle].bytes;
	window->scale = fmax(1.0, fmax(window->middle - first, last - window->middle));
}

double np_window_bend(double bytes, double middle)
{
	const double curve =
		bytes > 0.0 && middle > 0.0 ? bytes * log(bytes / middle) : 0.0;

	return curve - (bytes - middle);
}

bool np_window_solve(const struct np_shape_work *work, const struct np_window *window,
		     bool one_line, struct np_least *least)
{
	double rows[2 * NP_PLACE_REACH * (NP_LEAST_COLUMNS + 1)];
	const size_t lines = one_line ? 2 : 4;
	const size_t columns = lines + (window->bend ? 1 : 0);

	for (size_t i = 0; i < window->count; i++) {
		const struct np_point *point = &work->points[window->list[i]];
		const double error = point->seconds * work->error[window->list[i]];
		const double bytes = (double)point->bytes;
		const size_t side = !one_line && i >= window->left ? 2 : 0;
		double *row = rows + i * (columns + 1);

		for (size_t k = 0; k < columns; k++)
			row[k] = 0.0;
		row[side] = 1.0 / error;
		row[side + 1] = (bytes - window->middle) / window->scale / error;
		if (window->bend)
			row[lines] = np_window_bend(bytes, window->middle) / window->scale /
				     error;
		row[columns] = point->seconds / error;
	}
	return np_least_solve(rows, window->count, columns, least);
}
