/*
 * mpi_memory.c - the pool as memory of an MPI window.
 *
 * MPI_Win_allocate() is collective; both processes map the pool at the same time.  Such a
 * window exists before reg() and is freed by unreg().  Fresh buffers, and pools of other
 * transfers, are memory of the host.
 */
#include <errno.h>
#include <sys/mman.h>

#include "mpi_private.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* Largest alignment of buffers by the driver, in bytes from the base of the region. */
enum { BASE_ALIGN = 2 << 20 };

static int allocate_window(struct np_mpi *mpi, struct np_region *region, size_t length,
			   uint64_t key)
{
	const size_t page = region->page_size;
	const size_t pages = (length + page - 1) / page * page;
	unsigned char *base = NULL;
	const int rc = np_mpi_check_call(
		mpi, np_mpi_window_make(mpi, pages + BASE_ALIGN, &base, &mpi->win),
		"MPI_Win_allocate");

	if (rc != 0)
		return rc;
	region->base = base + (BASE_ALIGN - (uintptr_t)base % BASE_ALIGN) % BASE_ALIGN;
	region->length = pages;
	/* Without enough shared memory, the first access would raise SIGBUS.  Kernels
	 * before 5.14 return EINVAL. */
	if (madvise(region->base, pages, MADV_POPULATE_WRITE) != 0 && errno != EINVAL)
		return np_fail_errno(&mpi->endpoint.error, errno,
				     "no memory for a window of %zu MiB: a smaller --pool, "
				     "or --rma-window create",
				     pages >> 20);
	np_host_memory_fill(region->base, pages, key);
	return 0;
}

static int allocate(struct np_endpoint *endpoint, struct np_region *region, size_t length,
		    uint64_t key)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	/* Once there is a window, these are fresh buffers. */
	if (np_mpi_window_has_memory(mpi) && mpi->win == MPI_WIN_NULL)
		return allocate_window(mpi, region, length, key);
	return np_host_memory.allocate(endpoint, region, length, key);
}

static bool is_window(struct np_mpi *mpi, const struct np_region *region)
{
	return np_mpi_window_has_memory(mpi) && region->base == mpi->base;
}

static void free_region(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	if (is_window(mpi, region))
		mpi->base = region->base = NULL;
	else
		np_host_memory.free(endpoint, region);
}

const struct np_memory_hooks np_mpi_memory = {
	.loadable = true,
	.allocate = allocate,
	.free = free_region,
	.copy = np_host_memory_copy,
	.touch = np_host_memory_touch,
	.evict = np_host_memory_evict,
	.huge_share = np_host_memory_huge_share,
};
