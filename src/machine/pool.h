/*
 * pool.h - memory of the buffer pool: mapping, page size, faulting in, filling.
 */
#ifndef NP_POOL_H
#define NP_POOL_H

#include "contract/np_module.h"
#include "plan/options.h"

/*
 * Maps at least `length` bytes on the NUMA node of the process's memory policy.  Every
 * page is written, so that no page fault and no shared zero page remains for a timed
 * loop.  Returns 0, or -errno with a text that names the remedy for huge pages.  region
 * is zeroed first; np_pool_unmap() accepts it in any case.
 */
int np_pool_map(struct np_region *region, size_t length, enum np_page_kind pages,
		uint64_t seed, struct np_error *error);

void np_pool_unmap(struct np_region *region);

/* Share (0 to 1) of the region in pages of 2 MiB or more; for transparent huge pages
 * from /proc/self/smaps. */
double np_pool_huge_share(const struct np_region *region);

/* Fills a range with pseudo-random data. */
void np_pool_fill(unsigned char *base, size_t length, uint64_t seed);

#endif
