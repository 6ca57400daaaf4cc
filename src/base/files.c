/*
 * files.c - small input files; output files: numbered names, creation, atomic replacement;
 * lines, by a sliding read buffer.
 */
#include "base/files.h"

#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/await.h"

/* Limit of numbered names, far above any use. */
enum { KEPT_MAX = 100000 };

/* Time for a program or a person to write a file of an option into a pipe. */
enum { FILE_MS = 30000 };

/* A file that a thread reads. */
struct reading {
	char *path, *text;
	size_t most, length;
	unsigned mode;
	int code; /* errno of a failure */
};

static void free_reading(void *context)
{
	struct reading *reading = context;

	free(reading->path);
	free(reading->text);
	free(reading);
}

static void read_file(void *context)
{
	struct reading *reading = context;
	const int fd = open(reading->path, O_RDONLY | O_CLOEXEC);
	struct stat status = { .st_mode = 0 };
	ssize_t got = fd < 0 || fstat(fd, &status) != 0 ? -1 : 1;

	while (got > 0 && reading->length <= reading->most) {
		got = read(fd, reading->text + reading->length,
			   reading->most + 1 - reading->length);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			reading->length += (size_t)got;
	}
	reading->code = got < 0 ? errno : 0;
	reading->mode = status.st_mode;
	if (fd >= 0)
		close(fd);
}

static struct reading *make_reading(const char *path, size_t most)
{
	struct reading *reading = calloc(1, sizeof(*reading));

	if (reading == NULL)
		return NULL;
	reading->most = most;
	reading->path = strdup(path);
	reading->text = malloc(most + 2);
	if (reading->path != NULL && reading->text != NULL)
		return reading;
	free_reading(reading);
	return NULL;
}

/* Moves the text out of a completed reading. */
static int take_text(struct reading *reading, struct np_file_content *content,
		     struct np_error *error)
{
	const char *path = reading->path;

	if (reading->code != 0)
		return np_fail(error, NP_ERROR_USAGE, reading->code,
			       "cannot read '%.200s': %s", path, strerror(reading->code));
	reading->text[reading->length] = '\0';
	if (strlen(reading->text) != reading->length)
		return np_fail(error, NP_ERROR_USAGE, EBADMSG,
			       "'%.200s' is no text: it has a zero byte", path);
	if (reading->length > reading->most)
		return np_fail(error, NP_ERROR_USAGE, EFBIG, "'%.200s' is too long", path);
	*content = (struct np_file_content){ .text = reading->text, .mode = reading->mode };
	reading->text = NULL;
	return 0;
}

int np_file_read(const char *path, size_t most, struct np_deadline deadline,
		 struct np_file_content *content, struct np_error *error)
{
	struct reading *reading = make_reading(path, most);

	*content = (struct np_file_content){ .text = NULL };
	if (reading == NULL)
		return np_fail_errno(error, ENOMEM, "cannot read '%.200s'", path);
	const struct np_awaited awaited = { .call = read_file,
					    .release = free_reading,
					    .context = reading };
	int rc = np_await(&awaited, deadline, error);
	if (rc == -ETIMEDOUT)
		return np_fail(error, NP_ERROR_USAGE, ETIMEDOUT,
			       "cannot read '%.200s': it has not ended within %u s", path,
			       deadline.seconds);
	if (rc != 0)
		return rc;
	rc = take_text(reading, content, error);
	free_reading(reading);
	return rc;
}

int np_file_text(const char *path, size_t most, char **text, struct np_error *error)
{
	struct np_file_content content;
	const int rc = np_file_read(path, most, np_deadline_in(FILE_MS), &content, error);

	*text = content.text;
	return rc;
}

static bool is_regular(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static int refuse_existing(const char *path, struct np_error *error)
{
	struct stat status;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return np_fail(error, NP_ERROR_USAGE, EISDIR,
			       "'%.200s' is a folder, not a regular file", path);
	return np_fail(error, NP_ERROR_USAGE, EEXIST,
		       is_regular(path) ?
			       "'%.200s' exists; --force overwrites it" :
			       "'%.200s' is not a regular file; --force writes to it",
		       path);
}

/* rename() that never overwrites.  File systems without RENAME_NOREPLACE leave a race. */
static int move_to_new_name(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (access(to, F_OK) == 0)
		return -EEXIST;
	return rename(from, to) == 0 ? 0 : -errno;
}

/*
 * Renames a regular file to the first of path.~1~, path.~2~ ... that does not exist, like
 * cp --backup=numbered.  *kept becomes that name, which the caller frees; NULL if there is
 * no such file.  Returns 0 or -errno.
 */
static int keep_file(const char *path, char **kept, struct np_error *error)
{
	int rc = -EEXIST;

	*kept = NULL;
	if (!is_regular(path))
		return 0;
	for (unsigned i = 1; rc == -EEXIST && i < KEPT_MAX; i++) {
		free(*kept);
		if (asprintf(kept, "%s.~%u~", path, i) < 0) {
			*kept = NULL;
			return np_fail_errno(error, ENOMEM, "cannot keep '%.200s'", path);
		}
		rc = move_to_new_name(path, *kept);
	}
	if (rc == 0)
		return 0;
	free(*kept);
	*kept = NULL;
	return np_fail_errno(
		error, -rc,
		"cannot keep '%.200s' under another name; --force overwrites it", path);
}

/* True for the name of standard output. */
static bool is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

int np_file_check(const char *path, bool force, struct np_error *error)
{
	return path == NULL || force || is_standard(path) || access(path, F_OK) != 0 ?
		       0 :
		       refuse_existing(path, error);
}

/* Checks that a new file may be created in the directory of path.  Returns 0 or -errno. */
static int check_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory =
		slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
	int rc = -ENOMEM;

	if (directory != NULL)
		rc = access(directory, W_OK | X_OK) == 0 ? 0 : -errno;
	free(directory);
	return rc;
}

int np_file_check_writable(const char *path, bool force, struct np_error *error)
{
	struct stat status;
	int rc = 0;

	if (path == NULL || is_standard(path))
		return 0;
	if (lstat(path, &status) != 0 || (S_ISREG(status.st_mode) && !force))
		rc = check_directory(path);
	else if (access(path, W_OK) != 0)
		rc = -errno;
	return rc == 0 ? 0 : np_fail_errno(error, rc, "cannot write '%.200s'", path);
}

/* Opens standard output as a file of its own.  Text of the process goes to standard error
 * from then on. */
static int take_standard(FILE **file, struct np_error *error)
{
	const int fd = fflush(stdout) == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1;

	*file = fd < 0 ? NULL : fdopen(fd, "w");
	if (*file != NULL && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		return 0;
	const int rc = np_fail_errno(error, errno, "cannot write to standard output");

	if (*file != NULL)
		fclose(*file);
	else if (fd >= 0)
		close(fd);
	*file = NULL;
	return rc;
}

/* Milliseconds for the reader of a FIFO to open it. */
enum { READER_MS = 2000 };

/* Opens for writing as open(2) does, but waits no longer than READER_MS for the reader of a
 * FIFO: ENXIO. */
static int open_to_write(const char *path, int flags)
{
	const struct np_deadline deadline = np_deadline_in(READER_MS);
	const struct timespec moment = { .tv_nsec = 10000000 };
	int fd = open(path, flags | O_NONBLOCK, 0666);

	while (fd < 0 && errno == ENXIO && !np_deadline_is_over(deadline)) {
		nanosleep(&moment, NULL);
		fd = open(path, flags | O_NONBLOCK, 0666);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static int create_file(const char *path, bool force, FILE **file, struct np_error *error)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL);
	const int fd = open_to_write(path, flags);

	if (fd < 0 && errno == EEXIST)
		return refuse_existing(path, error);
	if (fd < 0 && errno == ENXIO)
		return np_fail(error, NP_ERROR_FAILED, ENXIO,
			       "cannot write '%.200s': no process reads it", path);
	if (fd < 0)
		return np_fail_errno(error, errno, "cannot write '%.200s'", path);
	*file = fdopen(fd, "w");
	if (*file == NULL) {
		const int rc = np_fail_errno(error, errno, "cannot write '%.200s'", path);

		close(fd);
		return rc;
	}
	return 0;
}

int np_file_create_kept(const char *path, bool force, char **kept, FILE **file,
			struct np_error *error)
{
	*kept = NULL;
	if (is_standard(path))
		return take_standard(file, error);
	const int rc = force ? 0 : keep_file(path, kept, error);

	return rc != 0 ? rc : create_file(path, force, file, error);
}

int np_file_close(FILE *file, const char *path, struct np_error *error)
{
	int rc = 0;

	errno = 0;
	if (fflush(file) != 0 || ferror(file))
		rc = np_fail_errno(error, errno != 0 ? errno : EIO, "cannot write '%.200s'",
				   path);
	if (fclose(file) != 0 && rc == 0)
		rc = np_fail_errno(error, errno, "cannot write '%.200s'", path);
	return rc;
}

/* Returns whether standard output is a pipe without a reader, as after "| head". */
static bool is_reader_gone(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

int np_stdout_check(int rc, struct np_error *error)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return rc;
	if (is_reader_gone())
		return rc;
	if (error->kind == NP_ERROR_VERDICT || error->kind == NP_ERROR_UNDECIDED)
		*error = (struct np_error){ .code = 0 };
	return np_fail(error, NP_ERROR_FAILED, EIO,
		       "cannot write all of this to standard output: is it closed, or its "
		       "disk full?");
}

/* Creates a temporary file beside a regular one, with its permissions; false if that is
 * not possible. */
static bool open_beside(struct np_new_file *made, const char *path)
{
	struct stat status;
	int fd = -1;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	made->old = realpath(path, NULL);
	if (made->old != NULL && asprintf(&made->beside, "%s.XXXXXX", made->old) < 0)
		made->beside = NULL;
	if (made->beside != NULL)
		fd = mkostemp(made->beside, O_CLOEXEC);
	if (fd >= 0 && fchmod(fd, status.st_mode & 07777) == 0)
		made->file = fdopen(fd, "w");
	if (made->file != NULL)
		return true;
	if (fd >= 0) {
		close(fd);
		unlink(made->beside);
	}
	free(made->beside);
	free(made->old);
	made->beside = made->old = NULL;
	return false;
}

int np_new_file_open(struct np_new_file *new_file, const char *path, bool force,
		     struct np_error *error)
{
	*new_file = (struct np_new_file){ .path = path, .made = access(path, F_OK) != 0 };
	/* An existing file without write permission is opened in place, which fails. */
	if (new_file->made || !force || access(path, W_OK) != 0 ||
	    !open_beside(new_file, path))
		return create_file(path, force, &new_file->file, error);
	return 0;
}

int np_new_file_close(struct np_new_file *new_file, int rc, struct np_error *error)
{
	const char *beside = new_file->beside;
	const int closed = np_file_close(new_file->file, new_file->path, error);

	if (rc == 0)
		rc = closed;
	if (rc == 0 && beside != NULL && rename(beside, new_file->old) != 0)
		rc = np_fail_errno(error, errno, "cannot write '%.200s'", new_file->path);
	if (rc != 0 && (beside != NULL || new_file->made))
		unlink(beside != NULL ? beside : new_file->path);
	free(new_file->beside);
	free(new_file->old);
	*new_file = (struct np_new_file){ .file = NULL };
	return rc;
}

enum { PEEK = 1 << 20, CAPACITY_FIRST = 128 << 10 };

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
			lines->number++; /* number of the line that failed */
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
