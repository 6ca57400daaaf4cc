/*
 * files.h - files that programs write: never over what is there unasked, and a
 * full disk is an error.
 */
#ifndef NP_FILES_H
#define NP_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "error.h"

/* Returns 0, or -errno: NP_ERROR_USAGE for a file that exists without force. */
int np_file_create(const char *path, bool force, FILE **file, struct np_error *error);

/* Closes it; says what only then fails. */
int np_file_close(FILE *file, const char *path, struct np_error *error);

#endif
