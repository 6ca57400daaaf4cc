/*
 * lines.c - a sliding read buffer over a file.
 */
#include "report/reading/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

enum { PEEK = 64 << 10 };

/* Makes space at the end of the buffer, for at least one byte and a terminating zero. */
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
	const size_t capacity =
		lines->capacity != 0 ? 2 * lines->capacity : 2 * (size_t)PEEK;
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

int np_lines_open(struct np_lines *lines, const char *path, struct np_error *error)
{
	struct stat status;

	*lines = (struct np_lines){ .fd = -1, .path = path };
	if (strcmp(path, "-") == 0) {
		lines->path = "standard input";
		lines->fd = dup(STDIN_FILENO);
	} else {
		lines->fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (lines->fd < 0)
		return np_fail_errno(error, errno, "cannot read '%.200s'", path);
	if (fstat(lines->fd, &status) == 0 && S_ISREG(status.st_mode))
		lines->size_bytes = (uint64_t)status.st_size;
	lines->progress = isatty(STDERR_FILENO);
	return make_room(lines, error);
}

int np_lines_from(struct np_lines *lines, const char *path, const void *bytes,
		  size_t length, struct np_error *error)
{
	*lines = (struct np_lines){ .fd = -1, .path = path, .over = true };
	lines->buffer = malloc(length + 1);
	if (lines->buffer == NULL)
		return np_fail_errno(error, ENOMEM, "cannot read '%.200s'", path);
	memcpy(lines->buffer, bytes, length);
	lines->capacity = length + 1;
	lines->end = length;
	return 0;
}

void np_lines_close(struct np_lines *lines)
{
	if (lines->shown)
		fputs("\r\033[K", stderr);
	if (lines->fd >= 0)
		close(lines->fd);
	free(lines->buffer);
	lines->buffer = NULL;
	lines->fd = -1;
}

static void show_progress(struct np_lines *lines)
{
	const uint64_t now = np_clock_ns(), tenth = 100000000;

	if (!lines->progress || now - lines->shown_ns < tenth)
		return;
	/* No progress line in the first 0.1 s. */
	if (lines->shown_ns != 0) {
		if (lines->size_bytes != 0)
			fprintf(stderr, "\rreading %s: %.0f %%\033[K", lines->path,
				100 * (double)lines->read_bytes /
					(double)lines->size_bytes);
		else
			fprintf(stderr, "\rreading %s: line %zu\033[K", lines->path,
				lines->number);
		lines->shown = true;
	}
	lines->shown_ns = now;
}

/* Reads some more of the file. */
static int fill(struct np_lines *lines, struct np_error *error)
{
	const int rc = make_room(lines, error);
	ssize_t got;

	if (rc != 0)
		return rc;
	do {
		got = read(lines->fd, lines->buffer + lines->end,
			   lines->capacity - lines->end - 1);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return np_fail_errno(error, errno, "cannot be read");
	lines->over = got == 0;
	lines->end += (size_t)got;
	lines->read_bytes += (uint64_t)got;
	show_progress(lines);
	return 0;
}

const char *np_lines_peek(struct np_lines *lines, struct np_error *error)
{
	while (!lines->over && lines->end - lines->begin < PEEK) {
		if (fill(lines, error) != 0)
			return NULL;
	}
	/* make_room() and np_lines_from() reserve this byte. */
	lines->buffer[lines->end] = '\0';
	/* Skip a UTF-8 byte order mark, which spreadsheets write. */
	if (lines->number == 0 && lines->begin == 0 &&
	    strncmp(lines->buffer, "\xef\xbb\xbf", 3) == 0)
		lines->begin = 3;
	return lines->buffer + lines->begin;
}

int np_lines_next(struct np_lines *lines, char **line, size_t *length,
		  struct np_error *error)
{
	size_t seen = 0; /* bytes already searched for a newline */
	char *newline = NULL;

	for (;;) {
		char *begin = lines->buffer + lines->begin;

		if (lines->end > lines->begin + seen)
			newline = memchr(begin + seen, '\n',
					 lines->end - lines->begin - seen);
		if (newline != NULL || lines->over)
			break;
		seen = lines->end - lines->begin;
		const int rc = fill(lines, error);

		if (rc != 0) {
			lines->number++;
			return rc;
		}
	}
	if (lines->begin == lines->end)
		return 0;
	*line = lines->buffer + lines->begin;
	*length = newline != NULL ? (size_t)(newline - *line) : lines->end - lines->begin;
	lines->cut = newline == NULL;
	lines->begin += *length + (newline != NULL);
	lines->number++;
	(*line)[*length] = '\0';
	if (memchr(*line, '\0', *length) != NULL)
		return np_fail(error, NP_ERROR_FAILED, EBADMSG, "a zero byte");
	if (*length != 0 && (*line)[*length - 1] == '\r')
		(*line)[--*length] = '\0';
	return 1;
}
