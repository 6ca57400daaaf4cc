/*
 * memory.h - buffers, and the optional table of a transport with buffers outside the host's
 * memory.
 *
 * The driver computes addresses within a region and passes them to hooks; it reads, writes
 * and warms the bytes there through this table alone.  Transports without a table have
 * np_host_memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct np_endpoint;
struct np_error;
struct np_gpu;

/* Kind of memory of the buffers: --memory. */
enum np_memory_kind { NP_MEMORY_HOST, NP_MEMORY_CUDA, NP_MEMORY_ROCM };

/*
 * Value that no byte of a message has.  A receiver that polls the last byte of its buffer
 * stores the mark there, and waits for another value.
 */
enum { NP_MARK = 0x9d };

/* Replaces each byte of the word that equals the mark: its bit 5 is inverted. */
static inline uint64_t np_without_mark(uint64_t word)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	const uint64_t other = word ^ NP_MARK * UINT64_C(0x0101010101010101);
	/* Bit 7 of each byte of `other` that is 0. */
	const uint64_t equal = ~(((other & low) + low) | other | low);

	return word ^ equal >> 2;
}

/* Page sizes of --pages.  NP_PAGES_THP: small pages that the kernel may merge into huge
 * ones. */
enum np_page_kind { NP_PAGES_4K, NP_PAGES_2M, NP_PAGES_1G, NP_PAGES_THP };

/*
 * Buffer pair.  Both pointers lie inside the region, at the alignment and offset of the
 * options.  A side that request.host_send or .host_recv names lies in host memory, at the
 * same offset.  slots[k].recv has the same offset from region->base in both processes, so
 * that a one-sided module computes the peer's slot from the peer's base and its own slot.
 */
struct np_slot {
	unsigned char *send;
	unsigned char *recv;
};

/*
 * Memory of all slots of a pass, allocated and freed by the driver.  The module registers
 * `registrations` parts of part_size bytes from base on; the bytes behind them are unused.
 * No buffer, with the room beside it, crosses the border of a part.  Both processes have
 * the same layout.
 */
struct np_region {
	unsigned char *base;
	size_t length; /* bytes */
	enum np_page_kind pages;
	size_t page_size;     /* bytes of a page of that kind */
	size_t registrations; /* >= 1 */
	size_t part_size;     /* bytes, a multiple of page_size; length if there is one */
	uint64_t key;	      /* seed of its contents; differs between mappings */
};

struct np_memory_hooks {
	/* Regions are memory of this process: the CPU loads from them. */
	bool loadable;
	/* Allocates a region and sets its base and length, which are 0 before: at least
	 * `length` bytes, a whole number of pages of page_size, all present, with
	 * contents drawn from `key`, not constant, and without NP_MARK.  Called for the
	 * region of a pass, before reg(), and for the buffers of a block in the fresh
	 * mode. */
	int (*allocate)(struct np_endpoint *, struct np_region *, size_t length,
			uint64_t key);
	/* Frees a region.  Accepts one for which allocate() failed. */
	void (*free)(struct np_endpoint *, struct np_region *);
	/* May be NULL if check() refuses -i.  Copies between a region and memory of the
	 * process: one of `to` and `from` lies in each. */
	int (*copy)(struct np_endpoint *, void *to, const void *from, size_t length);
	/* Loads the bytes of a slot into the CPU cache. */
	void (*touch)(struct np_endpoint *, const struct np_slot *, size_t length);
	/* Evicts the bytes of a slot from the CPU cache. */
	void (*evict)(struct np_endpoint *, const struct np_slot *, size_t length);
	/* May be NULL: all pages have the requested size.  Returns the share (0 to 1) of
	 * the region in pages of 2 MiB or more. */
	double (*huge_share)(struct np_endpoint *, const struct np_region *);
};

/* Directions of a copy: to, from and within memory of a GPU. */
enum np_gpu_way { NP_GPU_TO, NP_GPU_FROM, NP_GPU_WITHIN, NP_GPU_WAYS };

/* Returns the direction from send to receive buffers of an endpoint that has a GPU. */
enum np_gpu_way np_gpu_way_of(const struct np_endpoint *);

/* Copies between buffers by the library of the GPU.  NP_GPU_TO and NP_GPU_FROM return
 * after completion, as the buffers of the host are page-locked; NP_GPU_WITHIN is
 * complete after np_gpu_wait().  Returns 0 or -errno with ep->error. */
int np_gpu_copy(struct np_endpoint *, enum np_gpu_way, void *to, const void *from,
		size_t length);
int np_gpu_wait(struct np_endpoint *);

/* Memory of the endpoint's GPU. */
extern const struct np_memory_hooks np_gpu_memory;

/* Opens a dmabuf of a range of whole pages of GPU memory, for access by other devices.
 * Returns its descriptor and the offset of the range in it, or -errno with the text in
 * the given error. */
int np_gpu_export(struct np_endpoint *, void *range, size_t length, uint64_t *offset,
		  struct np_error *);

/* Memory of this process, on the NUMA nodes of its memory policy. */
extern const struct np_memory_hooks np_host_memory;

/* Entries of np_host_memory, and a table with another allocate() and free(). */
int np_host_memory_copy(struct np_endpoint *, void *to, const void *from, size_t length);
void np_host_memory_touch(struct np_endpoint *, const struct np_slot *, size_t length);
void np_host_memory_evict(struct np_endpoint *, const struct np_slot *, size_t length);
double np_host_memory_huge_share(struct np_endpoint *, const struct np_region *);
#define NP_HOST_MEMORY(allocating, freeing)                                                \
	{                                                                                  \
		.loadable = true, .allocate = (allocating), .free = (freeing),             \
		.copy = np_host_memory_copy, .touch = np_host_memory_touch,                \
		.evict = np_host_memory_evict, .huge_share = np_host_memory_huge_share,    \
	}

/* Makes memory of this process that a library has allocated, NP_HOST_MEMORY_ROOM bytes more
 * than the pages of `length` bytes, a region: aligned, present and filled.  Returns 0, or
 * -errno without a text. */
enum { NP_HOST_MEMORY_ROOM = 2 << 20 };
int np_host_memory_adopt(struct np_region *, unsigned char *base, size_t length,
			 uint64_t key);

/* Fills memory of this process with the contents that allocate() requires. */
void np_host_memory_fill(unsigned char *base, size_t length, uint64_t key);
