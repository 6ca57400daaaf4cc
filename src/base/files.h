/*
 * files.h - small files that are read; output files: no overwriting without --force,
 * numbered names for what was there before, atomic replacement, write errors.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Fails for a file that np_file_create() would not overwrite, without creating it.
 * path NULL: no file. */
int np_file_check(const char *path, bool force, struct np_error *error);

/* Fails for a file that np_file_create_kept() could not write for want of a directory or
 * of permission, without writing.  path NULL: no file. */
int np_file_check_writable(const char *path, bool force, struct np_error *error);

/* Reads a small file that a person has written, into a string to be freed.  Returns 0, or
 * -errno with NP_ERROR_USAGE: EFBIG for more than most bytes, EBADMSG for a zero byte. */
int np_file_text(const char *path, size_t most, char **text, struct np_error *error);

/* Returns 0, or -errno: NP_ERROR_USAGE for a file that exists without force. */
int np_file_create(const char *path, bool force, FILE **file, struct np_error *error);

/*
 * Moves a regular file out of the way, to the first of path.~1~, path.~2~ ... that does not
 * exist, as cp --backup=numbered does.  *kept becomes that name, to be freed by the caller;
 * NULL if there is no such file.  Returns 0 or -errno.
 */
int np_file_keep(const char *path, char **kept, struct np_error *error);

/* Creates a file, and keeps what lay there, without force.  As np_file_keep() and
 * np_file_create(). */
int np_file_create_kept(const char *path, bool force, char **kept, FILE **file,
			struct np_error *error);

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
