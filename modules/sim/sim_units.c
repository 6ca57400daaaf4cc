/*
 * sim_units.c - parses numbers with a unit.
 */
#include "sim_units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	double factor;
};

static const char *skip_blanks(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* True if the rest of a text is the word, blanks around it ignored. */
static bool is_word(const char *rest, const char *word)
{
	const size_t length = strlen(word);

	rest = skip_blanks(rest);
	return strncmp(rest, word, length) == 0 && *skip_blanks(rest + length) == '\0';
}

/* Parses a number with one of the units; a NULL name ends the list. */
static bool read_number(const char *text, const struct unit *units, double *value)
{
	char *rest;
	const double number = strtod(text, &rest);

	if (rest == text || !isfinite(number))
		return false;
	for (; units->name != NULL; units++) {
		if (is_word(rest, units->name)) {
			*value = number * units->factor;
			return true;
		}
	}
	return false;
}

/* The clock counts picoseconds in 64 bits: 1.8e7 s. */
static const double longest_ns = 1e12;

bool np_sim_read_time(const char *text, double *ns)
{
	static const struct unit units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { NULL, 0 }
	};
	static const struct unit none[] = { { "", 1 }, { NULL, 0 } };
	double value;

	if (!read_number(text, units, &value) &&
	    !(read_number(text, none, &value) && value == 0))
		return false;
	if (fabs(value) > longest_ns)
		return false;
	*ns = value;
	return true;
}

bool np_sim_read_rate(const char *text, double *byte_ns)
{
	static const struct unit units[] = {
		{ "B/s", 1 },	 { "kB/s", 1e3 },	{ "MB/s", 1e6 },
		{ "GB/s", 1e9 }, { "Mbit/s", 1e6 / 8 }, { "Gbit/s", 1e9 / 8 },
		{ NULL, 0 }
	};
	double bytes_a_second;

	if (!read_number(text, units, &bytes_a_second) || !(bytes_a_second >= 1))
		return false;
	*byte_ns = 1e9 / bytes_a_second;
	return true;
}

bool np_sim_read_size(const char *text, size_t *bytes)
{
	static const struct unit units[] = { { "", 1 },
					     { "B", 1 },
					     { "K", 1024 },
					     { "KiB", 1024 },
					     { "M", 1024 * 1024 },
					     { "MiB", 1024 * 1024 },
					     { "G", 1024. * 1048576 },
					     { "GiB", 1024. * 1048576 },
					     { NULL, 0 } };
	double value;

	if (!read_number(text, units, &value) || value < 0 || value > 0x1p48 ||
	    value != floor(value))
		return false;
	*bytes = (size_t)value;
	return true;
}

bool np_sim_read_percent(const char *text, double *share)
{
	static const struct unit units[] = { { "%", 0.01 }, { NULL, 0 } };
	double value;

	if (!read_number(text, units, &value) || value <= -1 || value > 1e4)
		return false;
	*share = value;
	return true;
}

bool np_sim_read_count(const char *text, uint64_t *count)
{
	size_t bytes;

	/* "1K" is 1024, as in options. */
	if (strchr(text, 'B') != NULL || !np_sim_read_size(text, &bytes))
		return false;
	*count = bytes;
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
