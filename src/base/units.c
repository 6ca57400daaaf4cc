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
	double scale;
	enum np_dimension dimension;
	unsigned places;
} units[] = {
	{ "", 1, NP_DIMENSION_SIZE, O | P },
	{ "K", 0x1p10, NP_DIMENSION_SIZE, O | P },
	{ "M", 0x1p20, NP_DIMENSION_SIZE, O | P },
	{ "G", 0x1p30, NP_DIMENSION_SIZE, O | P },
	{ "T", 0x1p40, NP_DIMENSION_SIZE, O },
	{ "k", 0x1p10, NP_DIMENSION_SIZE, O },
	{ "m", 0x1p20, NP_DIMENSION_SIZE, O },
	{ "g", 0x1p30, NP_DIMENSION_SIZE, O },
	{ "t", 0x1p40, NP_DIMENSION_SIZE, O },
	{ "B", 1, NP_DIMENSION_SIZE, O | P | BLANK },
	{ "KiB", 0x1p10, NP_DIMENSION_SIZE, O | P | BLANK },
	{ "MiB", 0x1p20, NP_DIMENSION_SIZE, O | P | BLANK },
	{ "GiB", 0x1p30, NP_DIMENSION_SIZE, O | P | BLANK },
	{ "TiB", 0x1p40, NP_DIMENSION_SIZE, O | P | BLANK },
	{ "", 1, NP_DIMENSION_TIME, O },
	{ "m", 60, NP_DIMENSION_TIME, O },
	{ "h", 3600, NP_DIMENSION_TIME, O },
	{ "s", 1, NP_DIMENSION_TIME, O | C | T | P | BLANK },
	{ "ms", 1e-3, NP_DIMENSION_TIME, O | C | T | P | BLANK },
	{ "us", 1e-6, NP_DIMENSION_TIME, O | C | T | P | BLANK },
	{ "usec", 1e-6, NP_DIMENSION_TIME, T },
	{ "ns", 1e-9, NP_DIMENSION_TIME, O | C | T | P | BLANK },
	/* No entry without a prefix: a plain number as a rate of bits is a mistake. */
	{ "K", 1e3, NP_DIMENSION_BIT_RATE, C },
	{ "M", 1e6, NP_DIMENSION_BIT_RATE, C },
	{ "G", 1e9, NP_DIMENSION_BIT_RATE, C },
	{ "T", 1e12, NP_DIMENSION_BIT_RATE, C },
	{ "bit/s", 1, NP_DIMENSION_BIT_RATE, C | T | BLANK },
	{ "kbit/s", 1e3, NP_DIMENSION_BIT_RATE, C | T | P | BLANK },
	{ "Kbit/s", 1e3, NP_DIMENSION_BIT_RATE, C },
	{ "Mbit/s", 1e6, NP_DIMENSION_BIT_RATE, C | T | P | BLANK },
	{ "Gbit/s", 1e9, NP_DIMENSION_BIT_RATE, C | T | P | BLANK },
	{ "Tbit/s", 1e12, NP_DIMENSION_BIT_RATE, C | T | P | BLANK },
	{ "B/s", 8, NP_DIMENSION_BIT_RATE, T | P },
	{ "kB/s", 8e3, NP_DIMENSION_BIT_RATE, T | P },
	{ "MB/s", 8e6, NP_DIMENSION_BIT_RATE, T | P },
	{ "GB/s", 8e9, NP_DIMENSION_BIT_RATE, T | P },
	{ "MiB/s", 8 * 0x1p20, NP_DIMENSION_BIT_RATE, T },
	{ "GiB/s", 8 * 0x1p30, NP_DIMENSION_BIT_RATE, T },
	{ "", 1, NP_DIMENSION_MESSAGE_RATE, C },
	{ "K", 1e3, NP_DIMENSION_MESSAGE_RATE, C },
	{ "M", 1e6, NP_DIMENSION_MESSAGE_RATE, C },
	{ "G", 1e9, NP_DIMENSION_MESSAGE_RATE, C },
	{ "/s", 1, NP_DIMENSION_MESSAGE_RATE, C },
	{ "K/s", 1e3, NP_DIMENSION_MESSAGE_RATE, C },
	{ "M/s", 1e6, NP_DIMENSION_MESSAGE_RATE, C },
	{ "G/s", 1e9, NP_DIMENSION_MESSAGE_RATE, C },
	{ "", 1, NP_DIMENSION_RATIO, C | P },
	{ "x", 1, NP_DIMENSION_RATIO, C },
	{ "%", 0.01, NP_DIMENSION_SHARE, P },
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
