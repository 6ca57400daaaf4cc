/*
 * fake_gpu.c - the libraries of a GPU's driver, libcuda.so.1 and libamdhip64.so, without a
 * GPU: a shared object that holds its callers to what the interfaces say.
 *
 * Memory of the device is mapped twice: where callers have its address no access is
 * allowed, so that a load or store there ends the process.  A copy within the device, and
 * one from pages that are not locked, is done as late as the interface allows it.  What
 * may not be is said on stderr, and ends the process.
 *
 * In the environment:
 *     NP_FAKE_GPU_DEVICES   devices, 1
 *     NP_FAKE_GPU_FAIL      "cuMemAlloc_v2 2": this function returns this code
 *     NP_FAKE_GPU_READABLE  the process may load and store at addresses of the device
 *     NP_FAKE_GPU_WRONG     copies to or within the device change their last byte
 *     NP_FAKE_GPU_LOG       a file that gets a line of counts when a process ends
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	MOST = 16,
	SHIFT = 512, /* an address of the device is aligned to no more */
	CONTEXT = 77,
	INVALID_VALUE = 1,
	NOT_INITIALIZED = 3,
	INVALID_CONTEXT = 201,
	ALREADY_REGISTERED = 712
};

struct block {
	unsigned char *device, *shadow; /* NULL: none */
	size_t length;
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
	pid_t process;
	int contexts;
	struct block blocks[MOST], locked[MOST];
	struct pending pending;
	unsigned long copies[3], unwaited;
} fake = { .lock = PTHREAD_MUTEX_INITIALIZER };
static _Thread_local int current;

__attribute__((noreturn)) static void violated(const char *function, const char *what)
{
	fprintf(stderr, "fake_gpu: %s: %s\n", function, what);
	abort();
}

/* The code that a call is to return; else whether it may be made. */
static int enter(const char *function, bool needs_context)
{
	const char *fail = getenv("NP_FAKE_GPU_FAIL");
	const size_t length = strlen(function);

	if (fail != NULL && strncmp(fail, function, length) == 0 && fail[length] == ' ')
		return (int)strtol(fail + length, NULL, 10);
	if (fake.process == 0)
		return NOT_INITIALIZED;
	if (fake.process != getpid())
		violated(function, "called in a child of the process that called init");
	return needs_context && current != CONTEXT ? INVALID_CONTEXT : 0;
}

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

static unsigned char *shadow_of(const char *function, const void *at, size_t length)
{
	const struct block *block = find(fake.blocks, at, length);

	if (block == NULL)
		violated(function, "the range is in no allocation of the device");
	return block->shadow + ((const unsigned char *)at - block->device);
}

static void check_host(const char *function, const void *at)
{
	if (at == NULL || find(fake.blocks, at, 1) != NULL)
		violated(function, "an address of the host is needed");
}

static void do_pending(bool waits)
{
	struct pending *pending = &fake.pending;

	if (pending->to == NULL)
		return;
	memmove(pending->to, pending->from, pending->length);
	if (getenv("NP_FAKE_GPU_WRONG") != NULL && pending->length != 0)
		pending->to[pending->length - 1] ^= 1;
	fake.unwaited += pending->within && !waits;
	free(pending->staged);
	*pending = (struct pending){ .to = NULL };
}

static int copy_to(const char *function, void *to, const void *from, size_t length,
		   bool needs_context)
{
	const int code = enter(function, needs_context);

	if (code != 0)
		return code;
	pthread_mutex_lock(&fake.lock);
	check_host(function, from);
	do_pending(false);
	fake.copies[0]++;
	fake.pending = (struct pending){ .to = shadow_of(function, to, length),
					 .staged = malloc(length + 1),
					 .length = length };
	fake.pending.from = fake.pending.staged;
	memcpy(fake.pending.from, from, length);
	if (find(fake.locked, from, length) != NULL)
		do_pending(true);
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

static int copy_from(const char *function, void *to, const void *from, size_t length,
		     bool needs_context)
{
	const int code = enter(function, needs_context);

	if (code != 0)
		return code;
	pthread_mutex_lock(&fake.lock);
	check_host(function, to);
	do_pending(false);
	fake.copies[1]++;
	memcpy(to, shadow_of(function, from, length), length);
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

static int copy_within(const char *function, void *to, const void *from, size_t length,
		       bool needs_context)
{
	const int code = enter(function, needs_context);

	if (code != 0)
		return code;
	pthread_mutex_lock(&fake.lock);
	do_pending(false);
	fake.copies[2]++;
	fake.pending = (struct pending){ .to = shadow_of(function, to, length),
					 .from = shadow_of(function, from, length),
					 .length = length,
					 .within = true };
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

static int wait_for_all(const char *function, bool needs_context)
{
	const int code = enter(function, needs_context);

	if (code != 0)
		return code;
	pthread_mutex_lock(&fake.lock);
	do_pending(true);
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

static struct block *new_block(struct block *blocks)
{
	for (size_t i = 0; i < MOST; i++) {
		if (blocks[i].device == NULL)
			return &blocks[i];
	}
	abort();
}

static int allocate(const char *function, void **address, size_t length, bool needs_context)
{
	const int access =
		getenv("NP_FAKE_GPU_READABLE") != NULL ? PROT_READ | PROT_WRITE : PROT_NONE;
	const int code = enter(function, needs_context);

	if (code != 0 || length == 0)
		return code != 0 ? code : INVALID_VALUE;
	const int fd = memfd_create("fake_gpu", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)(length + SHIFT)) != 0)
		abort();
	unsigned char *device = mmap(NULL, length + SHIFT, access, MAP_SHARED, fd, 0);
	unsigned char *shadow =
		mmap(NULL, length + SHIFT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (device == MAP_FAILED || shadow == MAP_FAILED)
		abort();
	close(fd);
	pthread_mutex_lock(&fake.lock);
	*new_block(fake.blocks) = (struct block){ .device = device + SHIFT,
						  .shadow = shadow + SHIFT,
						  .length = length };
	pthread_mutex_unlock(&fake.lock);
	*address = device + SHIFT;
	return 0;
}

static int release(const char *function, void *address, bool needs_context)
{
	const int code = enter(function, needs_context);

	if (code != 0)
		return code;
	pthread_mutex_lock(&fake.lock);
	struct block *block = find(fake.blocks, address, 1);
	if (block == NULL || block->device != address)
		violated(function, "this is the begin of no allocation");
	do_pending(false);
	munmap(block->device - SHIFT, block->length + SHIFT);
	munmap(block->shadow - SHIFT, block->length + SHIFT);
	block->device = NULL;
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

static int lock_pages(const char *function, void *address, size_t length, unsigned flags,
		      bool needs_context)
{
	const int code = enter(function, needs_context);

	if (code != 0 || flags != 0)
		return code != 0 ? code : INVALID_VALUE;
	pthread_mutex_lock(&fake.lock);
	check_host(function, address);
	const bool twice = find(fake.locked, address, 1) != NULL;
	if (!twice)
		*new_block(fake.locked) =
			(struct block){ .device = address, .length = length };
	pthread_mutex_unlock(&fake.lock);
	return twice ? ALREADY_REGISTERED : 0;
}

static int unlock_pages(const char *function, void *address, bool needs_context)
{
	const int code = enter(function, needs_context);

	if (code != 0)
		return code;
	pthread_mutex_lock(&fake.lock);
	struct block *block = find(fake.locked, address, 1);
	if (block == NULL || block->device != address)
		violated(function, "these pages are not locked");
	block->device = NULL;
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

static int init(const char *function, unsigned flags)
{
	fake.process = fake.process == 0 ? getpid() : fake.process;
	const int code = enter(function, false);

	return code == 0 && flags != 0 ? INVALID_VALUE : code;
}

static int count_devices(const char *function, int *devices)
{
	const char *text = getenv("NP_FAKE_GPU_DEVICES");

	*devices = text != NULL ? (int)strtol(text, NULL, 10) : 1;
	return enter(function, false);
}

static int open_device(const char *function, int *device, int index)
{
	*device = 5;
	return index == 0 ? enter(function, false) : INVALID_VALUE;
}

static int name_device(const char *function, char *name, int size, int device)
{
	snprintf(name, (size_t)size, "Fake GPU");
	return device == 5 ? enter(function, false) : INVALID_VALUE;
}

static size_t count_blocks(const struct block *blocks)
{
	size_t count = 0;

	for (size_t i = 0; i < MOST; i++)
		count += blocks[i].device != NULL;
	return count;
}

__attribute__((destructor)) static void write_log(void)
{
	const char *path = getenv("NP_FAKE_GPU_LOG");
	FILE *file = path != NULL && fake.process == getpid() ? fopen(path, "ae") : NULL;

	if (file == NULL)
		return;
	fprintf(file,
		"left %zu locked %zu contexts %d unwaited %lu to %lu from %lu within %lu\n",
		count_blocks(fake.blocks), count_blocks(fake.locked), fake.contexts,
		fake.unwaited, fake.copies[0], fake.copies[1], fake.copies[2]);
	fclose(file);
}

/* ---- what is exported -------------------------------------------------------------- */

#define EXPORT __attribute__((visibility("default")))

/* The same function of both libraries; that of ROCm needs no context. */
#define BOTH(CUDA, ROCM, PARAMETERS, FUNCTION, ...)                                        \
	EXPORT int CUDA PARAMETERS;                                                        \
	EXPORT int CUDA PARAMETERS                                                         \
	{                                                                                  \
		const bool needs = true;                                                   \
		(void)needs;                                                               \
		return FUNCTION(#CUDA, __VA_ARGS__);                                       \
	}                                                                                  \
	EXPORT int ROCM PARAMETERS;                                                        \
	EXPORT int ROCM PARAMETERS                                                         \
	{                                                                                  \
		const bool needs = false;                                                  \
		(void)needs;                                                               \
		return FUNCTION(#ROCM, __VA_ARGS__);                                       \
	}

// clang-format off
BOTH(cuInit, hipInit, (unsigned flags), init, flags)
BOTH(cuDeviceGetCount, hipGetDeviceCount, (int *count), count_devices, count)
BOTH(cuDeviceGet, hipDeviceGet, (int *device, int index), open_device, device, index)
BOTH(cuDeviceGetName, hipDeviceGetName, (char *name, int size, int device), name_device, name, size, device)
BOTH(cuMemAlloc_v2, hipMalloc, (void **address, size_t length), allocate, address, length, needs)
BOTH(cuMemFree_v2, hipFree, (void *address), release, address, needs)
BOTH(cuMemcpyHtoD_v2, hipMemcpyHtoD, (void *to, const void *from, size_t length), copy_to, to, from, length, needs)
BOTH(cuMemcpyDtoH_v2, hipMemcpyDtoH, (void *to, const void *from, size_t length), copy_from, to, from, length, needs)
BOTH(cuMemcpyDtoD_v2, hipMemcpyDtoD, (void *to, const void *from, size_t length), copy_within, to, from, length, needs)
BOTH(cuCtxSynchronize, hipDeviceSynchronize, (void), wait_for_all, needs)
BOTH(cuMemHostRegister_v2, hipHostRegister, (void *at, size_t length, unsigned flags), lock_pages, at, length, flags, needs)
BOTH(cuMemHostUnregister, hipHostUnregister, (void *at), unlock_pages, at, needs)
// clang-format on

EXPORT int cuDriverGetVersion(int *version);
EXPORT int cuDriverGetVersion(int *version)
{
	*version = 12040;
	return 0;
}

EXPORT int hipDriverGetVersion(int *version);
EXPORT int hipDriverGetVersion(int *version)
{
	*version = 60140;
	return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device);
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
	const int code = enter(__func__, false);

	if (code != 0 || device != 5)
		return code != 0 ? code : INVALID_VALUE;
	fake.contexts++;
	*context = (void *)(uintptr_t)CONTEXT;
	return 0;
}

EXPORT int cuCtxSetCurrent(const void *context);
EXPORT int cuCtxSetCurrent(const void *context)
{
	const int code = enter(__func__, false);

	if (code != 0 || context != (const void *)(uintptr_t)CONTEXT || fake.contexts == 0)
		return code != 0 ? code : INVALID_CONTEXT;
	current = CONTEXT;
	return 0;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device);
EXPORT int cuDevicePrimaryCtxRelease_v2(int device)
{
	if (device != 5 || fake.contexts == 0)
		violated(__func__, "a context that is not retained");
	fake.contexts--;
	return 0;
}

static const char *name_of(int code)
{
	switch (code) {
	case 2:
		return "ERROR_OUT_OF_MEMORY";
	case 100:
		return "ERROR_NO_DEVICE";
	case INVALID_CONTEXT:
		return "ERROR_INVALID_CONTEXT";
	default:
		return NULL;
	}
}

EXPORT int cuGetErrorName(int code, const char **name);
EXPORT int cuGetErrorName(int code, const char **name)
{
	*name = name_of(code);
	return *name != NULL ? 0 : INVALID_VALUE;
}

EXPORT const char *hipGetErrorName(int code);
EXPORT const char *hipGetErrorName(int code)
{
	return name_of(code);
}
