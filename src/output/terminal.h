/*
 * terminal.h - lines of text for a terminal: titles, paragraphs and colours, within 80
 * columns.
 */
#pragma once

#include <stdio.h>

#include "base/error.h"

/* Colours of ISO 6429. */
enum np_color { NP_PLAIN, NP_RED = 31, NP_GREEN, NP_YELLOW };

/* Prints text unwrapped, in a colour if file is a terminal with colours and NO_COLOR is
 * unset or empty (https://no-color.org). */
void np_say_colored(FILE *file, enum np_color color, const char *text);

/*
 * Prints "  title        text", wrapped between words and indented below the title; words
 * longer than a line stay whole.  An empty title continues the paragraph above.  Columns
 * are characters of UTF-8.  The title "warning" has a colour.
 */
void np_say(FILE *file, const char *title, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Formats and prints a paragraph without a title, continuation lines indented. */
void np_say_plain(FILE *file, int indent, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Memory stream whose long lines np_fold_end() wraps between words. */
struct np_fold {
	FILE *to;   /* destination of the lines */
	FILE *text; /* stream to print into; `to` without memory */
	char *memory;
	size_t size;
};

/* Returns the stream to print into. */
FILE *np_fold_begin(struct np_fold *fold, FILE *to);

/*
 * Closes the stream and prints its lines.  Continuation lines are indented to the text of
 * the line, behind the first gap of two or more spaces in its first 32 columns ("title
 * text"), or by four columns more than the line.  Returns 0, or -errno without memory for
 * the text, of which nothing is printed.
 */
int np_fold_end(struct np_fold *fold, struct np_error *error);
