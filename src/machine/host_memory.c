/*
 * host_memory.c - np_host_memory: buffers in memory of this process, and their lines in the
 * CPU cache.
 */
#include "machine/host_memory.h"

#include <errno.h>
#include <limits.h>
#include <linux/mman.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "contract/memory.h"
#include "contract/np_module.h"

/* Smallest cache line of the supported processors. */
enum { LINE = 64 };

void np_cpu_cache_touch(const unsigned char *base, size_t length)
{
	for (size_t at = 0; at < length; at += LINE) {
		__builtin_prefetch(base + at, 1);
		/* A prefetch may be dropped, a load may not. */
		(void)*(volatile const unsigned char *)(base + at);
	}
	/* The last line is beyond the steps above if base is not aligned to a line. */
	if (length != 0)
		(void)*(volatile const unsigned char *)(base + length - 1);
}

#if defined(__x86_64__) || defined(__i386__)
static void flush_line(const unsigned char *line)
{
	__asm__ volatile("clflush %0" : : "m"(*line) : "memory");
}

static void wait_for_flushes(void)
{
	__asm__ volatile("mfence" : : : "memory");
}

bool np_cpu_cache_can_evict(void)
{
	return true;
}
#elif defined(__aarch64__)
static void flush_line(const unsigned char *line)
{
	__asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
}

static void wait_for_flushes(void)
{
	__asm__ volatile("dsb sy" : : : "memory");
}

bool np_cpu_cache_can_evict(void)
{
	return true;
}
#else
static void flush_line(const unsigned char *line)
{
	(void)line;
}

static void wait_for_flushes(void)
{
}

bool np_cpu_cache_can_evict(void)
{
	return false;
}
#endif

void np_cpu_cache_evict(const unsigned char *base, size_t length)
{
	const unsigned char *line = base - (uintptr_t)base % LINE;

	for (; line < base + length; line += LINE)
		flush_line(line);
	wait_for_flushes();
}

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

static bool has_huge_pages(const struct np_region *region)
{
	return region->pages == NP_PAGES_2M || region->pages == NP_PAGES_1G;
}

static int refuse_mapping(struct np_endpoint *ep, const struct np_region *region,
			  size_t length, int code)
{
	const size_t page = region->page_size;

	if (has_huge_pages(region))
		return np_fail(&ep->error, NP_ERROR_FAILED, code,
			       "cannot map %zu huge pages of %zu MiB: %s; reserve them in "
			       "/sys/kernel/mm/hugepages/hugepages-%zukB/nr_hugepages",
			       length / page, page >> 20, strerror(code), page >> 10);
	return np_fail_errno(&ep->error, code, "cannot map %zu MiB of buffers",
			     length >> 20);
}

void np_host_memory_fill(unsigned char *base, size_t length, uint64_t seed)
{
	uint64_t word = seed | 1, bytes;
	size_t at = 0;

	for (; at + sizeof(bytes) <= length; at += sizeof(bytes)) {
		/* Linear congruential generator (Knuth's MMIX constants): fast, and no
		 * two neighbouring words are equal. */
		word = word * 6364136223846793005u + 1442695040888963407u;
		bytes = np_without_mark(word);
		memcpy(base + at, &bytes, sizeof(bytes));
	}
	for (; at < length; at++)
		base[at] = (unsigned char)np_without_mark((at * 37 + seed) & UCHAR_MAX);
}

/*
 * Maps at a multiple of 2 MiB, which is the largest alignment of a buffer and lets a
 * transparent huge page begin there; the excess is unmapped.  The kernel itself aligns
 * hugetlb pages.
 */
static void *map_aligned(const struct np_region *region, size_t length)
{
	const size_t unit = (size_t)2 << 20;
	const bool huge = has_huge_pages(region);
	const size_t slack = huge ? 0 : unit;
	unsigned char *base;

	if (length > SIZE_MAX - slack) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	base = mmap(NULL, length + slack, PROT_READ | PROT_WRITE, mmap_flags(region->pages),
		    -1, 0);
	if (base == MAP_FAILED || huge)
		return base;
	const size_t before = (unit - (uintptr_t)base % unit) % unit;
	if (before != 0)
		munmap(base, before);
	if (slack > before)
		munmap(base + before + length, slack - before);
	return base + before;
}

static void free_region(struct np_endpoint *ep, struct np_region *region)
{
	(void)ep;
	if (region->base != NULL)
		munmap(region->base, region->length);
	region->base = NULL;
}

/* Maps a region and writes every page, so that no page fault and no shared zero page
 * remains for a timed loop. */
static int allocate(struct np_endpoint *ep, struct np_region *region, size_t length,
		    uint64_t key)
{
	const size_t page = region->page_size;

	if (length > SIZE_MAX - page)
		return refuse_mapping(ep, region, length, ENOMEM);
	length = (length + page - 1) & ~(page - 1);

	void *base = map_aligned(region, length);
	if (base == MAP_FAILED)
		return refuse_mapping(ep, region, length, errno);
	region->base = base;
	region->length = length;
	if (region->pages == NP_PAGES_THP)
		madvise(base, length, MADV_HUGEPAGE);
	else if (region->pages == NP_PAGES_4K)
		madvise(base, length, MADV_NOHUGEPAGE);
	/* MADV_POPULATE_WRITE reports a lack of memory as an error; a write would be
	 * killed.  Kernels before 5.14 fault on the writes. */
	if (madvise(base, length, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
		const int code = errno;

		free_region(ep, region);
		return refuse_mapping(ep, region, length, code);
	}
	np_host_memory_fill(region->base, length, key);
	return 0;
}

int np_host_memory_adopt(struct np_region *region, unsigned char *base, size_t length,
			 uint64_t key)
{
	const size_t page = region->page_size, room = NP_HOST_MEMORY_ROOM;

	region->base = base + (room - (uintptr_t)base % room) % room;
	region->length = (length + page - 1) / page * page;
	/* Without enough shared memory, the first access would raise SIGBUS. */
	if (madvise(region->base, region->length, MADV_POPULATE_WRITE) != 0 &&
	    errno != EINVAL)
		return -errno;
	np_host_memory_fill(region->base, region->length, key);
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

double np_host_memory_huge_share(struct np_endpoint *ep, const struct np_region *region)
{
	const uintptr_t begin = (uintptr_t)region->base;

	(void)ep;
	if (has_huge_pages(region))
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

int np_host_memory_copy(struct np_endpoint *ep, void *to, const void *from, size_t length)
{
	(void)ep;
	memcpy(to, from, length);
	return 0;
}

void np_host_memory_touch(struct np_endpoint *ep, const struct np_slot *slot, size_t length)
{
	(void)ep;
	np_cpu_cache_touch(slot->send, length);
	np_cpu_cache_touch(slot->recv, length);
}

void np_host_memory_evict(struct np_endpoint *ep, const struct np_slot *slot, size_t length)
{
	(void)ep;
	np_cpu_cache_evict(slot->send, length);
	np_cpu_cache_evict(slot->recv, length);
}

const struct np_memory_hooks np_host_memory = NP_HOST_MEMORY(allocate, free_region);
