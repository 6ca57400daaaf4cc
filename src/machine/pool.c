/*
 * pool.c - memory of the buffer pool: mapping, page size, faulting in, filling.
 */
#include "machine/pool.h"

#include <errno.h>
#include <linux/mman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "plan/pages.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

static int mmap_flags(enum np_page_kind pages)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	if (pages == NP_PAGES_2M)
		return flags | MAP_HUGETLB | (int)MAP_HUGE_2MB;
	if (pages == NP_PAGES_1G)
		return flags | MAP_HUGETLB | (int)MAP_HUGE_1GB;
	return flags;
}

static int refuse_mapping(size_t length, enum np_page_kind pages, int code,
			  struct np_error *error)
{
	const size_t page = np_page_size(pages);

	if (pages == NP_PAGES_2M || pages == NP_PAGES_1G)
		return np_fail(error, NP_ERROR_FAILED, code,
			       "cannot map %zu huge pages of %zu MiB: %s; reserve them in "
			       "/sys/kernel/mm/hugepages/hugepages-%zukB/nr_hugepages",
			       length / page, page >> 20, strerror(code), page >> 10);
	return np_fail_errno(error, code, "cannot map %zu MiB of buffers", length >> 20);
}

void np_pool_fill(unsigned char *base, size_t length, uint64_t seed)
{
	uint64_t word = seed | 1;
	size_t at = 0;

	for (; at + sizeof(word) <= length; at += sizeof(word)) {
		/* Linear congruential generator (Knuth's MMIX constants): fast, and no
		 * two neighbouring words are equal. */
		word = word * 6364136223846793005u + 1442695040888963407u;
		memcpy(base + at, &word, sizeof(word));
	}
	for (; at < length; at++)
		base[at] = (unsigned char)(at * 37 + seed);
}

/*
 * Maps at a multiple of 2 MiB, which is the largest alignment of a buffer and lets a
 * transparent huge page begin there; the excess is unmapped.  hugetlb pages are aligned
 * by the kernel.
 */
static void *map_aligned(size_t length, enum np_page_kind pages)
{
	const size_t unit = (size_t)2 << 20;
	const bool huge = pages == NP_PAGES_2M || pages == NP_PAGES_1G;
	const size_t slack = huge ? 0 : unit;
	unsigned char *base;

	if (length > SIZE_MAX - slack) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	base = mmap(NULL, length + slack, PROT_READ | PROT_WRITE, mmap_flags(pages), -1, 0);
	if (base == MAP_FAILED || huge)
		return base;
	const size_t before = (unit - (uintptr_t)base % unit) % unit;
	if (before != 0)
		munmap(base, before);
	if (slack > before)
		munmap(base + before + length, slack - before);
	return base + before;
}

int np_pool_map(struct np_region *region, size_t length, enum np_page_kind pages,
		uint64_t seed, struct np_error *error)
{
	const size_t page = np_page_size(pages);

	*region = (struct np_region){ .page_size = page, .registrations = 1 };
	if (length > SIZE_MAX - page)
		return refuse_mapping(length, pages, ENOMEM, error);
	length = (length + page - 1) & ~(page - 1);

	void *base = map_aligned(length, pages);
	if (base == MAP_FAILED)
		return refuse_mapping(length, pages, errno, error);
	region->base = base;
	region->length = length;
	if (pages == NP_PAGES_THP)
		madvise(base, length, MADV_HUGEPAGE);
	else if (pages == NP_PAGES_4K)
		madvise(base, length, MADV_NOHUGEPAGE);
	/* MADV_POPULATE_WRITE reports a lack of memory as an error; a write would be
	 * killed.  Kernels before 5.14 fault on the writes. */
	if (madvise(base, length, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
		const int code = errno;

		np_pool_unmap(region);
		return refuse_mapping(length, pages, code, error);
	}
	np_pool_fill(region->base, length, seed);
	return 0;
}

/* Sums "AnonHugePages: 2048 kB" of smaps over the mappings that overlap [begin, end). */
static size_t huge_bytes_within(FILE *file, uintptr_t begin, uintptr_t end)
{
	static const char name[] = "AnonHugePages:";
	bool within = false;
	size_t bytes = 0;
	char line[512];

	while (fgets(line, sizeof(line), file) != NULL) {
		char *dash;
		const unsigned long first = strtoul(line, &dash, 16);

		if (dash != line && *dash == '-')
			within = first < end && strtoul(dash + 1, NULL, 16) > begin;
		else if (within && strncmp(line, name, sizeof(name) - 1) == 0)
			bytes += strtoul(line + sizeof(name) - 1, NULL, 10) << 10;
	}
	return bytes;
}

double np_pool_huge_share(const struct np_region *region)
{
	const uintptr_t begin = (uintptr_t)region->base;

	if (region->page_size >= np_page_size(NP_PAGES_2M))
		return 1;
	FILE *file = fopen("/proc/self/smaps", "re");
	if (file == NULL || region->length == 0) {
		if (file != NULL)
			fclose(file);
		return 0;
	}
	const size_t bytes = huge_bytes_within(file, begin, begin + region->length);
	fclose(file);
	return bytes < region->length ? (double)bytes / (double)region->length : 1;
}

void np_pool_unmap(struct np_region *region)
{
	if (region->base != NULL)
		munmap(region->base, region->length);
	*region = (struct np_region){ .base = NULL };
}
