/*
 * files.h - small input files; output files: --force, numbered names for replaced files,
 * atomic replacement, write errors; lines of a descriptor in bounded memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/deadline.h"
#include "base/error.h"

/* Fails for a file that exists, without force.  Creates nothing.  path NULL: succeeds. */
int np_file_check(const char *path, bool force, struct np_error *error);

/* Fails if np_file_create_kept() could not write the file: no directory, no permission.
 * Writes nothing.  path NULL: succeeds. */
int np_file_check_writable(const char *path, bool force, struct np_error *error);

struct np_file_content {
	char *text;    /* the caller frees it */
	unsigned mode; /* st_mode of the file */
};

/* Reads a small text file, also a FIFO or a terminal, until the deadline: an open(2) or
 * read(2) may never return.  Returns 0, or -errno with NP_ERROR_USAGE: EFBIG for more than
 * `most` bytes, EBADMSG for a zero byte, ETIMEDOUT. */
int np_file_read(const char *path, size_t most, struct np_deadline deadline,
		 struct np_file_content *content, struct np_error *error);

/* Reads a small text file, within 30 s, into a string that the caller frees.  Returns as
 * np_file_read(). */
int np_file_text(const char *path, size_t most, char **text, struct np_error *error);

/*
 * Creates or truncates a file.  Without force a regular file that exists is renamed before,
 * to the first of path.~1~, path.~2~ ... that does not exist, like cp --backup=numbered.
 * *kept becomes that name, which the caller frees; NULL if there is none.  Path "-" is
 * standard output, and what the process prints goes to standard error from then on. Returns
 * 0 or -errno.
 */
int np_file_create_kept(const char *path, bool force, char **kept, FILE **file,
			struct np_error *error);

/* Closes a file.  Returns 0, or -errno of a late write error. */
int np_file_close(FILE *file, const char *path, struct np_error *error);

/*
 * Flushes standard output behind everything that was printed.  rc: result so far.  Returns
 * rc, or -errno of a write error, which replaces a verdict: the figures behind it are lost.
 * A pipe whose reader has left, as "| head" does, is no error.
 */
int np_stdout_check(int rc, struct np_error *error);

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

/* Opens a file for replacement.  Returns 0, or -errno: NP_ERROR_USAGE for a file that
 * exists without force. */
int np_new_file_open(struct np_new_file *new_file, const char *path, bool force,
		     struct np_error *error);

/* Renames the temporary file if rc is 0, else removes it.  Returns rc, or -errno of a
 * late error. */
int np_new_file_close(struct np_new_file *new_file, int rc, struct np_error *error);

/* Longest line, bytes.  --per-message writes a number per message: 64 MiB hold six
 * million. */
enum { NP_LINE_MAX = 64 << 20 };

/* Reader.  Initialise fd; all else is 0. */
struct np_lines {
	int fd;		/* closed by np_lines_close(); -1: none */
	size_t number;	/* of the latest line, from 1 */
	bool over;	/* end of file was reached */
	bool cut;	/* the latest line had no newline */
	uint64_t bytes; /* read so far */
	char *buffer;
	size_t begin, end, capacity; /* unread: buffer[begin..end) */
	size_t searched;	     /* unread bytes known to have no newline */
};

/* Calls read(2) once, which may block.  Returns 0 or -errno: EFBIG for a line longer
 * than NP_LINE_MAX. */
int np_lines_read(struct np_lines *lines, struct np_error *error);

/*
 * Takes the next line out of the buffer, without its newline or carriage return: a string
 * that may be modified and is valid until the next call.  Returns 1, 0 if the buffer has no
 * whole line, or -errno: EBADMSG for a line with a zero byte.
 */
int np_lines_take(struct np_lines *lines, char **line, size_t *length,
		  struct np_error *error);

/* np_lines_take() after as many reads as it needs.  Returns 0 at the end of the file. */
int np_lines_next(struct np_lines *lines, char **line, size_t *length,
		  struct np_error *error);

/* Returns the begin of the file, at least 1 MiB if it has them, as a string valid until
 * the next call; NULL on error.  Consumes only a UTF-8 byte order mark. */
const char *np_lines_peek(struct np_lines *lines, struct np_error *error);

void np_lines_close(struct np_lines *lines);
