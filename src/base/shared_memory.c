/*
 * shared_memory.c - sealed memory, opened through /proc.
 */
#include "base/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

int np_shared_memory_create(size_t length, char path[NP_SHARED_PATH])
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	const int fd = memfd_create("netpong", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (fchmod(fd, 0600) != 0 || ftruncate(fd, (off_t)length) != 0 ||
	    fcntl(fd, F_ADD_SEALS, seals) != 0) {
		const int rc = -errno;

		close(fd);
		return rc;
	}
	snprintf(path, NP_SHARED_PATH, "/proc/%ld/fd/%d", (long)getpid(), fd);
	return fd;
}

/* Returns 0 for memory of `length` bytes at least that cannot be cut off, or -errno. */
static int check(int fd, size_t length)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct statfs system;
	struct stat status;

	if (fstat(fd, &status) != 0 || fstatfs(fd, &system) != 0)
		return -errno;
	/* Huge pages may be missing at an access, sealed or not. */
	if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || system.f_type != TMPFS_MAGIC)
		return -EPERM;
	return status.st_size < (off_t)length ? -EMSGSIZE : 0;
}

int np_shared_memory_open(const char *path, size_t length)
{
	struct stat status;

	/* Before open(), which waits at a FIFO and may change a device. */
	if (stat(path, &status) != 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EPERM;
	const int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	const int rc = check(fd, length);
	if (rc != 0) {
		close(fd);
		return rc;
	}
	return fd;
}
