/*
 * fake_gpu.c - the libraries of a GPU's driver, libcuda.so.1 and libamdhip64.so, without a
 * GPU: a shared object that holds its callers to what the interfaces say.  What may not be
 * is said on stderr, and ends the process.  fake_gpu_memory.c has the memory; here are
 * devices, contexts and the names of the functions.
 *
 * A dmabuf is a file: bytes of the device begin at the offset that its descriptor has, and
 * where that of ROCm says.  -DFAKE_GPU_OLD leaves out what opens one.
 *
 * In the environment:
 *     NP_FAKE_GPU_DEVICES   devices, 1
 *     NP_FAKE_GPU_FAIL      "cuMemAlloc_v2 2": this function returns this code
 *     NP_FAKE_GPU_READABLE  the process may load and store at addresses of the device
 *     NP_FAKE_GPU_WRONG     copies to or within the device change their last byte
 *     NP_FAKE_GPU_LOG       a file that gets a line of counts when a process ends
 */
#include "tests/lib/fake_gpu.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICE = 5, CONTEXT = 77, NOT_INITIALIZED = 3, INVALID_CONTEXT = 201 };

/* Shared by the threads of a process, which may call at any time. */
static struct {
	_Atomic pid_t process;
	atomic_int contexts;
} fake;
static _Thread_local int current;
static _Thread_local const char *called; /* of the interfaces: the function that runs */

void fake_gpu_violated(const char *what)
{
	fprintf(stderr, "fake_gpu: %s: %s\n", called, what);
	abort();
}

/* The code that a call is to return; else whether it may be made. */
static int enter(const char *function, bool needs_context)
{
	const char *fail = getenv("NP_FAKE_GPU_FAIL");
	const size_t length = strlen(function);

	called = function;
	if (fail != NULL && strncmp(fail, function, length) == 0 && fail[length] == ' ')
		return (int)strtol(fail + length, NULL, 10);
	if (fake.process == 0)
		return NOT_INITIALIZED;
	if (fake.process != getpid())
		fake_gpu_violated("called in a child of the process that called init");
	return needs_context && current != CONTEXT ? INVALID_CONTEXT : 0;
}

static int init(const char *function, unsigned flags)
{
	if (fake.process == 0)
		fake.process = getpid();
	const int code = enter(function, false);

	return code == 0 && flags != 0 ? FAKE_GPU_INVALID_VALUE : code;
}

static int count_devices(int *devices)
{
	const char *text = getenv("NP_FAKE_GPU_DEVICES");

	*devices = text != NULL ? (int)strtol(text, NULL, 10) : 1;
	return 0;
}

static int open_device(int *device, int index)
{
	*device = DEVICE;
	return index == 0 ? 0 : FAKE_GPU_INVALID_VALUE;
}

static int name_device(char *name, int size, int device)
{
	snprintf(name, (size_t)size, "Fake GPU");
	return device == DEVICE ? 0 : FAKE_GPU_INVALID_VALUE;
}

static int retain_context(void **context, int device)
{
	if (device != DEVICE)
		return FAKE_GPU_INVALID_VALUE;
	fake.contexts++;
	*context = (void *)(uintptr_t)CONTEXT;
	return 0;
}

static int release_context(int device)
{
	if (device != DEVICE || atomic_fetch_sub(&fake.contexts, 1) <= 0)
		fake_gpu_violated("a context that is not retained");
	return 0;
}

static int enter_context(const void *context)
{
	if (context != (const void *)(uintptr_t)CONTEXT || fake.contexts == 0)
		return INVALID_CONTEXT;
	current = CONTEXT;
	return 0;
}

__attribute__((destructor)) static void write_log(void)
{
	const char *path = getenv("NP_FAKE_GPU_LOG");
	FILE *file = path != NULL && fake.process == getpid() ? fopen(path, "ae") : NULL;

	if (file == NULL)
		return;
	fake_gpu_log_left(file);
	fprintf(file, " contexts %d ", fake.contexts);
	fake_gpu_log_copies(file);
	fprintf(file, "\n");
	fclose(file);
}

/* ---- what is exported -------------------------------------------------------------- */

#define EXPORT __attribute__((visibility("default")))

#define ONE(NAME, NEEDS_CONTEXT, PARAMETERS, FUNCTION, ...)                                \
	EXPORT int NAME PARAMETERS;                                                        \
	EXPORT int NAME PARAMETERS                                                         \
	{                                                                                  \
		const int code = enter(#NAME, NEEDS_CONTEXT);                              \
		return code != 0 ? code : FUNCTION(__VA_ARGS__);                           \
	}

/* The same function of both libraries; that of ROCm needs no context. */
#define BOTH(CUDA, ROCM, NEEDS_CONTEXT, ...)                                               \
	ONE(CUDA, NEEDS_CONTEXT, __VA_ARGS__) ONE(ROCM, false, __VA_ARGS__)

// clang-format off
BOTH(cuDeviceGetCount, hipGetDeviceCount, false, (int *count), count_devices, count)
BOTH(cuDeviceGet, hipDeviceGet, false, (int *device, int index), open_device, device, index)
BOTH(cuDeviceGetName, hipDeviceGetName, false, (char *name, int size, int device), name_device, name, size, device)
ONE(cuDevicePrimaryCtxRetain, false, (void **context, int device), retain_context, context, device)
ONE(cuDevicePrimaryCtxRelease_v2, false, (int device), release_context, device)
ONE(cuCtxSetCurrent, false, (const void *context), enter_context, context)
BOTH(cuMemAlloc_v2, hipMalloc, true, (void **address, size_t length), fake_gpu_allocate, address, length)
BOTH(cuMemFree_v2, hipFree, true, (void *address), fake_gpu_free, address)
BOTH(cuMemcpyHtoD_v2, hipMemcpyHtoD, true, (void *to, const void *from, size_t length), fake_gpu_copy_to, to, from, length)
BOTH(cuMemcpyDtoH_v2, hipMemcpyDtoH, true, (void *to, const void *from, size_t length), fake_gpu_copy_from, to, from, length)
BOTH(cuMemcpyDtoD_v2, hipMemcpyDtoD, true, (void *to, const void *from, size_t length), fake_gpu_copy_within, to, from, length)
BOTH(cuCtxSynchronize, hipDeviceSynchronize, true, (void), fake_gpu_wait)
BOTH(cuMemHostRegister_v2, hipHostRegister, true, (void *at, size_t length, unsigned flags), fake_gpu_lock_pages, at, length, flags)
BOTH(cuMemHostUnregister, hipHostUnregister, true, (void *at), fake_gpu_unlock_pages, at)
// clang-format on

EXPORT int cuInit(unsigned flags);
EXPORT int cuInit(unsigned flags)
{
	return init(__func__, flags);
}

EXPORT int hipInit(unsigned flags);
EXPORT int hipInit(unsigned flags)
{
	return init(__func__, flags);
}

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

#ifndef FAKE_GPU_OLD
/* It begins where the range does, of whole pages of the host; type 1 is a dmabuf. */
EXPORT int cuMemGetHandleForAddressRange(void *descriptor, void *at, size_t length,
					 int type, unsigned long long flags);
EXPORT int cuMemGetHandleForAddressRange(void *descriptor, void *at, size_t length,
					 int type, unsigned long long flags)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const int code = enter(__func__, true);
	int opened = -1;
	uint64_t begin;

	if (code != 0 || ((uintptr_t)at | length) % page != 0 || length == 0 || type != 1 ||
	    flags != 0)
		return code != 0 ? code : FAKE_GPU_INVALID_VALUE;
	fake_gpu_open_dmabuf(at, length, &opened, &begin);
	lseek(opened, (off_t)begin, SEEK_SET);
	memcpy(descriptor, &opened, sizeof(opened));
	return 0;
}

/* It begins where the allocation does, and says where the range is. */
EXPORT int hsa_amd_portable_export_dmabuf(const void *at, size_t length, int *descriptor,
					  uint64_t *offset);
EXPORT int hsa_amd_portable_export_dmabuf(const void *at, size_t length, int *descriptor,
					  uint64_t *offset)
{
	const int code = enter(__func__, false);

	return code != 0 ? code : fake_gpu_open_dmabuf(at, length, descriptor, offset);
}
#endif

static const char *name_of(int code)
{
	switch (code) {
	case 2:
		return "ERROR_OUT_OF_MEMORY";
	case 100:
		return "ERROR_NO_DEVICE";
	case INVALID_CONTEXT:
		return "ERROR_INVALID_CONTEXT";
	case 801:
		return "ERROR_NOT_SUPPORTED";
	default:
		return NULL;
	}
}

EXPORT int cuGetErrorName(int code, const char **name);
EXPORT int cuGetErrorName(int code, const char **name)
{
	*name = name_of(code);
	return *name != NULL ? 0 : FAKE_GPU_INVALID_VALUE;
}

EXPORT const char *hipGetErrorName(int code);
EXPORT const char *hipGetErrorName(int code)
{
	return name_of(code);
}
