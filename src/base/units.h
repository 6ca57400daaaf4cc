/*
 * units.h - numbers with units: the one table of units, for options, clauses of --expect,
 * tables of other tools and model profiles.
 *
 * Sizes and counts have prefixes of powers of 1024, rates of powers of 1000.  Whatever the
 * programs print can be read back: "131 B", "64 KiB", "1M", "25.81 us", "54 Gbit/s".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum np_dimension {
	NP_DIMENSION_NONE,
	NP_DIMENSION_SIZE,	   /* bytes */
	NP_DIMENSION_COUNT,	   /* a number of things: 1K is 1024 */
	NP_DIMENSION_TIME,	   /* seconds */
	NP_DIMENSION_BIT_RATE,	   /* bit/s */
	NP_DIMENSION_MESSAGE_RATE, /* 1/s */
	NP_DIMENSION_RATIO,	   /* 1 */
	NP_DIMENSION_SHARE	   /* 1, written in percent */
};

/* Places that numbers are read from: "m" is minutes in an option, and no unit elsewhere. */
enum np_unit_place {
	NP_UNIT_OPTION = 1,
	NP_UNIT_CLAUSE = 2,  /* --expect */
	NP_UNIT_TABLE = 4,   /* columns of other tools */
	NP_UNIT_PROFILE = 8, /* profiles of NPsim: blanks around it are skipped */
};

/* Reads a decimal number without a sign at the begin of text.  *end becomes the first
 * character behind it.  Returns false for "inf", "nan", hexadecimal digits and leading
 * blanks; a number too large becomes infinite. */
bool np_number_read(const char *text, double *number, const char **end);

/*
 * Finds the unit that is spelled by the first `length` characters of text, or by all of a
 * shorter text; a blank may precede it.  *scale becomes its factor to the base unit of the
 * dimension (enum np_dimension).  Returns false if there is none.
 */
bool np_unit_scale(const char *text, size_t length, enum np_dimension dimension,
		   enum np_unit_place place, double *scale);

/* Finds the unit of a column in a table: of times or of rates of bits.  Sets *dimension and
 * *scale as np_unit_scale().  Returns false if there is none. */
bool np_unit_of_column(const char *unit, enum np_dimension *dimension, double *scale);

/* Reads the whole text as bytes, or as a count: exact to 2^64 - 1.  Returns 0, -EINVAL, or
 * -ERANGE and leaves *value as it is. */
int np_parse_size(const char *text, uint64_t *value);
int np_parse_count(const char *text, uint64_t *value);

/* Writes "64", "4K" or "8388611": a letter only where it is exact.  size: 24 at least.
 * Returns what snprintf() does. */
int np_size_text(uint64_t bytes, char *text, size_t size);

/* Returns the ending of a counted noun: "1 size", "2 sizes". */
static inline const char *np_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
