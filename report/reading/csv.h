/*
 * csv.h - comma-separated values (RFC 4180).
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Splits a line of CSV at commas, in place, and unquotes its cells.  Returns the number of
 * cells, most + 1 if there are more than `most`, or 0 if a quotation mark is not closed. */
size_t np_csv_split(char *line, char **cells, size_t most);

/* Writes one cell, quoted if necessary. */
void np_csv_cell(FILE *file, const char *text);
