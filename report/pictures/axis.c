/*
 * axis.c - positions of values, and ticks.
 */
#include "report/pictures/axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Least and intended numbers of ticks. */
enum { TICKS_LEAST = 3, TICKS_AIM = 4 };

void np_axis_include(struct np_chart_axis *axis, double value)
{
	if (!isfinite(value) || (axis->scale != NP_SCALE_LINEAR && !(value > 0)))
		return;
	const bool begun = axis->low <= axis->high;

	axis->low = begun ? fmin(axis->low, value) : value;
	axis->high = begun ? fmax(axis->high, value) : value;
}

void np_axis_margin(struct np_chart_axis *axis, double below, double above)
{
	if (axis->low > axis->high)
		axis->low = axis->high = 1;
	axis->first = axis->low;
	if (axis->scale == NP_SCALE_LINEAR) {
		const double least = fmax(1e-12, 0.01 * fabs(axis->high)),
			     span = fmax(axis->high - axis->low, least);

		axis->low = fmax(axis->low - below * span, -DBL_MAX / 4);
		axis->high = fmin(axis->high + above * span, DBL_MAX / 4);
	} else {
		const double span = fmax(log(axis->high) - log(axis->low), 0.02);

		axis->low = fmax(axis->low * exp(-below * span), DBL_MIN);
		axis->high = fmin(axis->high * exp(above * span), DBL_MAX);
	}
}

double np_axis_share(const struct np_chart_axis *axis, double value)
{
	return axis->scale == NP_SCALE_LINEAR ?
		       (value - axis->low) / (axis->high - axis->low) :
		       (log(value) - log(axis->low)) / (log(axis->high) - log(axis->low));
}

static size_t add(struct np_tick *ticks, size_t count, double at, const char *text)
{
	ticks[count].at = at;
	snprintf(ticks[count].text, sizeof(ticks[count].text), "%s", text);
	return count + 1;
}

/* Multiples of 1, 2 or 5 times a power of ten; all with the digits that the step needs. */
static size_t linear_ticks(const struct np_chart_axis *axis, struct np_tick *ticks)
{
	const double most = axis->high / TICKS_AIM - axis->low / TICKS_AIM;
	const double ten = pow(10, floor(log10(most)));
	const double step = most / ten < 2 ? ten : most / ten < 5 ? 2 * ten : 5 * ten;
	const int digits = (int)fmax(0, -floor(log10(step) + 1e-9));
	size_t count = 0;
	char text[24];

	for (double i = ceil(axis->low / step - 1e-9);
	     i * step <= axis->high && count < NP_TICKS_MOST; i++) {
		snprintf(text, sizeof(text), step < 1e9 ? "%.*f" : "%.*g",
			 step < 1e9 ? digits : 4, i * step + 0.0);
		count = add(ticks, count, i * step, text);
	}
	return count;
}

/* Ticks at the multiples of powers of ten; a wide axis skips decades.  Returns more than
 * NP_TICKS_MOST if they do not fit. */
static size_t decade_ticks(const struct np_chart_axis *axis, const double *multiples,
			   size_t multiple_count, struct np_tick *ticks)
{
	const double every = ceil((log10(axis->high) - log10(axis->low)) / (2 * TICKS_AIM));
	size_t count = 0;
	char text[24];

	for (double power = floor(log10(axis->low) / every) * every;
	     pow(10, power) <= axis->high; power += every) {
		for (size_t i = 0; i < multiple_count; i++) {
			const double at = multiples[i] * pow(10, power);

			if (at < axis->low || at > axis->high)
				continue;
			if (count == NP_TICKS_MOST)
				return NP_TICKS_MOST + 1;
			snprintf(text, sizeof(text), "%.9g", at);
			count = add(ticks, count, at, text);
		}
	}
	return count;
}

/* Writes 2^exponent as "64", "4K"; below 1 as a fraction. */
static void power_text(int exponent, char *text, size_t size)
{
	static const char *const prefixes[] = { "", "K", "M", "G", "T", "P" };
	const int power = abs(exponent);

	snprintf(text, size, "%s%u%s", exponent < 0 ? "1/" : "", 1u << power % 10,
		 prefixes[power / 10 % 6]);
}

/* Powers of two, thinned to fit, from the first value on; "0" stands at 0.5, as
 * np_picture_size() places 0 bytes, unless the axis is of ratios. */
static size_t power_ticks(const struct np_chart_axis *axis, struct np_tick *ticks)
{
	const bool ratio = axis->scale == NP_SCALE_RATIO;
	const int last = (int)floor(log2(axis->high));
	int first =
		(int)ceil(log2(ratio ? axis->low : fmax(axis->low, axis->first)) - 1e-9);
	int every = 1;
	size_t count = 0;
	char text[24];

	if (!ratio && first == -1) {
		count = add(ticks, count, 0.5, "0");
		first = 0;
	}
	/* The first size has a tick, power or not. */
	if (!ratio && axis->first >= 1 && axis->first == floor(axis->first) &&
	    exp2(first) > 1.1 * axis->first) {
		snprintf(text, sizeof(text), axis->first < 1024 ? "%.0f" : "%.4gK",
			 axis->first < 1024 ? axis->first : axis->first / 1024);
		count = add(ticks, count, axis->first, text);
	}
	while ((last - first) / every >= NP_TICKS_MOST - 2)
		every++;
	for (int i = first; i <= last; i++) {
		if (abs(i) >= 60 || (i - (ratio ? 0 : first)) % every != 0)
			continue;
		power_text(i, text, sizeof(text));
		count = add(ticks, count, exp2(i), text);
	}
	return count;
}

size_t np_axis_ticks(const struct np_chart_axis *axis, struct np_tick ticks[NP_TICKS_MOST])
{
	static const double one[] = { 1 }, few[] = { 1, 2, 5 },
			    many[] = { 1, 1.5, 2, 3, 4, 5, 7 };
	static const struct {
		const double *list;
		size_t count;
	} sets[] = { { few, 3 }, { one, 1 }, { many, 7 } };
	size_t count;

	if (axis->scale == NP_SCALE_POWERS || axis->scale == NP_SCALE_RATIO) {
		count = power_ticks(axis, ticks);
		if (count >= TICKS_LEAST)
			return count;
	}
	const bool decades = axis->scale == NP_SCALE_LOG || axis->scale == NP_SCALE_POWERS;

	for (size_t i = 0; decades && i < 3; i++) {
		count = decade_ticks(axis, sets[i].list, sets[i].count, ticks);
		if (count >= TICKS_LEAST && count <= NP_TICKS_MOST)
			return count;
	}
	return linear_ticks(axis, ticks);
}
