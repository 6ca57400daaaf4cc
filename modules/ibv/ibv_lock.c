/*
 * ibv_lock.c - how much memory this process may lock, and how much of that is left for
 * messages.
 *
 * The kernel counts what a device pins, buffers and the queues of most adapters alike,
 * against RLIMIT_MEMLOCK.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ibv_private.h"

/* Bytes of a queue's entry, at least as large as of common adapters (mlx5: 320 bytes of a
 * send with inline data, 16 of a receive, 64 of a completion). */
enum { SEND_ENTRY = 512, RECV_ENTRY = 32, COMPLETION_ENTRY = 64 };

/* Doorbells, and the buffer of control messages. */
enum { OTHERS = 32 << 10 };

/*
 * True if mlock(2) exceeds the limit: the kernel requires CAP_IPC_LOCK in the first user
 * namespace, while /proc/self/status shows the capability in the process's own namespace.
 * No page is touched.
 */
static bool locks_beyond(size_t limit)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t length = limit - limit % page + page;
	void *memory = mmap(NULL, length, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	const bool locked = mlock2(memory, length, MLOCK_ONFAULT) == 0;

	munmap(memory, length);
	return locked;
}

size_t np_ibv_lock_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    locks_beyond((size_t)limit.rlim_cur))
		return 0;
	/* 0 would mean unlimited. */
	return limit.rlim_cur != 0 ? (size_t)limit.rlim_cur : 1;
}

size_t np_ibv_locked(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	static const char title[] = "VmPin:";
	unsigned long long pinned = 0;
	char line[256];

	if (file == NULL)
		return 0;
	while (fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, title, sizeof(title) - 1) == 0)
			pinned = strtoull(line + sizeof(title) - 1, NULL, 10);
	}
	fclose(file);
	return (size_t)pinned << 10;
}

/* Devices round up to a power of two. */
static size_t queue_bytes(uint64_t depth, size_t entry)
{
	size_t entries = 1;

	while (entries < depth)
		entries *= 2;
	return entries * entry;
}

size_t np_ibv_queue_share(const struct np_ibv_options *options)
{
	const uint64_t sends = np_ibv_send_depth(options);
	const uint64_t receives = np_ibv_recv_depth(options) + NP_IBV_CONTROLS;
	const size_t pair = queue_bytes(sends, SEND_ENTRY) +
			    queue_bytes(receives, RECV_ENTRY) +
			    queue_bytes(sends + 1, COMPLETION_ENTRY) +
			    queue_bytes(receives + 1, COMPLETION_ENTRY);

	return OTHERS + (size_t)options->qps * pair;
}

size_t np_ibv_lockable(const struct np_ibv_options *options)
{
	const size_t limit = np_ibv_lock_limit(), share = np_ibv_queue_share(options);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	/* A small limit is halved: the queues of a device that pins little, or nothing as
	 * RDMA in software, fit into the rest. */
	const size_t left = limit / 2 > share ? limit - share : limit / 2;

	if (limit == 0)
		return 0;
	/* Whole pages; 0 would mean no limit. */
	return left >= page ? left & ~(page - 1) : 1;
}

int np_ibv_check_lockable(const struct np_ibv_options *options, struct np_request *request,
			  struct np_error *error)
{
	/* Neither locks pages of the host. */
	const bool free = options->on_demand || request->memory != NP_MEMORY_HOST;
	const size_t lockable = free ? 0 : np_ibv_lockable(options);

	request->pool_most = lockable;
	if (lockable == 0 || request->largest <= lockable / 2)
		return 0;
	return np_fail(error, NP_ERROR_USAGE, ENOMEM,
		       "-u: module ibv: two buffers of %zu bytes do not fit: this user may "
		       "lock %zu KiB (ulimit -l), %zu KiB of it for messages: raise "
		       "memlock in /etc/security/limits.conf, or take a smaller -u",
		       request->largest, np_ibv_lock_limit() >> 10, lockable >> 10);
}
