/*
 * columns.h - tables of numbers under a line that names their columns and units:
 * what most tools print.
 */
#ifndef NP_COLUMNS_H
#define NP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum np_quantity { NP_QUANTITY_NONE, NP_QUANTITY_SECONDS, NP_QUANTITY_BITS_PER_SECOND };

/* Where in a table the size and the figure stand. */
struct np_columns {
	bool known;
	size_t size, figure; /* columns, from 0 */
	enum np_quantity quantity;
	double scale;	   /* seconds, or bit/s, that the figure counts */
	double directions; /* messages of an exchange */
};

/* What a unit is worth: "us", "MB/s", "Mbit/s".  False for no unit. */
bool np_unit_find(const char *unit, enum np_quantity *quantity, double *scale);

/* Splits a line at blanks, in place; returns how many words there are, at most
 * room. */
size_t np_columns_split(char *line, char **words, size_t room);

/* A whole number of bytes, or any number that is finite and not below 0. */
bool np_columns_bytes(const char *word, size_t *bytes);
bool np_columns_number(const char *word, double *number);

/*
 * Bytes and seconds of a message from the words of a row.  Returns 0, or -errno
 * for what is no number.  *seconds is 0 where the table has no figure: a rate
 * of 0, as tools print for what they could not resolve.
 */
int np_columns_read(const struct np_columns *columns, char *const *words, size_t count,
		    size_t *bytes, double *seconds, struct np_error *error);

#endif
