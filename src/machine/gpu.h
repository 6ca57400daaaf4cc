/*
 * gpu.h - a GPU of this host, through its driver's library, CUDA's or ROCm's, loaded for
 * --memory only.
 *
 * A process uses device 0 of those that CUDA_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES
 * leaves.  Contexts do not survive a fork(): the GPU is opened after all processes of a run
 * are started.  All calls come from the thread that opened it.
 */
#pragma once

#include "contract/np_module.h"

/* Functions of either library, with the same parameters in both.  Each returns 0 or a code
 * of the library, and takes a device's address as a pointer, which is passed as CUDA's
 * integer is.  NULL where a library needs no such function. */
struct np_gpu_calls {
	int (*init)(unsigned flags);
	int (*count)(int *devices);
	int (*device)(int *device, int index);
	int (*name)(char *name, int size, int device);
	int (*version)(int *version);
	int (*retain)(void **context, int device);
	int (*enter)(void *context);
	int (*release)(int device);
	int (*allocate)(void **address, size_t length);
	int (*free)(void *address);
	int (*copy[NP_GPU_WAYS])(void *to, const void *from, size_t length);
	int (*wait)(void);
	int (*lock)(void *address, size_t length, unsigned flags);
	int (*unlock)(void *address);
	/* NULL in an older library. */
	int (*cuda_export)(void *descriptor, void *range, size_t length, int type,
			   unsigned long long flags);
	int (*rocm_export)(const void *range, size_t length, int *descriptor,
			   uint64_t *offset);
	int (*cuda_error)(int code, const char **name);
	const char *(*rocm_error)(int code);
};

/* Block of device memory: the pool, or the buffers of the fresh mode. */
struct np_gpu_block {
	void *address; /* address to free; NULL: none */
	const unsigned char *base;
	size_t length;
};

enum { NP_GPU_BLOCKS = 2 };

struct np_gpu {
	enum np_memory_kind kind;
	bool host_send, host_recv; /* as in struct np_request */
	void *library;		   /* handle of dlopen() */
	struct np_gpu_calls calls;
	int device;
	bool entered; /* its context is retained */
	struct np_gpu_block blocks[NP_GPU_BLOCKS];
	/* With host_send or host_recv: twin of the pool, a region in host memory with the
	 * same layout, of which the send or the receive buffers are used. */
	struct np_region twin;
	const unsigned char *twin_of; /* base of the pool in device memory */
	bool twin_locked;	      /* pages of the twin are locked */
};

/* Opens the GPU of a request.  Returns 0 or -errno with a text; the caller calls
 * np_gpu_close(), which accepts NULL, in either case. */
int np_gpu_open(const struct np_request *request, struct np_gpu **gpu,
		struct np_error *error);
void np_gpu_close(struct np_gpu *gpu);

/* Adds facts: name, driver version, and the kind of host buffers. */
void np_gpu_describe(const struct np_gpu *gpu, struct np_facts *facts);

/* Returns the slot with its send or receive buffer replaced by that of the twin, if
 * --memory KIND-SIDE leaves the other side in host memory. */
struct np_slot np_gpu_place(const struct np_gpu *gpu, struct np_slot slot);
