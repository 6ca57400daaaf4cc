/*
 * lines.h - reads a file line by line, in bounded memory.
 */
#ifndef NP_LINES_H
#define NP_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A line of --per-message has one number per message: 64 MiB hold six million. */
enum { NP_LINE_MAX = 64 << 20 };

struct np_lines {
	int fd;
	const char *path;
	size_t number; /* of the last line, from 1 */
	char *buffer;
	size_t begin, end, capacity;	 /* buffer[begin..end) is not yet returned */
	bool over;			 /* end of file was reached */
	bool cut;			 /* the last line had no newline */
	uint64_t read_bytes, size_bytes; /* size_bytes 0: unknown */
	bool progress, shown;		 /* progress line: stderr is a terminal; printed */
	uint64_t shown_ns;
};

/* Opens path; "-" is standard input.  Returns 0 or -errno; np_lines_close() is to be
 * called in both cases. */
int np_lines_open(struct np_lines *lines, const char *path, struct np_error *error);
void np_lines_close(struct np_lines *lines);

/* Reads from memory instead: a copy of length bytes. */
int np_lines_from(struct np_lines *lines, const char *path, const void *bytes,
		  size_t length, struct np_error *error);

/* Returns the begin of the file, at least 64 KiB if there are, as a string valid until
 * the next call; NULL on error.  Consumes nothing but a UTF-8 byte order mark. */
const char *np_lines_peek(struct np_lines *lines, struct np_error *error);

/*
 * The next line, without its newline, as a string that may be modified and is valid
 * until the next call.  Returns 1, 0 at the end of the file, or -errno with the error:
 * EFBIG, EBADMSG (a zero byte), or that of read(2).
 */
int np_lines_next(struct np_lines *lines, char **line, size_t *length,
		  struct np_error *error);

#endif
