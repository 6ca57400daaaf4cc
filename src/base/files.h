/*
 * files.h - small input files; output files: --force, numbered names for replaced files,
 * atomic replacement, write errors.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Fails if np_file_create() would not overwrite the file.  Creates nothing.  path NULL:
 * succeeds. */
int np_file_check(const char *path, bool force, struct np_error *error);

/* Fails if np_file_create_kept() could not write the file: no directory, no permission.
 * Writes nothing.  path NULL: succeeds. */
int np_file_check_writable(const char *path, bool force, struct np_error *error);

/* Reads a small text file into a string that the caller frees.  Returns 0, or -errno
 * with NP_ERROR_USAGE: EFBIG for more than `most` bytes, EBADMSG for a zero byte. */
int np_file_text(const char *path, size_t most, char **text, struct np_error *error);

/* Creates or truncates a file.  Returns 0, or -errno: NP_ERROR_USAGE for a file that
 * exists without force. */
int np_file_create(const char *path, bool force, FILE **file, struct np_error *error);

/*
 * Renames a regular file to the first of path.~1~, path.~2~ ...  that does not exist, like
 * cp --backup=numbered.  *kept becomes that name, which the caller frees; NULL if there is
 * no such file.  Returns 0 or -errno.
 */
int np_file_keep(const char *path, char **kept, struct np_error *error);

/* Calls np_file_keep() unless force is set, then np_file_create(). */
int np_file_create_kept(const char *path, bool force, char **kept, FILE **file,
			struct np_error *error);

/* Closes a file.  Returns 0, or -errno of a late write error. */
int np_file_close(FILE *file, const char *path, struct np_error *error);

/*
 * Atomic replacement: a temporary file in the same directory, renamed when it is complete.
 * Anything but a regular file (/dev/stdout, a pipe), and a file in a directory without
 * write permission, is written in place.
 */
struct np_new_file {
	FILE *file;	  /* to write to */
	const char *path; /* owned by the caller */
	char *old;	  /* file to replace, links resolved; NULL: none */
	char *beside;	  /* temporary name; NULL: path itself */
	bool made;	  /* path did not exist before */
};

/* Opens a file for replacement.  Returns 0, or -errno as np_file_create(). */
int np_new_file_open(struct np_new_file *new_file, const char *path, bool force,
		     struct np_error *error);

/* Renames the temporary file if rc is 0, else removes it.  Returns rc, or -errno of a
 * late error. */
int np_new_file_close(struct np_new_file *new_file, int rc, struct np_error *error);
