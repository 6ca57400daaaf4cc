/*
 * fold.h - stream that wraps long lines between words, at 80 columns.
 */
#pragma once

#include <stdio.h>

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
 * text"), or by four columns more than the line.
 */
void np_fold_end(struct np_fold *fold);
