/*
 * files.h - files that programs write: never over what is there unasked, and a
 * full disk is an error.
 */
#ifndef NP_FILES_H
#define NP_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Refuses, without making it, what np_file_create() would not overwrite.  path NULL:
 * nothing to refuse. */
int np_file_check(const char *path, bool force, struct np_error *error);

/* Returns 0, or -errno: NP_ERROR_USAGE for a file that exists without force. */
int np_file_create(const char *path, bool force, FILE **file, struct np_error *error);

/* Closes it; says what only then fails. */
int np_file_close(FILE *file, const char *path, struct np_error *error);

/*
 * A file that is made at once: what had its name stays as it was until all of the
 * new one is on the disk.  It grows beside the old one, and takes its name at the
 * end; what is no regular file (/dev/stdout, a pipe), or lies in a folder that
 * takes no other file, is written in place.
 */
struct np_new_file {
	FILE *file;	  /* to write to */
	const char *path; /* the caller's */
	char *old;	  /* what is replaced, behind all links; NULL: nothing */
	char *beside;	  /* the name until then; NULL: path itself */
	bool made;	  /* path did not exist before */
};

/* Returns 0, or -errno as np_file_create(). */
int np_new_file_open(struct np_new_file *new_file, const char *path, bool force,
		     struct np_error *error);

/* Ends it: with rc 0 it takes its place, else nothing of it stays.  Returns rc, or
 * -errno for what fails only now. */
int np_new_file_close(struct np_new_file *new_file, int rc, struct np_error *error);

#endif
