/*
 * units.c - the table of units, and the readers of numbers that have one.
 */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bits of enum np_unit_place, abbreviated for the table. */
enum {
	O = NP_UNIT_OPTION,
	C = NP_UNIT_CLAUSE,
	T = NP_UNIT_TABLE,
	P = NP_UNIT_PROFILE,
	/* A blank may stand before the unit, as the programs print it. */
	BLANK = 16
};

static const struct unit {
	const char *name;
	enum np_dimension dimension;
	double scale;
	unsigned places;
} units[] = {
	{ "", NP_DIMENSION_SIZE, 1, O | P },
	{ "K", NP_DIMENSION_SIZE, 0x1p10, O | P },
	{ "M", NP_DIMENSION_SIZE, 0x1p20, O | P },
	{ "G", NP_DIMENSION_SIZE, 0x1p30, O | P },
	{ "T", NP_DIMENSION_SIZE, 0x1p40, O },
	{ "k", NP_DIMENSION_SIZE, 0x1p10, O },
	{ "m", NP_DIMENSION_SIZE, 0x1p20, O },
	{ "g", NP_DIMENSION_SIZE, 0x1p30, O },
	{ "t", NP_DIMENSION_SIZE, 0x1p40, O },
	{ "B", NP_DIMENSION_SIZE, 1, O | P | BLANK },
	{ "KiB", NP_DIMENSION_SIZE, 0x1p10, O | P | BLANK },
	{ "MiB", NP_DIMENSION_SIZE, 0x1p20, O | P | BLANK },
	{ "GiB", NP_DIMENSION_SIZE, 0x1p30, O | P | BLANK },
	{ "TiB", NP_DIMENSION_SIZE, 0x1p40, O | P | BLANK },
	{ "", NP_DIMENSION_TIME, 1, O },
	{ "m", NP_DIMENSION_TIME, 60, O },
	{ "h", NP_DIMENSION_TIME, 3600, O },
	{ "s", NP_DIMENSION_TIME, 1, O | C | T | P | BLANK },
	{ "ms", NP_DIMENSION_TIME, 1e-3, O | C | T | P | BLANK },
	{ "us", NP_DIMENSION_TIME, 1e-6, O | C | T | P | BLANK },
	{ "usec", NP_DIMENSION_TIME, 1e-6, T },
	{ "ns", NP_DIMENSION_TIME, 1e-9, O | C | T | P | BLANK },
	/* No entry without a prefix: a plain number as a rate of bits is a mistake. */
	{ "K", NP_DIMENSION_BIT_RATE, 1e3, C },
	{ "M", NP_DIMENSION_BIT_RATE, 1e6, C },
	{ "G", NP_DIMENSION_BIT_RATE, 1e9, C },
	{ "T", NP_DIMENSION_BIT_RATE, 1e12, C },
	{ "bit/s", NP_DIMENSION_BIT_RATE, 1, C | T | BLANK },
	{ "kbit/s", NP_DIMENSION_BIT_RATE, 1e3, C | T | P | BLANK },
	{ "Kbit/s", NP_DIMENSION_BIT_RATE, 1e3, C },
	{ "Mbit/s", NP_DIMENSION_BIT_RATE, 1e6, C | T | P | BLANK },
	{ "Gbit/s", NP_DIMENSION_BIT_RATE, 1e9, C | T | P | BLANK },
	{ "Tbit/s", NP_DIMENSION_BIT_RATE, 1e12, C | T | P | BLANK },
	{ "B/s", NP_DIMENSION_BIT_RATE, 8, T | P },
	{ "kB/s", NP_DIMENSION_BIT_RATE, 8e3, T | P },
	{ "MB/s", NP_DIMENSION_BIT_RATE, 8e6, T | P },
	{ "GB/s", NP_DIMENSION_BIT_RATE, 8e9, T | P },
	{ "MiB/s", NP_DIMENSION_BIT_RATE, 8 * 0x1p20, T },
	{ "GiB/s", NP_DIMENSION_BIT_RATE, 8 * 0x1p30, T },
	{ "", NP_DIMENSION_MESSAGE_RATE, 1, C },
	{ "K", NP_DIMENSION_MESSAGE_RATE, 1e3, C },
	{ "M", NP_DIMENSION_MESSAGE_RATE, 1e6, C },
	{ "G", NP_DIMENSION_MESSAGE_RATE, 1e9, C },
	{ "/s", NP_DIMENSION_MESSAGE_RATE, 1, C },
	{ "K/s", NP_DIMENSION_MESSAGE_RATE, 1e3, C },
	{ "M/s", NP_DIMENSION_MESSAGE_RATE, 1e6, C },
	{ "G/s", NP_DIMENSION_MESSAGE_RATE, 1e9, C },
	{ "", NP_DIMENSION_RATIO, 1, C | P },
	{ "x", NP_DIMENSION_RATIO, 1, C },
	{ "%", NP_DIMENSION_SHARE, 0.01, P },
};
static const struct unit *const units_end = units + sizeof(units) / sizeof(*units);

/* Counts take the prefixes of sizes (K is 1024), but not B or KiB. */
static bool has_dimension(const struct unit *unit, enum np_dimension dimension)
{
	return dimension == NP_DIMENSION_COUNT ?
		       unit->dimension == NP_DIMENSION_SIZE && (unit->places & BLANK) == 0 :
		       unit->dimension == dimension;
}

bool np_unit_scale(const char *text, size_t length, enum np_dimension dimension,
		   enum np_unit_place place, double *scale)
{
	const size_t all = strnlen(text, length);
	size_t begin = 0, end = all;

	while (begin < end && isspace((unsigned char)text[begin]))
		begin++;
	while (place == NP_UNIT_PROFILE && end > begin &&
	       isspace((unsigned char)text[end - 1]))
		end--;
	const unsigned needed =
		begin != 0 && place != NP_UNIT_PROFILE ? place | BLANK : place;

	for (const struct unit *unit = units; unit < units_end; unit++) {
		if (has_dimension(unit, dimension) && (unit->places & needed) == needed &&
		    strlen(unit->name) == end - begin &&
		    strncmp(unit->name, text + begin, end - begin) == 0) {
			*scale = unit->scale;
			return true;
		}
	}
	return false;
}

bool np_unit_of_column(const char *unit, enum np_dimension *dimension, double *scale)
{
	static const enum np_dimension all[] = { NP_DIMENSION_TIME, NP_DIMENSION_BIT_RATE };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		*dimension = all[i];
		if (np_unit_scale(unit, strlen(unit), all[i], NP_UNIT_TABLE, scale))
			return true;
	}
	return false;
}

bool np_number_read(const char *text, double *number, const char **end)
{
	const char *digits = text + strspn(text, "0.");
	char *stop;

	/* strtod() also reads "nan", "inf", hexadecimal digits, blanks and signs. */
	if (strspn(text, "0123456789.") == 0 || tolower((unsigned char)*digits) == 'x')
		return false;
	*number = strtod(text, &stop);
	*end = stop;
	return stop != text;
}

/* Reads digits and a unit into *value. */
static int parse_whole(const char *text, enum np_dimension dimension, uint64_t *value)
{
	uint64_t number = 0;
	bool overflow = false;
	const char *at = text;
	double scale;

	for (; *at >= '0' && *at <= '9'; at++) {
		overflow |= __builtin_mul_overflow(number, UINT64_C(10), &number);
		overflow |= __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number);
	}
	if (at == text || !np_unit_scale(at, strlen(at), dimension, NP_UNIT_OPTION, &scale))
		return -EINVAL;
	overflow |= __builtin_mul_overflow(number, (uint64_t)scale, &number);
	if (overflow)
		return -ERANGE;
	*value = number;
	return 0;
}

int np_parse_size(const char *text, uint64_t *value)
{
	return parse_whole(text, NP_DIMENSION_SIZE, value);
}

int np_parse_count(const char *text, uint64_t *value)
{
	return parse_whole(text, NP_DIMENSION_COUNT, value);
}

int np_size_text(uint64_t bytes, char *text, size_t size)
{
	static const char *const letters[] = { "", "K", "M", "G", "T" };
	size_t letter = 0;

	while (bytes != 0 && bytes % 1024 == 0 && letter < 4) {
		bytes /= 1024;
		letter++;
	}
	return snprintf(text, size, "%" PRIu64 "%s", bytes, letters[letter]);
}
