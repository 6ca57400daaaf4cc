/*
 * wrap.h - text in lines as wide as the terminal, broken between words.
 */
#pragma once

#include <stdio.h>

/* Returns the columns of a line, 59 to 99: one less than COLUMNS, or than the width of the
 * terminal; 79 without either. */
int np_wrap_columns(FILE *file);

/* Prints words from a column on and ends the line; continuation lines have `indent` blanks.
 * Keeps runs of spaces inside a line, and a number with its unit.  Columns are characters
 * of UTF-8. */
void np_wrap(FILE *file, int column, int indent, const char *text);
