/*
 * lines.h - a file line by line, in bounded memory, whatever is in it.
 */
#ifndef NP_LINES_H
#define NP_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A visit of --per-message has one number a message; this holds six million. */
enum { NP_LINE_MAX = 64 << 20 };

struct np_lines {
	int fd;
	const char *path;
	size_t number; /* of the last line, from 1 */
	char *buffer;
	size_t begin, end, room;	 /* what is in the buffer and not yet a line */
	bool over;			 /* there is nothing more to read */
	bool cut;			 /* the last line had no newline */
	uint64_t read_bytes, size_bytes; /* size 0: not known */
	bool progress, shown;		 /* stderr is a terminal */
	uint64_t shown_ns;
};

/* Opens path, "-" being standard input.  np_lines_close() copes with a failure. */
int np_lines_open(struct np_lines *lines, const char *path, struct np_error *error);
void np_lines_close(struct np_lines *lines);

/* Reads from memory instead: a copy of length bytes. */
int np_lines_from(struct np_lines *lines, const char *path, const void *bytes,
		  size_t length, struct np_error *error);

/* The beginning of the file, at most 64 KiB, as a string that lives until the
 * next call; nothing is consumed but the byte order mark of UTF-8.  NULL on a
 * failure. */
const char *np_lines_peek(struct np_lines *lines, struct np_error *error);

/*
 * The next line, without its newline, as a string that may be changed and lives
 * until the next call.  Returns 1, 0 at the end of the file, or -errno: a line
 * that is too long or holds a zero byte, or a file that cannot be read.
 */
int np_lines_next(struct np_lines *lines, char **line, size_t *length,
		  struct np_error *error);

#endif
