/*
 * lines.h - lines of a descriptor, in bounded memory: of a file, or of a pipe polled beside
 * others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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

/* Returns the begin of the file, at least 64 KiB if it has them, as a string valid until
 * the next call; NULL on error.  Consumes only a UTF-8 byte order mark. */
const char *np_lines_peek(struct np_lines *lines, struct np_error *error);

void np_lines_close(struct np_lines *lines);
