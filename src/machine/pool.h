/*
 * pool.h - the region that all buffers are cut from: mapped with the pages
 * asked for, faulted in, filled with data that is not constant.
 */
#ifndef NP_POOL_H
#define NP_POOL_H

#include "contract/np_module.h"
#include "plan/options.h"

/*
 * Maps at least `length` bytes; the memory policy of the process decides on
 * which NUMA node.  Every page is touched and written, so that no page fault
 * and no shared zero page is left for a timed loop.  Returns 0, or -errno with
 * a text that names the remedy for huge pages.  region is zeroed first;
 * np_pool_unmap() copes with it whatever happened.
 */
int np_pool_map(struct np_region *region, size_t length, enum np_page_kind pages,
		uint64_t seed, struct np_error *error);

void np_pool_unmap(struct np_region *region);

/* The share of the region that lies in pages of 2 MiB or more: what the kernel says of
 * transparent ones. */
double np_pool_huge_share(const struct np_region *region);

/* Bytes of one page of that kind; transparent huge pages are asked for, not
 * promised, and count as what they replace. */
size_t np_pool_page_size(enum np_page_kind pages);

/* Writes data that is not constant over a range. */
void np_pool_fill(unsigned char *base, size_t length, uint64_t seed);

#endif
