/*
 * shm_access.c - permission check of process_vm_readv(2) between the two processes.
 *
 * The kernel applies the rules of ptrace(2), and Yama or a container may deny the call:
 * the error comes here, with the remedy, and not from the timed loop.
 */
#include "shm_private.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

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
