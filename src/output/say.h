/*
 * say.h - lines of text for a terminal: a title and a paragraph, within 80 columns.
 */
#pragma once

#include <stdio.h>

enum { NP_SAY_COLUMNS = 79 };

/*
 * Prints "  title        text", wrapped between words and indented below the title; words
 * longer than a line stay whole.  An empty title goes on below the last line.  Bytes of
 * UTF-8 are counted as characters.
 */
void np_say(FILE *file, const char *title, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for one line of any length, as it stands. */
void np_say_line(FILE *file, int indent, const char *line);

/* The same for a paragraph without a title, indented by as many columns from the second
 * line on. */
void np_say_plain(FILE *file, int indent, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
