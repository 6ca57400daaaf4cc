/*
 * in_memory.h - reading a result file that is in memory.
 */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/reading/reading.h"

/* As np_read_file() of a file with that name; aborts where there is no memory for one. */
static inline int read_memory(const char *path, const void *bytes, size_t length,
			      const char *format, struct np_run *run,
			      struct np_error *error)
{
	const int fd = memfd_create("file", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return np_read_fd(fd, path, format, run, error);
}
