/*
 * wrap.h - text in lines of 80 columns, broken between words.
 */
#pragma once

#include <stdio.h>

enum { NP_WRAP_COLUMNS = 79 };

/* Prints words from a column on and ends the line; continuation lines have `indent` blanks.
 * Keeps runs of spaces inside a line, and a number with its unit.  Columns are characters
 * of UTF-8. */
void np_wrap(FILE *file, int column, int indent, const char *text);
