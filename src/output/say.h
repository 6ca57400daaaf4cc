/*
 * say.h - lines of text for a terminal: a title and a paragraph, within 80 columns.
 */
#pragma once

#include <stdio.h>

enum { NP_SAY_COLUMNS = 79 };

/* Colours of ISO 6429. */
enum np_color { NP_PLAIN, NP_RED = 31, NP_GREEN, NP_YELLOW };

/* Prints text as it stands, in a colour where file is a terminal that has them and NO_COLOR
 * is unset or empty (https://no-color.org). */
void np_say_colored(FILE *file, enum np_color color, const char *text);

/*
 * Prints "  title        text", wrapped between words and indented below the title; words
 * longer than a line stay whole.  An empty title goes on below the last line.  Bytes of
 * UTF-8 are counted as characters.  The title "warning" is in a colour.
 */
void np_say(FILE *file, const char *title, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for one line of any length, as it stands. */
void np_say_line(FILE *file, int indent, const char *line);

/* The same for a paragraph without a title, indented by as many columns from the second
 * line on. */
void np_say_plain(FILE *file, int indent, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
