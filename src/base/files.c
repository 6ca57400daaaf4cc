/*
 * files.c - output files: create, atomic replacement, close.
 */
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_existing(const char *path, struct np_error *error)
{
	return np_fail(error, NP_ERROR_USAGE, EEXIST,
		       "'%.200s' exists; --force overwrites it", path);
}

int np_file_check(const char *path, bool force, struct np_error *error)
{
	return path == NULL || force || access(path, F_OK) != 0 ?
		       0 :
		       refuse_existing(path, error);
}

int np_file_create(const char *path, bool force, FILE **file, struct np_error *error)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL);
	const int fd = open(path, flags, 0666);

	if (fd < 0 && errno == EEXIST)
		return refuse_existing(path, error);
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
		return np_file_create(path, force, &new_file->file, error);
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
