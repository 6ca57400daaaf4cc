/*
 * lines.h - reads a descriptor line by line, in bounded memory: a file, or a pipe that is
 * polled beside others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A line of --per-message has one number per message: 64 MiB hold six million. */
enum { NP_LINE_MAX = 64 << 20 };

/* To be initialised with its descriptor, all else 0. */
struct np_lines {
	int fd;		/* closed by np_lines_close(); -1: none */
	size_t number;	/* of the last line, from 1 */
	bool over;	/* end of file was reached */
	bool cut;	/* the last line had no newline */
	uint64_t bytes; /* read so far */
	char *buffer;
	size_t begin, end, capacity; /* buffer[begin..end) is not yet returned */
	size_t searched;	     /* bytes of that without a newline */
};

/* Calls read(2) once, which may block.  Returns 0 or -errno with a text: EFBIG for a line
 * longer than NP_LINE_MAX. */
int np_lines_read(struct np_lines *lines, struct np_error *error);

/*
 * Takes the next line out of the buffer, without its newline or carriage return: a
 * string that may be modified and is valid until the next call.  Returns 1; 0 if the
 * buffer has none; or -errno with a text: EBADMSG for a line with a zero byte.
 */
int np_lines_take(struct np_lines *lines, char **line, size_t *length,
		  struct np_error *error);

/* As np_lines_take(), after reading as much as needed.  Returns 0 at the end of the
 * file. */
int np_lines_next(struct np_lines *lines, char **line, size_t *length,
		  struct np_error *error);

/* Returns the begin of the file, at least 64 KiB if there are, as a string valid until
 * the next call; NULL on error.  Consumes nothing but a UTF-8 byte order mark. */
const char *np_lines_peek(struct np_lines *lines, struct np_error *error);

void np_lines_close(struct np_lines *lines);
