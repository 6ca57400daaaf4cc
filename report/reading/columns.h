/*
 * columns.h - parses tables whose header line names columns and units, as most tools
 * print them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum np_quantity { NP_QUANTITY_NONE, NP_QUANTITY_SECONDS, NP_QUANTITY_BITS_PER_SECOND };

/* The columns of the size and of the figure. */
struct np_columns {
	bool known;
	size_t size, figure; /* columns, from 0 */
	enum np_quantity quantity;
	double scale;	   /* of the figure's unit, in seconds or bit/s */
	double directions; /* messages in flight at once: 2 if bidirectional, else 1 */
};

/* Quantity and scale of a unit: "us", "MB/s", "Mbit/s".  False if unknown. */
bool np_unit_find(const char *unit, enum np_quantity *quantity, double *scale);

/* Splits a line at blanks, in place; returns the number of words, at most `most`. */
size_t np_columns_split(char *line, char **words, size_t most);

/* Parse a whole number of bytes, and a finite number not below 0. */
bool np_columns_bytes(const char *word, size_t *bytes);
bool np_columns_number(const char *word, double *number);

/*
 * Bytes, and seconds per message, from the words of a row.  Returns 0, or -EBADMSG with
 * the error.  *seconds is 0 for a rate of 0, which tools print for a time below their
 * resolution.
 */
int np_columns_read(const struct np_columns *columns, char *const *words, size_t count,
		    size_t *bytes, double *seconds, struct np_error *error);
