/*
 * shm_segment.c - the POSIX shared memory object: the words of both processes in the
 * first page, then the ring of each.
 *
 * Memory is allocated only after shm_unlink(): a process killed in between may leave an
 * empty file behind, but never memory.
 */
#include "shm_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_RING = 4096, NAME_ATTEMPTS = 8 };

static_assert(2 * sizeof(struct shm_words) <= FIRST_RING, "the words have to fit");

struct segment_name {
	char text[48];
};

static int create(struct segment_name *name, struct np_error *error)
{
	for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
		uint64_t random;

		if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
			return np_fail_errno(error, errno, "cannot get random bytes");
		snprintf(name->text, sizeof(name->text), "/netpong-%016llx",
			 (unsigned long long)random);
		int fd = shm_open(name->text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd :
					 np_fail_errno(error, errno,
						       "cannot create shared memory %s",
						       name->text);
	}
	return np_fail(error, NP_ERROR_FAILED, EEXIST,
		       "cannot find a free name for shared memory");
}

/* Rank 0 creates the object, rank 1 opens it, and both unlink it: either may be killed
 * in between. */
static int open_both(struct shm_endpoint *shm, int *segment)
{
	struct np_boot *boot = shm->np.boot;
	struct np_error *error = &shm->np.error;
	struct segment_name name = { "" }, theirs = { "" };
	int fd = -1, rc;

	if (shm->np.rank == 0) {
		fd = create(&name, error);
		if (fd < 0)
			return fd;
	}
	rc = np_boot_exchange(boot, &name, &theirs, sizeof(name), error);
	if (rc == 0 && shm->np.rank == 1) {
		theirs.text[sizeof(theirs.text) - 1] = '\0';
		fd = shm_open(theirs.text, O_RDWR | O_CLOEXEC, 0);
		if (fd < 0)
			return np_fail_errno(error, errno, "cannot open shared memory %s",
					     theirs.text);
		shm_unlink(theirs.text);
	}
	if (rc == 0)
		rc = np_boot_exchange(boot, NULL, NULL, 0, error);
	if (shm->np.rank == 0)
		shm_unlink(name.text);
	if (rc != 0) {
		if (fd >= 0)
			close(fd);
		return rc;
	}
	*segment = fd;
	return 0;
}

/* Allocates the memory now: otherwise a full /dev/shm is a SIGBUS at the first
 * access. */
static int allocate(struct shm_endpoint *shm, int fd)
{
	struct np_error *error = &shm->np.error;
	int code;

	do
		code = posix_fallocate(fd, 0, (off_t)shm->memory_length);
	while (code == EINTR);
	if (code == ENOSPC || code == ENOMEM || code == EFBIG)
		return np_fail(
			error, NP_ERROR_FAILED, code,
			"no room for %zu bytes of shared memory: /dev/shm is full or "
			"limited; make room there or ask for a smaller --ring",
			shm->memory_length);
	if (code != 0)
		return np_fail_errno(error, code,
				     "cannot allocate %zu bytes of shared memory",
				     shm->memory_length);
	return 0;
}

static int map(struct shm_endpoint *shm, int fd)
{
	struct stat status;

	/* Beyond its end the first access would be a SIGBUS. */
	if (fstat(fd, &status) != 0 || (size_t)status.st_size < shm->memory_length)
		return np_fail(&shm->np.error, NP_ERROR_PEER, EPROTO,
			       "the peer's shared memory is shorter than %zu bytes",
			       shm->memory_length);
	/* MAP_POPULATE: no page faults in the timed loop. */
	void *memory = mmap(NULL, shm->memory_length, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_POPULATE, fd, 0);

	if (memory == MAP_FAILED)
		return np_fail_errno(&shm->np.error, errno,
				     "cannot map %zu bytes of shared memory",
				     shm->memory_length);
	shm->memory = memory;
	return 0;
}

int np_shm_map_segment(struct shm_endpoint *shm)
{
	int fd = -1, rc;

	shm->memory_length = FIRST_RING + 2 * shm->ring_length;
	rc = open_both(shm, &fd);
	if (rc != 0)
		return rc;
	if (shm->np.rank == 0)
		rc = allocate(shm, fd);
	/* Barrier: rank 1 must not map the object before its memory is allocated. */
	if (rc == 0)
		rc = np_boot_exchange(shm->np.boot, NULL, NULL, 0, &shm->np.error);
	if (rc == 0)
		rc = map(shm, fd);
	close(fd);
	return rc;
}

void np_shm_unmap_segment(struct shm_endpoint *shm)
{
	if (shm->memory != NULL)
		munmap(shm->memory, shm->memory_length);
	shm->memory = NULL;
}

struct shm_words *np_shm_words(const struct shm_endpoint *shm, int rank)
{
	return (struct shm_words *)(void *)shm->memory + rank;
}

unsigned char *np_shm_cells(const struct shm_endpoint *shm, int rank)
{
	return shm->memory + FIRST_RING + (size_t)rank * shm->ring_length;
}
