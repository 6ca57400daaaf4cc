/*
 * capacity_picture.c - makes the model of a capacity picture.
 */
#include "report/pictures/capacity_picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/pictures/picture.h"
#include "report/text/text.h"

static void widen(double *low, double *high, double from, double to)
{
	*low = *low > 0 ? fmin(*low, from) : from;
	*high = fmax(*high, to);
}

void np_sweep_time_range(const struct np_capacity_point *point, double *low, double *high)
{
	const bool known = point->low_s > 0;

	*low = (known ? point->low_s : point->seconds) * 1e6;
	*high = (known ? point->high_s : point->seconds) * 1e6;
}

void np_sweep_ratio_range(const struct np_capacity_point *point, double *low, double *high)
{
	const bool known = point->ratio_low > 0;

	*low = known ? point->ratio_low : point->ratio;
	*high = known ? point->ratio_high : point->ratio;
}

static void take_ranges(struct np_sweep_picture *picture,
			const struct np_capacity_point *point)
{
	double low, high;

	if (!(point->seconds > 0))
		return;
	widen(&picture->buffers_low, &picture->buffers_high, (double)point->buffers,
	      (double)point->buffers);
	np_sweep_time_range(point, &low, &high);
	widen(&picture->time_low, &picture->time_high, low, high);
	np_sweep_ratio_range(point, &low, &high);
	widen(&picture->ratio_low, &picture->ratio_high, low, high);
}

static void take_curves(struct np_sweep_picture *picture, const struct np_run *runs,
			size_t count, size_t at)
{
	const struct np_capacity *capacity = &runs[at].capacity;

	for (size_t first = 0, end; first < capacity->point_count; first = end) {
		const enum np_axis axis = capacity->points[first].axis;
		struct np_sweep_curve *curve = &picture->curves[picture->count++];
		char inner[64];

		for (end = first;
		     end < capacity->point_count && capacity->points[end].axis == axis;
		     end++)
			take_ranges(picture, &capacity->points[end]);
		snprintf(inner, sizeof(inner), "%s", np_axis_name(axis));
		for (char *low_line = strchr(inner, '_'); low_line != NULL;
		     low_line = strchr(inner, '_'))
			*low_line = ' ';
		np_picture_label(runs, count, at, inner, curve->label,
				 sizeof(curve->label));
		curve->points = &capacity->points[first];
		curve->count = end - first;
	}
}

/* Merges knees of several axes with one label and overlapping intervals. */
static void take_knee(struct np_sweep_picture *picture, const struct np_knee *knee)
{
	const double low = (double)knee->low, high = (double)knee->high;

	for (size_t i = 0; i < picture->knee_count; i++) {
		struct np_sweep_knee *other = &picture->knees[i];

		if (strcmp(other->label, knee->label) != 0 || other->low > high ||
		    low > other->high)
			continue;
		other->low = fmin(other->low, low);
		other->high = fmax(other->high, high);
		return;
	}
	struct np_sweep_knee *mark = &picture->knees[picture->knee_count++];
	*mark = (struct np_sweep_knee){ .low = low, .high = high };
	snprintf(mark->label, sizeof(mark->label), "%s", knee->label);
}

static void take_size(struct np_sweep_picture *picture, const struct np_expected *expected)
{
	struct np_sweep_size size = { .buffers = (double)expected->from };
	char text[40];

	if (expected->is_translation)
		snprintf(text, sizeof(text), "%zu pages", expected->size);
	else
		np_text_length((double)expected->size, text, sizeof(text));
	snprintf(size.label, sizeof(size.label), "%s, %s", expected->name, text);
	for (size_t i = 0; i < picture->size_count; i++) {
		if (strcmp(picture->sizes[i].label, size.label) == 0)
			return;
	}
	picture->sizes[picture->size_count++] = size;
}

/* Adds knees, and the expected sizes within the axis. */
static void take_marks(struct np_sweep_picture *picture, const struct np_capacity *capacity)
{
	for (size_t i = 0; i < capacity->knee_count; i++) {
		if (!capacity->knees[i].repeats)
			take_knee(picture, &capacity->knees[i]);
	}
	for (size_t i = 0; i < capacity->expected_count; i++) {
		const struct np_expected *expected = &capacity->expected[i];

		if ((double)expected->from >= picture->buffers_low &&
		    (double)expected->from <= picture->buffers_high)
			take_size(picture, expected);
	}
}

/* Title of the axis, with the message size if all runs have the same. */
static void name_axis(struct np_sweep_picture *picture, const struct np_run *runs,
		      size_t count)
{
	size_t length = 0;
	bool same = true;
	char text[40];

	for (size_t i = 0; i < count; i++) {
		if (runs[i].capacity.point_count == 0)
			continue;
		same = same && (length == 0 || runs[i].capacity.host.length == length);
		length = runs[i].capacity.host.length;
	}
	np_text_length((double)length, text, sizeof(text));
	snprintf(picture->x_title, sizeof(picture->x_title), "buffers%s%s in turn",
		 same ? " of " : "", same ? text : "");
}

/* Extends a logarithmic range by shares below and above. */
static void make_room(double low, double high, double below, double above, double *from,
		      double *to)
{
	const double span = fmax(0.1, log(high / low)) / (1 - below - above);

	*from = low * exp(-below * span);
	*to = high * exp(above * span);
}

int np_sweep_picture_make(struct np_sweep_picture *picture, const struct np_run *runs,
			  size_t count)
{
	size_t knees = 0;

	*picture = (struct np_sweep_picture){ .count = 0 };
	for (size_t i = 0; i < count; i++)
		knees += runs[i].capacity.knee_count;
	picture->curves = calloc(count * NP_AXES + 1, sizeof(*picture->curves));
	picture->knees = calloc(knees + 1, sizeof(*picture->knees));
	picture->sizes = calloc(count * NP_EXPECTED_MAX + 1, sizeof(*picture->sizes));
	if (picture->curves == NULL || picture->knees == NULL || picture->sizes == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		take_curves(picture, runs, count, i);
	make_room(picture->time_low, picture->time_high, 0.34, 0.15, &picture->time_from,
		  &picture->time_to);
	make_room(fmin(1, picture->ratio_low), fmax(1, picture->ratio_high), 0.08, 0.08,
		  &picture->ratio_from, &picture->ratio_to);
	for (size_t i = 0; i < count; i++)
		take_marks(picture, &runs[i].capacity);
	name_axis(picture, runs, count);
	return 0;
}

void np_sweep_picture_free(struct np_sweep_picture *picture)
{
	free(picture->curves);
	free(picture->knees);
	free(picture->sizes);
	*picture = (struct np_sweep_picture){ .count = 0 };
}
