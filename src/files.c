/*
 * files.c - creating and closing what is written.
 */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int np_file_create(const char *path, bool force, FILE **file, struct np_error *error)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL);
	const int fd = open(path, flags, 0666);

	if (fd < 0 && errno == EEXIST)
		return np_fail(error, NP_ERROR_USAGE, EEXIST,
			       "'%.200s' exists; --force overwrites it", path);
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
