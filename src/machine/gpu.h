/*
 * gpu.h - a GPU of this host, by its driver's library, which is loaded when it is asked
 * for: CUDA's or ROCm's.
 *
 * A process has device 0 of those that CUDA_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES leaves
 * it.  Contexts do not survive a fork(): it is opened when all processes of a run are
 * there.  All calls come from the thread that opened it.
 */
#pragma once

#include "contract/np_module.h"

/* Functions of either library, alike in both: each returns 0 or its own code, and takes a
 * device's address as a pointer, which goes the same way as CUDA's integer.  NULL where a
 * library needs none. */
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
	/* NULL in a library that is older. */
	int (*cuda_export)(void *descriptor, void *range, size_t length, int type,
			   unsigned long long flags);
	int (*rocm_export)(const void *range, size_t length, int *descriptor,
			   uint64_t *offset);
	int (*cuda_error)(int code, const char **name);
	const char *(*rocm_error)(int code);
};

/* Memory of the device: the pool, and fresh buffers. */
struct np_gpu_block {
	void *address; /* as it is freed; NULL: none */
	const unsigned char *base;
	size_t length;
};

enum { NP_GPU_BLOCKS = 2 };

struct np_gpu {
	enum np_memory_kind kind;
	bool host_send, host_recv; /* as in struct np_request */
	void *library;		   /* of dlopen() */
	struct np_gpu_calls calls;
	int device;
	bool entered; /* its context is retained */
	struct np_gpu_block blocks[NP_GPU_BLOCKS];
	/* With host_send or host_recv, the pool's copy in the host's memory, and whether
	 * its pages are locked. */
	struct np_region twin;
	const unsigned char *twin_of;
	bool twin_locked;
};

/* Opens the GPU of a request.  Returns 0 or -errno with the text, and np_gpu_close() copes
 * with both, and with NULL. */
int np_gpu_open(const struct np_request *request, struct np_gpu **gpu,
		struct np_error *error);
void np_gpu_close(struct np_gpu *gpu);

/* Adds its name, the version of its driver, and how the host's buffers lie. */
void np_gpu_describe(const struct np_gpu *gpu, struct np_facts *facts);

/* Turns a code of a call into a result: 0, or -EIO with "WHAT: the library's name". */
int np_gpu_check(const struct np_gpu *gpu, int code, const char *what,
		 struct np_error *error);
