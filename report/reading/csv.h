/*
 * csv.h - cells with commas between them: RFC 4180.
 */
#ifndef NP_CSV_H
#define NP_CSV_H

#include <stddef.h>
#include <stdio.h>

/* Splits a line in place; quotation marks around cells are taken off.  Returns
 * how many cells there are, room + 1 for more than room, or 0 for a quotation
 * mark that stands alone. */
size_t np_csv_split(char *line, char **cells, size_t room);

/* Writes one cell, in quotation marks where it needs them. */
void np_csv_cell(FILE *file, const char *text);

#endif
