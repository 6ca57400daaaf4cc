/*
 * lines.c - a sliding read buffer.
 */
#include "base/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PEEK = 64 << 10, CAPACITY_FIRST = 2 * PEEK };

/* Makes space at the end of the buffer: one byte and a terminating zero at least. */
static int make_room(struct np_lines *lines, struct np_error *error)
{
	if (lines->begin != 0) {
		memmove(lines->buffer, lines->buffer + lines->begin,
			lines->end - lines->begin);
		lines->end -= lines->begin;
		lines->begin = 0;
	}
	if (lines->end + 1 < lines->capacity)
		return 0;
	const size_t capacity = lines->capacity != 0 ? 2 * lines->capacity : CAPACITY_FIRST;
	if (capacity > 2 * (size_t)NP_LINE_MAX)
		return np_fail(error, NP_ERROR_FAILED, EFBIG, "a line of more than %d MiB",
			       NP_LINE_MAX >> 20);
	char *buffer = realloc(lines->buffer, capacity);
	if (buffer == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for a line");
	lines->buffer = buffer;
	lines->capacity = capacity;
	return 0;
}

int np_lines_read(struct np_lines *lines, struct np_error *error)
{
	const int rc = make_room(lines, error);

	if (rc != 0)
		return rc;
	const ssize_t got = read(lines->fd, lines->buffer + lines->end,
				 lines->capacity - lines->end - 1);
	if (got < 0)
		return errno == EINTR ? 0 : np_fail_errno(error, errno, "cannot be read");
	lines->over = got == 0;
	lines->end += (size_t)got;
	lines->bytes += (uint64_t)got;
	return 0;
}

const char *np_lines_peek(struct np_lines *lines, struct np_error *error)
{
	while (!lines->over && lines->end - lines->begin < PEEK) {
		if (np_lines_read(lines, error) != 0)
			return NULL;
	}
	lines->buffer[lines->end] = '\0';
	/* Skip a UTF-8 byte order mark, which spreadsheets write. */
	if (lines->number == 0 && lines->begin == 0 &&
	    strncmp(lines->buffer, "\xef\xbb\xbf", 3) == 0)
		lines->begin = 3;
	return lines->buffer + lines->begin;
}

int np_lines_take(struct np_lines *lines, char **line, size_t *length,
		  struct np_error *error)
{
	const size_t held = lines->end - lines->begin;
	char *begin = held != 0 ? lines->buffer + lines->begin : NULL, *newline = NULL;

	if (held > lines->searched)
		newline = memchr(begin + lines->searched, '\n', held - lines->searched);
	lines->searched = newline != NULL || lines->over ? 0 : held;
	if (held == 0 || (newline == NULL && !lines->over))
		return 0;
	*line = begin;
	*length = newline != NULL ? (size_t)(newline - begin) : held;
	lines->cut = newline == NULL;
	lines->begin += *length + (newline != NULL);
	lines->number++;
	begin[*length] = '\0';
	if (memchr(begin, '\0', *length) != NULL)
		return np_malformed(error, "a zero byte");
	if (*length != 0 && begin[*length - 1] == '\r')
		begin[--*length] = '\0';
	return 1;
}

int np_lines_next(struct np_lines *lines, char **line, size_t *length,
		  struct np_error *error)
{
	int rc;

	while ((rc = np_lines_take(lines, line, length, error)) == 0 && !lines->over) {
		rc = np_lines_read(lines, error);
		if (rc != 0) {
			lines->number++; /* where it failed */
			return rc;
		}
	}
	return rc;
}

void np_lines_close(struct np_lines *lines)
{
	if (lines->fd >= 0)
		close(lines->fd);
	free(lines->buffer);
	lines->fd = -1;
	lines->buffer = NULL;
}
