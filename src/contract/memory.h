/*
 * memory.h - buffers, and the optional table of a transport whose buffers do not lie in
 * the host's memory.
 *
 * The driver computes addresses within a region and passes them to hooks; it reads,
 * writes and warms the bytes there through this table alone.  np_host_memory is the
 * table of every transport that has none of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct np_endpoint;
struct np_error;
struct np_gpu;

/* --memory: where buffers lie. */
enum np_memory_kind { NP_MEMORY_HOST, NP_MEMORY_CUDA, NP_MEMORY_ROCM };

/*
 * The value that no byte of a message has.  A receiver that polls the last byte of its
 * buffer writes the mark there, and waits until it is another one: every message shows.
 */
enum { NP_MARK = 0x9d };

/* The word with another value in each byte that is the mark: bit 5 differs. */
static inline uint64_t np_without_mark(uint64_t word)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	const uint64_t other = word ^ NP_MARK * UINT64_C(0x0101010101010101);
	/* The highest bit of each byte of `other` that is 0. */
	const uint64_t equal = ~(((other & low) + low) | other | low);

	return word ^ equal >> 2;
}

/* --pages; NP_PAGES_THP: small pages that the kernel may merge into huge ones. */
enum np_page_kind { NP_PAGES_4K, NP_PAGES_2M, NP_PAGES_1G, NP_PAGES_THP };

/*
 * One buffer pair.  Both pointers lie inside the region, at the alignment and
 * offset that the user asked for; those of a side that request.host_send or .host_recv
 * names lie in memory of the host, as far from its begin.  slots[k].recv lies at the same
 * distance from region->base in both processes, so a one-sided module finds the peer's slot
 * from the peer's base and its own slot.
 */
struct np_slot {
	unsigned char *send;
	unsigned char *recv;
};

/*
 * The memory that all slots of a pass are cut from.  The driver allocates and frees
 * it.  It is registered as `registrations` parts of part_size bytes from base on; what
 * lies beyond them is not used.  No buffer, nor the room beside it, crosses the border
 * of a part, and both processes cut alike.
 */
struct np_region {
	unsigned char *base;
	size_t length; /* bytes */
	enum np_page_kind pages;
	size_t page_size;     /* bytes; of pages */
	size_t registrations; /* >= 1 */
	size_t part_size;     /* bytes, a multiple of page_size; length if there is one */
	uint64_t key;	      /* that its contents are drawn from; another each time */
};

struct np_memory_hooks {
	/* The CPU loads from addresses within a region: it is memory of this process. */
	bool loadable;
	/* Sets base and length of a region: at least `length` bytes, a whole number of
	 * pages of page_size, all present, their contents not constant, drawn from
	 * `key`, and without NP_MARK.  Base and length are 0 before.  Called for the region
	 * of a pass, before reg(), and for the buffers of a block in the fresh mode. */
	int (*allocate)(struct np_endpoint *, struct np_region *, size_t length,
			uint64_t key);
	/* Accepts a region that allocate() failed to make. */
	void (*free)(struct np_endpoint *, struct np_region *);
	/* May be NULL if check() refuses -i.  Copies between a region and the process's
	 * own memory: one of `to` and `from` lies in each. */
	int (*copy)(struct np_endpoint *, void *to, const void *from, size_t length);
	/* Loads the bytes of a slot into the CPU cache. */
	void (*touch)(struct np_endpoint *, const struct np_slot *, size_t length);
	/* Evicts the bytes of a slot from the CPU cache. */
	void (*evict)(struct np_endpoint *, const struct np_slot *, size_t length);
	/* May be NULL: all pages are of the size asked for.  Returns the share (0 to 1)
	 * of the region that lies in pages of 2 MiB or more. */
	double (*huge_share)(struct np_endpoint *, const struct np_region *);
};

/* Ways of a copy to, from and within memory of a GPU. */
enum np_gpu_way { NP_GPU_TO, NP_GPU_FROM, NP_GPU_WITHIN, NP_GPU_WAYS };

/* The way from the send to the receive buffers of an endpoint that has a GPU. */
enum np_gpu_way np_gpu_way_of(const struct np_endpoint *);

/* Copies between buffers of these kinds, by the library of the GPU.  The first two ways
 * return when the copy is complete, as the buffers of the host are page-locked; a copy
 * within the GPU is complete after np_gpu_wait().  0 or -errno, with the error. */
int np_gpu_copy(struct np_endpoint *, enum np_gpu_way, void *to, const void *from,
		size_t length);
int np_gpu_wait(struct np_endpoint *);

/* Memory of the endpoint's GPU. */
extern const struct np_memory_hooks np_gpu_memory;

/* Opens a dmabuf, by which other devices reach memory of the GPU, of a range of whole pages
 * of the host.  Returns its descriptor, and at which of its bytes the range begins, or
 * -errno with the text in the error that it is given. */
int np_gpu_export(struct np_endpoint *, void *range, size_t length, uint64_t *offset,
		  struct np_error *);

/* Memory of this process, on the NUMA node of its memory policy. */
extern const struct np_memory_hooks np_host_memory;

/* Entries of that table, for one with another allocate() and free(). */
int np_host_memory_copy(struct np_endpoint *, void *to, const void *from, size_t length);
void np_host_memory_touch(struct np_endpoint *, const struct np_slot *, size_t length);
void np_host_memory_evict(struct np_endpoint *, const struct np_slot *, size_t length);
double np_host_memory_huge_share(struct np_endpoint *, const struct np_region *);

/* Fills memory of this process as allocate() has to. */
void np_host_memory_fill(unsigned char *base, size_t length, uint64_t key);
