/*
 * shm_system.c - what the kernel does for two processes: shared memory, permission to read
 * the peer's memory, futexes.
 *
 * The shared memory has the words of both processes in its first page, then the ring of
 * each.  No file system has its name: a killed process leaves nothing behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/shared_memory.h"
#include "shm_wait.h"

enum { FIRST_RING = 4096 };

static_assert(2 * sizeof(struct shm_words) <= FIRST_RING, "the words have to fit");

/* Rank 0 creates the memory and sends its path, at which rank 1 opens it. */
static int open_both(struct shm_endpoint *shm, int *segment)
{
	struct np_boot *boot = shm->np.boot;
	struct np_error *error = &shm->np.error;
	char path[NP_SHARED_PATH] = "", theirs[NP_SHARED_PATH] = "";
	int fd = -1;

	if (shm->np.rank == 0) {
		fd = np_shared_memory_create(shm->memory_length, path);
		if (fd < 0)
			return np_fail_errno(error, fd,
					     "cannot create %zu bytes of shared memory",
					     shm->memory_length);
	}
	int rc = np_boot_exchange(boot, path, theirs, sizeof(path), error);
	if (rc == 0 && shm->np.rank == 1) {
		theirs[sizeof(theirs) - 1] = '\0';
		fd = np_shared_memory_open(theirs, shm->memory_length);
		if (fd == -EMSGSIZE || fd == -EPERM)
			return np_fail(error, NP_ERROR_PEER, EPROTO,
				       "the peer's shared memory is %s",
				       fd == -EPERM ? "not sealed" : "too short");
		if (fd < 0)
			return np_fail_errno(error, fd, "cannot open shared memory %s",
					     theirs);
	}
	if (rc == 0)
		rc = np_boot_exchange(boot, NULL, NULL, 0, error);
	if (rc != 0) {
		if (fd >= 0)
			close(fd);
		return rc;
	}
	*segment = fd;
	return 0;
}

/* Allocates the memory now: otherwise a lack of memory is a SIGBUS at the first access. */
static int allocate(struct shm_endpoint *shm, int fd)
{
	struct np_error *error = &shm->np.error;
	int code;

	do
		code = posix_fallocate(fd, 0, (off_t)shm->memory_length);
	while (code == EINTR);
	if (code == ENOSPC || code == ENOMEM || code == EFBIG)
		return np_fail(error, NP_ERROR_FAILED, code,
			       "no room for %zu bytes of shared memory: end programs that "
			       "take memory, or use a smaller --ring",
			       shm->memory_length);
	if (code != 0)
		return np_fail_errno(error, code,
				     "cannot allocate %zu bytes of shared memory",
				     shm->memory_length);
	return 0;
}

static int map(struct shm_endpoint *shm, int fd)
{
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

/*
 * Permission check of process_vm_readv(2) between the two processes.
 *
 * The kernel applies the rules of ptrace(2), and Yama or a container may deny the call:
 * the error comes here, with the remedy, and not from the timed loop.
 */

/* The address of a word in the sender's memory, and its value. */
struct introduction {
	uint64_t address;
	uint64_t word;
};

static int explain(struct np_error *error, int code)
{
	if (code == ENOSYS)
		return np_fail(error, NP_ERROR_FAILED, code,
			       "the kernel has no process_vm_readv "
			       "(CONFIG_CROSS_MEMORY_ATTACH); use --transfer ring");
	if (code == EPERM)
		return np_fail(
			error, NP_ERROR_FAILED, code,
			"the kernel refuses process_vm_readv between the two processes: "
			"set kernel.yama.ptrace_scope to 0 or 1, in a container add "
			"the capability SYS_PTRACE, or use --transfer ring");
	return np_fail_errno(error, code,
			     "cannot read the peer's memory by process_vm_readv");
}

int np_shm_check_access(struct shm_endpoint *shm)
{
	struct np_error *error = &shm->np.error;
	volatile uint64_t word = UINT64_C(0x6e65747031) + (uint64_t)getpid();
	const struct introduction mine = { .address = (uintptr_t)&word, .word = word };
	struct introduction theirs;
	uint64_t read = 0;
	int code = 0;

	/* Yama's ptrace_scope 1 permits descendants only: permit the peer, too.  Without
	 * Yama the call fails and is not needed. */
	(void)prctl(PR_SET_PTRACER, (unsigned long)shm->peer, 0, 0, 0);
	int rc = np_boot_exchange(shm->np.boot, &mine, &theirs, sizeof(mine), error);
	if (rc != 0)
		return rc;

	const struct iovec local = { .iov_base = &read, .iov_len = sizeof(read) };
	const struct iovec remote = { .iov_base = (void *)(uintptr_t)theirs.address,
				      .iov_len = sizeof(read) };
	if (process_vm_readv(shm->peer, &local, 1, &remote, 1, 0) < 0)
		code = errno;
	else if (read != theirs.word)
		code = EIO;
	if (code != 0)
		return explain(error, code);
	/* Barrier: `word` must stay in scope until the peer has read it. */
	return np_boot_exchange(shm->np.boot, NULL, NULL, 0, error);
}

/*
 * FUTEX_WAIT and FUTEX_WAKE, out of line, as they cost a system call
 * anyway.  shm_wait.h proves that no wake-up is lost.
 */

/* Interval at which a sleeping process checks the stop flag. */
enum { SHM_SLEEP_NS = 50 * 1000 * 1000 };

/* No FUTEX_PRIVATE_FLAG: the peer is another process.  The result does not matter: the
 * caller tests its condition again. */
static void sleep_while(_Atomic uint32_t *word, uint32_t value)
{
	const struct timespec timeout = { .tv_nsec = SHM_SLEEP_NS };

	(void)syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

int np_shm_sleep(struct shm_endpoint *shm, unsigned events)
{
	int rc = 0;

	for (;;) {
		/* Store the futex before the test, both sequentially consistent. */
		atomic_store_explicit(shm->own_futex, events, memory_order_seq_cst);
		if (shm_happened(&shm->port, events, memory_order_seq_cst))
			break;
		if (np_should_stop(&shm->np)) {
			rc = -ECANCELED;
			break;
		}
		sleep_while(shm->own_futex, events);
	}
	/* Relaxed: a peer that reads the old value makes a spurious wake-up. */
	atomic_store_explicit(shm->own_futex, 0, memory_order_relaxed);
	return rc;
}

void np_shm_wake(struct shm_endpoint *shm)
{
	/* Relaxed: the system call follows, and FUTEX_WAIT compares the word under the
	 * lock that FUTEX_WAKE takes. */
	atomic_store_explicit(shm->peer_futex, 0, memory_order_relaxed);
	(void)syscall(SYS_futex, shm->peer_futex, FUTEX_WAKE, 1, NULL, NULL, 0);
}
