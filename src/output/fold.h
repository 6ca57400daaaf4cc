/*
 * fold.h - text in lines of 80 columns: what is printed into a stream of its own comes out
 * of another one with its long lines wrapped between words.
 */
#pragma once

#include <stdio.h>

struct np_fold {
	FILE *to;   /* where the lines go */
	FILE *text; /* where they are printed; the same stream if there is no memory */
	char *memory;
	size_t size;
};

/* Returns the stream to print into. */
FILE *np_fold_begin(struct np_fold *fold, FILE *to);

/*
 * Closes it, and prints.  A line that is too long goes on below its text: behind the first
 * gap of two spaces or more in its first 32 columns ("title     text"), or four columns
 * from where it begins.
 */
void np_fold_end(struct np_fold *fold);
