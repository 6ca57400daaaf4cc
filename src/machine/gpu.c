/*
 * gpu.c - the library of a GPU: loading, device, copies, errors; np_gpu_memory: buffers, or
 * one side of each pair, in memory of a GPU.
 *
 * The CPU loads from and stores to no address of the device: the library copies the bytes.
 * Where one side is in host memory, the pool has a twin there with the same offsets, of
 * which only that side is used.
 */
#include "machine/gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/host_memory.h"
#include "plan/options.h"

/* Names by preference; only the development files of ROCm have the name without a number.
 */
static const char *const libraries[][5] = {
	[NP_MEMORY_CUDA] = { "libcuda.so.1" },
	[NP_MEMORY_ROCM] = { "libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
			     "libamdhip64.so.5" },
};

/* Handle type of cuMemGetHandleForAddressRange(); first code of HSA, whose codes HIP does
 * not name. */
enum { CUDA_DMABUF = 1, HSA_CODES = 0x1000 };

#define AT(member) offsetof(struct np_gpu_calls, member)

/* Symbols in libcuda, and in libamdhip64 or the HSA library that it loads.  NULL: not
 * needed; HIP needs no context, as threads use device 0. */
static const struct {
	size_t at;
	const char *names[3];
	bool is_new; /* may be missing: older libraries lack it */
} functions[] = {
	{ AT(init), { [NP_MEMORY_CUDA] = "cuInit", "hipInit" } },
	{ AT(count), { [NP_MEMORY_CUDA] = "cuDeviceGetCount", "hipGetDeviceCount" } },
	{ AT(device), { [NP_MEMORY_CUDA] = "cuDeviceGet", "hipDeviceGet" } },
	{ AT(name), { [NP_MEMORY_CUDA] = "cuDeviceGetName", "hipDeviceGetName" } },
	{ AT(version), { [NP_MEMORY_CUDA] = "cuDriverGetVersion", "hipDriverGetVersion" } },
	{ AT(retain), { [NP_MEMORY_CUDA] = "cuDevicePrimaryCtxRetain", NULL } },
	{ AT(enter), { [NP_MEMORY_CUDA] = "cuCtxSetCurrent", NULL } },
	{ AT(release), { [NP_MEMORY_CUDA] = "cuDevicePrimaryCtxRelease_v2", NULL } },
	{ AT(allocate), { [NP_MEMORY_CUDA] = "cuMemAlloc_v2", "hipMalloc" } },
	{ AT(free), { [NP_MEMORY_CUDA] = "cuMemFree_v2", "hipFree" } },
	{ AT(copy[NP_GPU_TO]), { [NP_MEMORY_CUDA] = "cuMemcpyHtoD_v2", "hipMemcpyHtoD" } },
	{ AT(copy[NP_GPU_FROM]),
	  { [NP_MEMORY_CUDA] = "cuMemcpyDtoH_v2", "hipMemcpyDtoH" } },
	{ AT(copy[NP_GPU_WITHIN]),
	  { [NP_MEMORY_CUDA] = "cuMemcpyDtoD_v2", "hipMemcpyDtoD" } },
	{ AT(wait), { [NP_MEMORY_CUDA] = "cuCtxSynchronize", "hipDeviceSynchronize" } },
	{ AT(lock), { [NP_MEMORY_CUDA] = "cuMemHostRegister_v2", "hipHostRegister" } },
	{ AT(unlock), { [NP_MEMORY_CUDA] = "cuMemHostUnregister", "hipHostUnregister" } },
	{ AT(cuda_export),
	  { [NP_MEMORY_CUDA] = "cuMemGetHandleForAddressRange", NULL },
	  .is_new = true },
	{ AT(rocm_export),
	  { [NP_MEMORY_CUDA] = NULL, "hsa_amd_portable_export_dmabuf" },
	  .is_new = true },
	{ AT(cuda_error), { [NP_MEMORY_CUDA] = "cuGetErrorName", NULL } },
	{ AT(rocm_error), { [NP_MEMORY_CUDA] = NULL, "hipGetErrorName" } },
};

/* Converts a code of the library: returns 0, or -EIO with "cannot WHAT: name of the code".
 */
static int check(const struct np_gpu *gpu, int code, const char *what,
		 struct np_error *error)
{
	const char *name = NULL;

	if (code == 0)
		return 0;
	if (gpu->calls.cuda_error != NULL && gpu->calls.cuda_error(code, &name) != 0)
		name = NULL;
	if (gpu->calls.rocm_error != NULL && code < HSA_CODES)
		name = gpu->calls.rocm_error(code);
	if (name != NULL)
		return np_fail(error, NP_ERROR_FAILED, EIO, "--memory %s: cannot %s: %s",
			       np_memory_words[gpu->kind], what, name);
	return np_fail(error, NP_ERROR_FAILED, EIO, "--memory %s: cannot %s: error %d",
		       np_memory_words[gpu->kind], what, code);
}

static bool load(struct np_gpu *gpu, struct np_error *error)
{
	const char *const *name = libraries[gpu->kind];

	for (; *name != NULL && gpu->library == NULL; name++)
		gpu->library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
	if (gpu->library == NULL) {
		np_fail(error, NP_ERROR_FAILED, ENODEV,
			"--memory %s: there is no driver of such a GPU: %s",
			np_memory_words[gpu->kind], dlerror());
		return false;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		const char *symbol = functions[i].names[gpu->kind];
		void *function = symbol != NULL ? dlsym(gpu->library, symbol) : NULL;

		if (symbol != NULL && function == NULL && !functions[i].is_new) {
			np_fail(error, NP_ERROR_FAILED, ENODEV, "--memory %s: %s lacks %s",
				np_memory_words[gpu->kind], name[-1], symbol);
			return false;
		}
		memcpy((char *)&gpu->calls + functions[i].at, &function, sizeof(function));
	}
	return true;
}

/* Initializes the driver and enters device 0, in the primary context, which other libraries
 * of the process use, too. */
static int enter(struct np_gpu *gpu, struct np_error *error)
{
	const struct np_gpu_calls *calls = &gpu->calls;
	void *context = NULL;
	int devices = 0;
	int rc = check(gpu, calls->init(0), "initialize its driver", error);

	if (rc == 0)
		rc = check(gpu, calls->count(&devices), "count devices", error);
	if (rc == 0 && devices == 0)
		return np_fail(error, NP_ERROR_FAILED, ENODEV,
			       "--memory %s: this host has no such GPU, or hides it",
			       np_memory_words[gpu->kind]);
	if (rc == 0)
		rc = check(gpu, calls->device(&gpu->device, 0), "open its device", error);
	if (rc != 0 || calls->retain == NULL)
		return rc;
	rc = check(gpu, calls->retain(&context, gpu->device), "make a context", error);
	gpu->entered = rc == 0;
	return rc != 0 ? rc : check(gpu, calls->enter(context), "enter its context", error);
}

int np_gpu_open(const struct np_request *request, struct np_gpu **result,
		struct np_error *error)
{
	struct np_gpu *gpu = calloc(1, sizeof(*gpu));

	*result = gpu;
	if (gpu == NULL)
		return np_fail_errno(error, ENOMEM, "cannot open a GPU");
	gpu->kind = request->memory;
	gpu->host_send = request->host_send;
	gpu->host_recv = request->host_recv;
	return load(gpu, error) ? enter(gpu, error) : error->code;
}

/* Keeps the library loaded: its threads may still run. */
void np_gpu_close(struct np_gpu *gpu)
{
	if (gpu != NULL && gpu->entered)
		gpu->calls.release(gpu->device);
	free(gpu);
}

void np_gpu_describe(const struct np_gpu *gpu, struct np_facts *facts)
{
	char name[128] = "";
	int version = 0;

	if (gpu->calls.name(name, (int)sizeof(name), gpu->device) == 0)
		np_facts_add(facts, "gpu", "%s", name);
	if (gpu->calls.version(&version) == 0)
		np_facts_add(facts, "gpu_driver", "%s %d", np_memory_words[gpu->kind],
			     version);
	if (gpu->host_send || gpu->host_recv)
		np_facts_add(facts, "host_buffers", "page-locked");
}

enum np_gpu_way np_gpu_way_of(const struct np_endpoint *ep)
{
	if (ep->gpu->host_send)
		return NP_GPU_TO;
	return ep->gpu->host_recv ? NP_GPU_FROM : NP_GPU_WITHIN;
}

int np_gpu_copy(struct np_endpoint *ep, enum np_gpu_way way, void *to, const void *from,
		size_t length)
{
	const int code = ep->gpu->calls.copy[way](to, from, length);

	return code == 0 ? 0 : check(ep->gpu, code, "copy", &ep->error);
}

int np_gpu_wait(struct np_endpoint *ep)
{
	const int code = ep->gpu->calls.wait();

	return code == 0 ? 0 : check(ep->gpu, code, "complete a copy", &ep->error);
}

int np_gpu_export(struct np_endpoint *ep, void *range, size_t length, uint64_t *offset,
		  struct np_error *error)
{
	static const char what[] = "open a dmabuf of its memory";
	const struct np_gpu_calls *calls = &ep->gpu->calls;
	int descriptor = -1, rc;

	*offset = 0;
	if (calls->cuda_export != NULL)
		rc = check(ep->gpu,
			   calls->cuda_export(&descriptor, range, length, CUDA_DMABUF, 0),
			   what, error);
	else if (calls->rocm_export != NULL)
		rc = check(ep->gpu, calls->rocm_export(range, length, &descriptor, offset),
			   what, error);
	else
		rc = np_fail(error, NP_ERROR_FAILED, EOPNOTSUPP,
			     "--memory %s: its driver is too old to %s",
			     np_memory_words[ep->gpu->kind], what);
	return rc == 0 ? descriptor : rc;
}

enum {
	BASE_ALIGN = 2 << 20, /* largest alignment of a buffer, bytes */
	PIECE = 1 << 20
};

static bool is_within(const unsigned char *base, size_t length, const void *at)
{
	return base != NULL && (uintptr_t)at >= (uintptr_t)base &&
	       (uintptr_t)at - (uintptr_t)base < length;
}

static bool is_in_twin(const struct np_gpu *gpu, const void *at)
{
	return is_within(gpu->twin.base, gpu->twin.length, at);
}

/* Copies to the device and waits for completion: only then do its other engines, and
 * adapters, read the new bytes. */
static int write_device(struct np_endpoint *ep, void *to, const void *from, size_t length)
{
	const int rc = np_gpu_copy(ep, NP_GPU_TO, to, from, length);

	return rc != 0 ? rc : np_gpu_wait(ep);
}

static int fill(struct np_endpoint *ep, struct np_region *region, uint64_t key)
{
	unsigned char *piece = malloc(PIECE);
	int rc = piece != NULL ? 0 :
				 np_fail_errno(&ep->error, ENOMEM, "cannot fill buffers");

	for (size_t at = 0; at < region->length && rc == 0; at += PIECE) {
		const size_t left = region->length - at;
		const size_t length = left < PIECE ? left : PIECE;

		np_host_memory_fill(piece, length, key + at);
		rc = write_device(ep, region->base + at, piece, length);
	}
	free(piece);
	return rc;
}

static int allocate_twin(struct np_endpoint *ep, const struct np_region *region,
			 uint64_t key)
{
	struct np_gpu *gpu = ep->gpu;

	gpu->twin = (struct np_region){ .pages = region->pages,
					.page_size = region->page_size };
	int rc = np_host_memory.allocate(ep, &gpu->twin, region->length, key);
	if (rc != 0)
		return rc;
	gpu->twin_of = region->base;
	rc = check(gpu, gpu->calls.lock(gpu->twin.base, gpu->twin.length, 0),
		   "lock pages of the host's buffers", &ep->error);
	gpu->twin_locked = rc == 0;
	return rc;
}

static struct np_gpu_block *find_block(struct np_gpu *gpu, const unsigned char *base)
{
	for (size_t i = 0; i < NP_GPU_BLOCKS; i++) {
		if (gpu->blocks[i].base == base)
			return &gpu->blocks[i];
	}
	return NULL;
}

static int allocate(struct np_endpoint *ep, struct np_region *region, size_t length,
		    uint64_t key)
{
	struct np_gpu *gpu = ep->gpu;
	struct np_gpu_block *block = find_block(gpu, NULL);
	const size_t page = region->page_size;

	if (block == NULL || length > SIZE_MAX - page - BASE_ALIGN)
		return np_fail_errno(&ep->error, ENOMEM, "cannot map memory of a GPU");
	length = (length + page - 1) / page * page;
	int rc = check(gpu, gpu->calls.allocate(&block->address, length + BASE_ALIGN),
		       "allocate memory of it", &ep->error);
	if (rc != 0)
		return rc;
	region->base = (unsigned char *)block->address +
		       (BASE_ALIGN - (uintptr_t)block->address % BASE_ALIGN) % BASE_ALIGN;
	region->length = block->length = length;
	block->base = region->base;
	rc = fill(ep, region, key);
	if (rc == 0 && (gpu->host_send || gpu->host_recv))
		rc = allocate_twin(ep, region, key);
	return rc;
}

static void free_region(struct np_endpoint *ep, struct np_region *region)
{
	struct np_gpu *gpu = ep->gpu;
	struct np_gpu_block *block =
		region->base != NULL ? find_block(gpu, region->base) : NULL;

	if (block == NULL)
		return;
	if (gpu->twin_of == block->base) {
		if (gpu->twin_locked)
			gpu->calls.unlock(gpu->twin.base);
		np_host_memory.free(ep, &gpu->twin);
		gpu->twin_of = NULL;
		gpu->twin_locked = false;
	}
	gpu->calls.free(block->address);
	*block = (struct np_gpu_block){ .address = NULL };
	region->base = NULL;
}

static bool is_on_device(const struct np_gpu *gpu, const void *at)
{
	bool found = false;

	for (size_t i = 0; i < NP_GPU_BLOCKS; i++)
		found |= is_within(gpu->blocks[i].base, gpu->blocks[i].length, at);
	return found;
}

static int copy(struct np_endpoint *ep, void *to, const void *from, size_t length)
{
	if (is_on_device(ep->gpu, to))
		return write_device(ep, to, from, length);
	if (is_on_device(ep->gpu, from))
		return np_gpu_copy(ep, NP_GPU_FROM, to, from, length);
	memcpy(to, from, length);
	return 0;
}

/* Device memory has no lines in CPU caches: only buffers in the twin are touched. */
static void touch(struct np_endpoint *ep, const struct np_slot *slot, size_t length)
{
	if (is_in_twin(ep->gpu, slot->send))
		np_cpu_cache_touch(slot->send, length);
	if (is_in_twin(ep->gpu, slot->recv))
		np_cpu_cache_touch(slot->recv, length);
}

static void evict(struct np_endpoint *ep, const struct np_slot *slot, size_t length)
{
	if (is_in_twin(ep->gpu, slot->send))
		np_cpu_cache_evict(slot->send, length);
	if (is_in_twin(ep->gpu, slot->recv))
		np_cpu_cache_evict(slot->recv, length);
}

const struct np_memory_hooks np_gpu_memory = {
	.allocate = allocate,
	.free = free_region,
	.copy = copy,
	.touch = touch,
	.evict = evict,
};

struct np_slot np_gpu_place(const struct np_gpu *gpu, struct np_slot slot)
{
	if (gpu->host_send)
		slot.send = gpu->twin.base + (slot.send - gpu->twin_of);
	if (gpu->host_recv)
		slot.recv = gpu->twin.base + (slot.recv - gpu->twin_of);
	return slot;
}
