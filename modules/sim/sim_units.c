/*
 * sim_units.c - parses numbers with a unit.
 */
#include "sim_units.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/units.h"

/* Reads a number, with or without a sign, and its unit; blanks around both are ignored. */
static bool read_number(const char *text, enum np_dimension dimension, double *number,
			double *scale)
{
	const char *rest;

	while (isspace((unsigned char)*text))
		text++;
	const bool negative = *text == '-';

	if (!np_number_read(text + (negative || *text == '+'), number, &rest) ||
	    !isfinite(*number))
		return false;
	if (negative)
		*number = -*number;
	return np_unit_scale(rest, strlen(rest), dimension, NP_UNIT_PROFILE, scale);
}

/* The clock counts picoseconds in 64 bits: 1.8e7 s. */
static const double longest_ns = 1e12;

bool np_sim_read_time(const char *text, double *ns)
{
	double number, scale;

	if (!read_number(text, NP_DIMENSION_TIME, &number, &scale) &&
	    !(read_number(text, NP_DIMENSION_RATIO, &number, &scale) && number == 0))
		return false;
	const double value = number * round(scale * 1e9);

	if (fabs(value) > longest_ns)
		return false;
	*ns = value;
	return true;
}

bool np_sim_read_rate(const char *text, double *byte_ns)
{
	double number, scale;

	if (!read_number(text, NP_DIMENSION_BIT_RATE, &number, &scale))
		return false;
	const double bytes_a_second = number * (scale / 8);

	if (!(bytes_a_second >= 1))
		return false;
	*byte_ns = 1e9 / bytes_a_second;
	return true;
}

/* Reads a whole number of things of that dimension. */
static bool read_whole(const char *text, enum np_dimension dimension, double *value)
{
	double number, scale;

	if (!read_number(text, dimension, &number, &scale))
		return false;
	*value = number * scale;
	return *value >= 0 && *value <= 0x1p48 && *value == floor(*value);
}

bool np_sim_read_size(const char *text, size_t *bytes)
{
	double value;

	if (!read_whole(text, NP_DIMENSION_SIZE, &value))
		return false;
	*bytes = (size_t)value;
	return true;
}

bool np_sim_read_percent(const char *text, double *share)
{
	double number, scale;

	if (!read_number(text, NP_DIMENSION_SHARE, &number, &scale) ||
	    number * scale <= -1 || number * scale > 1e4)
		return false;
	*share = number * scale;
	return true;
}

bool np_sim_read_count(const char *text, uint64_t *count)
{
	double value;

	if (!read_whole(text, NP_DIMENSION_COUNT, &value))
		return false;
	*count = (uint64_t)value;
	return true;
}

bool np_sim_read_range(char *text, size_t *first, size_t *last)
{
	char *dash = strchr(text, '-');
	size_t from, to;

	if (dash != NULL)
		*dash = '\0';
	const bool good = np_sim_read_size(text, &from) &&
			  np_sim_read_size(dash != NULL ? dash + 1 : text, &to) &&
			  from <= to;
	if (dash != NULL)
		*dash = '-';
	if (!good)
		return false;
	*first = from;
	*last = to;
	return true;
}
