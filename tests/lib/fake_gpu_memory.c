/*
 * fake_gpu_memory.c - memory of a GPU that is not there, and copies to, from and within it.
 *
 * It is mapped twice: where callers have its address no access is allowed, so that a load
 * or store there ends the process.  A copy within the device, and one from pages that are
 * not locked, is done as late as the interface allows it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/fake_gpu.h"

enum {
	MOST = 16,
	SHIFT = 512, /* an address of the device is aligned to no more */
	ALREADY_REGISTERED = 712
};

struct block {
	unsigned char *device, *shadow; /* NULL: none */
	size_t length;
	int file; /* of both */
};

/* A copy that is not done yet. */
struct pending {
	unsigned char *to, *from; /* in a shadow; from: in one, or `staged` */
	void *staged;
	size_t length;
	bool within;
};

static struct {
	pthread_mutex_t lock;
	struct block blocks[MOST], locked[MOST];
	struct pending pending;
	unsigned long copies[3], unwaited;
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct block *find(struct block *blocks, const void *at, size_t length)
{
	const uintptr_t address = (uintptr_t)at;

	for (size_t i = 0; i < MOST; i++) {
		const uintptr_t begin = (uintptr_t)blocks[i].device;

		if (begin != 0 && address >= begin && address < begin + blocks[i].length)
			return length <= begin + blocks[i].length - address ? &blocks[i] :
									      NULL;
	}
	return NULL;
}

static struct block *new_block(struct block *blocks)
{
	for (size_t i = 0; i < MOST; i++) {
		if (blocks[i].device == NULL)
			return &blocks[i];
	}
	abort();
}

static unsigned char *shadow_of(const void *at, size_t length)
{
	const struct block *block = find(memory.blocks, at, length);

	if (block == NULL)
		fake_gpu_violated("the range is in no allocation of the device");
	return block->shadow + ((const unsigned char *)at - block->device);
}

static void check_host(const void *at)
{
	if (at == NULL || find(memory.blocks, at, 1) != NULL)
		fake_gpu_violated("an address of the host is needed");
}

static void do_pending(bool waits)
{
	struct pending *pending = &memory.pending;

	if (pending->to == NULL)
		return;
	memmove(pending->to, pending->from, pending->length);
	if (getenv("NP_FAKE_GPU_WRONG") != NULL && pending->length != 0)
		pending->to[pending->length - 1] ^= 1;
	memory.unwaited += pending->within && !waits;
	free(pending->staged);
	*pending = (struct pending){ .to = NULL };
}

int fake_gpu_copy_to(void *to, const void *from, size_t length)
{
	pthread_mutex_lock(&memory.lock);
	check_host(from);
	do_pending(false);
	memory.copies[0]++;
	memory.pending = (struct pending){ .to = shadow_of(to, length),
					   .staged = malloc(length + 1),
					   .length = length };
	memory.pending.from = memory.pending.staged;
	memcpy(memory.pending.from, from, length);
	if (find(memory.locked, from, length) != NULL)
		do_pending(true);
	pthread_mutex_unlock(&memory.lock);
	return 0;
}

int fake_gpu_copy_from(void *to, const void *from, size_t length)
{
	pthread_mutex_lock(&memory.lock);
	check_host(to);
	do_pending(false);
	memory.copies[1]++;
	memcpy(to, shadow_of(from, length), length);
	pthread_mutex_unlock(&memory.lock);
	return 0;
}

int fake_gpu_copy_within(void *to, const void *from, size_t length)
{
	pthread_mutex_lock(&memory.lock);
	do_pending(false);
	memory.copies[2]++;
	memory.pending = (struct pending){ .to = shadow_of(to, length),
					   .from = shadow_of(from, length),
					   .length = length,
					   .within = true };
	pthread_mutex_unlock(&memory.lock);
	return 0;
}

int fake_gpu_wait(void)
{
	pthread_mutex_lock(&memory.lock);
	do_pending(true);
	pthread_mutex_unlock(&memory.lock);
	return 0;
}

int fake_gpu_allocate(void **address, size_t length)
{
	const int access =
		getenv("NP_FAKE_GPU_READABLE") != NULL ? PROT_READ | PROT_WRITE : PROT_NONE;

	if (length == 0)
		return FAKE_GPU_INVALID_VALUE;
	const int fd = memfd_create("fake_gpu", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)(length + SHIFT)) != 0)
		abort();
	unsigned char *device = mmap(NULL, length + SHIFT, access, MAP_SHARED, fd, 0);
	unsigned char *shadow =
		mmap(NULL, length + SHIFT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (device == MAP_FAILED || shadow == MAP_FAILED)
		abort();
	pthread_mutex_lock(&memory.lock);
	*new_block(memory.blocks) = (struct block){ .device = device + SHIFT,
						    .shadow = shadow + SHIFT,
						    .length = length,
						    .file = fd };
	pthread_mutex_unlock(&memory.lock);
	*address = device + SHIFT;
	return 0;
}

int fake_gpu_free(void *address)
{
	pthread_mutex_lock(&memory.lock);
	struct block *block = find(memory.blocks, address, 1);
	if (block == NULL || block->device != address)
		fake_gpu_violated("this is the begin of no allocation");
	do_pending(false);
	munmap(block->device - SHIFT, block->length + SHIFT);
	munmap(block->shadow - SHIFT, block->length + SHIFT);
	close(block->file);
	block->device = NULL;
	pthread_mutex_unlock(&memory.lock);
	return 0;
}

int fake_gpu_lock_pages(void *address, size_t length, unsigned flags)
{
	if (flags != 0)
		return FAKE_GPU_INVALID_VALUE;
	pthread_mutex_lock(&memory.lock);
	check_host(address);
	const bool twice = find(memory.locked, address, 1) != NULL;
	if (!twice)
		*new_block(memory.locked) =
			(struct block){ .device = address, .length = length };
	pthread_mutex_unlock(&memory.lock);
	return twice ? ALREADY_REGISTERED : 0;
}

int fake_gpu_unlock_pages(void *address)
{
	pthread_mutex_lock(&memory.lock);
	struct block *block = find(memory.locked, address, 1);
	if (block == NULL || block->device != address)
		fake_gpu_violated("these pages are not locked");
	block->device = NULL;
	pthread_mutex_unlock(&memory.lock);
	return 0;
}

int fake_gpu_open_dmabuf(const void *at, size_t length, int *descriptor, uint64_t *begin)
{
	char path[48];

	pthread_mutex_lock(&memory.lock);
	const unsigned char *shadow = shadow_of(at, length);
	const struct block *block = find(memory.blocks, at, length);

	*begin = (uint64_t)(shadow - (block->shadow - SHIFT));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", block->file);
	*descriptor = open(path, O_RDWR | O_CLOEXEC);
	pthread_mutex_unlock(&memory.lock);
	if (*descriptor < 0)
		abort();
	return 0;
}

/* Descriptors of blocks that callers have not closed. */
static size_t count_dmabufs(void)
{
	static const char name[] = "/memfd:fake_gpu";
	DIR *folder = opendir("/proc/self/fd");
	char target[64] = "";
	size_t count = 0;

	for (const struct dirent *entry;
	     folder != NULL && (entry = readdir(folder)) != NULL;)
		count += readlinkat(dirfd(folder), entry->d_name, target, sizeof(target)) >=
				 (ssize_t)sizeof(name) - 1 &&
			 memcmp(target, name, sizeof(name) - 1) == 0;
	if (folder != NULL)
		closedir(folder);
	for (size_t i = 0; i < MOST; i++)
		count -= memory.blocks[i].device != NULL;
	return count;
}

static size_t count_blocks(const struct block *blocks)
{
	size_t count = 0;

	for (size_t i = 0; i < MOST; i++)
		count += blocks[i].device != NULL;
	return count;
}

void fake_gpu_log_left(FILE *file)
{
	fprintf(file, "left %zu locked %zu dmabufs %zu", count_blocks(memory.blocks),
		count_blocks(memory.locked), count_dmabufs());
}

void fake_gpu_log_copies(FILE *file)
{
	fprintf(file, "unwaited %lu to %lu from %lu within %lu", memory.unwaited,
		memory.copies[0], memory.copies[1], memory.copies[2]);
}
