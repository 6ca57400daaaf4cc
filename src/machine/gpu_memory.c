/*
 * gpu_memory.c - np_gpu_memory: buffers, or one side of each pair, in memory of a GPU.
 *
 * The CPU loads from and stores to no address of the device: the library copies the bytes.
 * Where one side is in host memory, the pool has a twin there with the same offsets, of
 * which only that side is used.
 */
#include "machine/gpu_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cpu_cache.h"
#include "machine/gpu.h"

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

/* Copies to the device and waits for completion, so that other engines and adapters read
 * the bytes. */
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
	rc = np_gpu_check(gpu, gpu->calls.lock(gpu->twin.base, gpu->twin.length, 0),
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
	int rc =
		np_gpu_check(gpu, gpu->calls.allocate(&block->address, length + BASE_ALIGN),
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

/* CPU caches have lines of the twin only. */
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
