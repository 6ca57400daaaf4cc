/*
 * columns.h - rows of tables: a header line names columns and units, as most tools print
 * them; and comma-separated values (RFC 4180).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/units.h"

/* Columns of a table that have the message size and the figure, and the unit of the
 * figure. */
struct np_columns {
	bool known;
	size_t size, figure;	     /* columns, from 0 */
	enum np_dimension dimension; /* a time, or a rate of bits */
	double scale;		     /* unit of the figure, in seconds or bit/s */
	double directions; /* messages in flight at once: 2 if bidirectional, else 1 */
};

/* Splits a line at blanks, in place; returns the number of words, at most `most`. */
size_t np_columns_split(char *line, char **words, size_t most);

/* Parse a whole number of bytes, and a finite number not below 0. */
bool np_columns_bytes(const char *word, size_t *bytes);
bool np_columns_number(const char *word, double *number);

/*
 * Computes bytes, and seconds per message, from the words of a row.  Returns 0, or -EBADMSG
 * with a text.  *seconds is 0 for a rate of 0, which tools print for a time below their
 * resolution.
 */
int np_columns_read(const struct np_columns *columns, char *const *words, size_t count,
		    size_t *bytes, double *seconds, struct np_error *error);

/* Splits a line of CSV at commas, in place, and unquotes its cells.  Returns the number of
 * cells, most + 1 if there are more than `most`, or 0 if a quotation mark is not closed. */
size_t np_csv_split(char *line, char **cells, size_t most);

/* Writes one cell, quoted if necessary. */
void np_csv_cell(FILE *file, const char *text);
