/*
 * gpu.c - the library of a GPU: loading, device, copies, errors.
 */
#include "machine/gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Symbols in libcuda; and in libamdhip64, which needs no context, as threads use device 0,
 * or in the HSA library that it loads. */
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

int np_gpu_check(const struct np_gpu *gpu, int code, const char *what,
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
	int rc = np_gpu_check(gpu, calls->init(0), "initialize its driver", error);

	if (rc == 0)
		rc = np_gpu_check(gpu, calls->count(&devices), "count devices", error);
	if (rc == 0 && devices == 0)
		return np_fail(error, NP_ERROR_FAILED, ENODEV,
			       "--memory %s: this host has no such GPU, or hides it",
			       np_memory_words[gpu->kind]);
	if (rc == 0)
		rc = np_gpu_check(gpu, calls->device(&gpu->device, 0), "open its device",
				  error);
	if (rc != 0 || calls->retain == NULL)
		return rc;
	rc = np_gpu_check(gpu, calls->retain(&context, gpu->device), "make a context",
			  error);
	gpu->entered = rc == 0;
	return rc != 0 ?
		       rc :
		       np_gpu_check(gpu, calls->enter(context), "enter its context", error);
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

	return code == 0 ? 0 : np_gpu_check(ep->gpu, code, "copy", &ep->error);
}

int np_gpu_wait(struct np_endpoint *ep)
{
	const int code = ep->gpu->calls.wait();

	return code == 0 ? 0 : np_gpu_check(ep->gpu, code, "complete a copy", &ep->error);
}

int np_gpu_export(struct np_endpoint *ep, void *range, size_t length, uint64_t *offset,
		  struct np_error *error)
{
	static const char what[] = "open a dmabuf of its memory";
	const struct np_gpu_calls *calls = &ep->gpu->calls;
	int descriptor = -1, rc;

	*offset = 0;
	if (calls->cuda_export != NULL)
		rc = np_gpu_check(
			ep->gpu,
			calls->cuda_export(&descriptor, range, length, CUDA_DMABUF, 0),
			what, error);
	else if (calls->rocm_export != NULL)
		rc = np_gpu_check(ep->gpu,
				  calls->rocm_export(range, length, &descriptor, offset),
				  what, error);
	else
		rc = np_fail(error, NP_ERROR_FAILED, EOPNOTSUPP,
			     "--memory %s: its driver is too old to %s",
			     np_memory_words[ep->gpu->kind], what);
	return rc == 0 ? descriptor : rc;
}
