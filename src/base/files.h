/*
 * files.h - output files: no overwriting without --force, atomic replacement, write
 * errors.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Fails for a file that np_file_create() would not overwrite, without creating it.
 * path NULL: no file. */
int np_file_check(const char *path, bool force, struct np_error *error);

/* Returns 0, or -errno: NP_ERROR_USAGE for a file that exists without force. */
int np_file_create(const char *path, bool force, FILE **file, struct np_error *error);

/* Closes a file.  Returns 0, or -errno for a late write error. */
int np_file_close(FILE *file, const char *path, struct np_error *error);

/*
 * Atomic replacement: a temporary file in the same directory, renamed when it is
 * complete.  What is not a regular file (/dev/stdout, a pipe), or is in a directory
 * without write permission, is written in place.
 */
struct np_new_file {
	FILE *file;	  /* to write to */
	const char *path; /* the caller's */
	char *old;	  /* file to replace, links resolved; NULL: none */
	char *beside;	  /* temporary name; NULL: path itself */
	bool made;	  /* path did not exist before */
};

/* Returns 0, or -errno as np_file_create(). */
int np_new_file_open(struct np_new_file *new_file, const char *path, bool force,
		     struct np_error *error);

/* Renames the file if rc is 0, else removes it.  Returns rc, or -errno for a late
 * error. */
int np_new_file_close(struct np_new_file *new_file, int rc, struct np_error *error);
