/*
 * probe.c - probe: pointer chasing through the slots.
 */
#include "machine/probe.h"

#include <string.h>

#include "base/clock.h"

enum {
	WALK_LINES = 50000,	  /* loads of a timed walk: some milliseconds when cold */
	WALKS = 5,		  /* timed walks, of which the fastest counts */
	WARM_CYCLES = 3,	  /* full walks that load the lines into the cache */
	UNKNOWN_CACHE = 512 << 10 /* bytes of the second-level cache if not reported */
};

static const size_t small_page = 4096;

/* A circular list of lines, each with the address of the next in its first bytes. */
struct chain {
	void *first;
	void *last;
	uint64_t lines;
	uint64_t pages; /* number of pages of the buffers; a shared page counts for each */
	size_t line_size;
};

static void append_line(struct chain *chain, unsigned char *line)
{
	void *at = line;

	if (chain->last != NULL)
		memcpy(chain->last, &at, sizeof(at));
	else
		chain->first = at;
	chain->last = at;
	chain->lines++;
}

static void close_chain(struct chain *chain)
{
	if (chain->last != NULL)
		memcpy(chain->last, &chain->first, sizeof(chain->first));
}

/*
 * Appends all lines of a buffer, page by page, the lines of a page in random order: in
 * ascending order the hardware prefetcher would load them first.
 */
static void append_buffer(struct chain *chain, unsigned char *buffer, size_t length)
{
	const uintptr_t mask = ~(uintptr_t)(chain->line_size - 1);
	unsigned char *line = (unsigned char *)((uintptr_t)buffer & mask);
	unsigned char *end = buffer + length;

	while (line < end) {
		const size_t in_page = small_page - (uintptr_t)line % small_page;
		const size_t left = (size_t)(end - line);
		const size_t bytes = left < in_page ? left : in_page;
		const uint64_t lines = (bytes + chain->line_size - 1) / chain->line_size;
		const struct np_order order = np_order_make(lines, chain->pages, true);

		for (uint64_t i = 0; i < lines; i++)
			append_line(chain,
				    line + np_order_at(&order, i) * chain->line_size);
		chain->pages++;
		line += lines * chain->line_size;
	}
}

/* Pointer chase: follows the chain from *at by `loads` loads and leaves *at at its end.
 * Returns nanoseconds a load.  The asm uses the last load's result, so that the compiler
 * keeps the loop. */
static double walk(void **at, uint64_t loads)
{
	void *line = *at;

	if (line == NULL || loads == 0)
		return 0;
	const uint64_t begin = np_clock_ns();
	for (uint64_t i = 0; i < loads; i++)
		memcpy(&line, line, sizeof(void *));
	__asm__ volatile("" : : "r"(line));
	*at = line;
	return (double)(np_clock_ns() - begin) / (double)loads;
}

static double fastest_walk(void **at, uint64_t loads)
{
	double fastest = walk(at, loads);

	for (unsigned i = 1; i < WALKS; i++) {
		const double again = walk(at, loads);

		fastest = again < fastest ? again : fastest;
	}
	return fastest;
}

static double walk_warm(const struct chain *chain)
{
	void *at = chain->first;

	for (unsigned cycle = 0; cycle < WARM_CYCLES; cycle++)
		walk(&at, chain->lines);
	return fastest_walk(&at, chain->lines > WALK_LINES ? chain->lines : WALK_LINES);
}

/* Each walk continues where the previous one ended, so that no walk loads a line that an
 * earlier one has cached, unless the chain is shorter than the walks. */
static double walk_cold(const struct chain *chain)
{
	void *at = chain->first;

	return fastest_walk(&at, chain->lines < WALK_LINES ? chain->lines : WALK_LINES);
}

/* Writes into each line of a buffer, which evicts lines of the chain from the caches. */
static void write_buffer(unsigned char *buffer, size_t length, size_t line_size)
{
	const uintptr_t mask = ~(uintptr_t)(line_size - 1);
	unsigned char *const end = buffer + length;

	for (unsigned char *line = (unsigned char *)((uintptr_t)buffer & mask); line < end;
	     line += line_size)
		*(volatile unsigned char *)line = 0;
}

/* Appends both buffers of the first slot. */
static void append_pair(struct chain *chain, const struct np_layout *layout,
			const struct np_cut *cut, unsigned char *base,
			const struct np_order *order)
{
	const struct np_slot slot =
		np_layout_slot(layout, cut, base, np_order_at(order, 0));

	append_buffer(chain, slot.send, cut->length);
	append_buffer(chain, slot.recv, cut->length);
	close_chain(chain);
}

/*
 * Writes all slots in the order of rotation.  Slots that a cold walk loads are appended to
 * the chain, line by line in random order; the others, which only have to evict these from
 * the caches, are written sequentially, so that a pool of many gigabytes takes seconds.
 */
static void append_rotation(struct chain *chain, const struct np_layout *layout,
			    const struct np_cut *cut, unsigned char *base,
			    const struct np_order *order)
{
	for (uint64_t i = 0; i < cut->slots; i++) {
		const struct np_slot slot =
			np_layout_slot(layout, cut, base, np_order_at(order, i));
		unsigned char *const buffers[2] = {
			layout->rotate != NP_ROTATE_RECV ? slot.send : NULL,
			layout->rotate != NP_ROTATE_SEND ? slot.recv : NULL,
		};

		for (size_t k = 0; k < 2; k++) {
			if (buffers[k] == NULL)
				continue;
			if (chain->lines < (uint64_t)WALKS * WALK_LINES)
				append_buffer(chain, buffers[k], cut->length);
			else
				write_buffer(buffers[k], cut->length, chain->line_size);
		}
	}
	close_chain(chain);
}

/*
 * Cost of a page walk (TLB miss): a walk through `pages` lines, one a page, less one
 * through as many lines packed into few pages.  The lines fill half of the second-level
 * cache, where both are warm; the line's offset within its page varies, or all would
 * map to the same few cache sets.
 */
static double probe_translation(struct np_region *region, size_t line_size,
				size_t inner_cache)
{
	const size_t page = small_page, lines_a_page = page / line_size;
	const uint64_t fit =
		(inner_cache != 0 ? inner_cache : UNKNOWN_CACHE) / 2 / line_size;
	const uint64_t all_pages = region->length / page;
	const uint64_t pages = all_pages < fit ? all_pages : fit;
	const uint64_t packed_pages = (pages + lines_a_page - 1) / lines_a_page;
	const struct np_order order = np_order_make(pages, 1, true);
	struct chain spread = { .line_size = line_size },
		     packed = { .line_size = line_size };

	if (pages < 2 || packed_pages == 0)
		return 0;
	for (uint64_t i = 0; i < pages; i++) {
		const uint64_t at = np_order_at(&order, i);

		append_line(&spread,
			    region->base + at * page + at * 7 % lines_a_page * line_size);
	}
	close_chain(&spread);
	const double with = walk_warm(&spread);
	for (uint64_t i = 0; i < pages; i++)
		append_line(&packed, region->base + np_order_at(&order, i) * line_size);
	close_chain(&packed);
	const double without = walk_warm(&packed);

	return with > without ? with - without : 0;
}

static enum np_coldness find_verdict(const struct np_cold_probe *probe, size_t pair_bytes,
				     const struct np_topology *topology)
{
	const size_t cache_bytes = topology->last_level_cache;
	const size_t line_size = topology->line_size;
	const size_t inner_cache = topology->second_level_cache != 0 ?
					   topology->second_level_cache :
					   UNKNOWN_CACHE;

	if (probe->lines < 4 * cache_bytes / line_size)
		return NP_COLD_FEW_LINES;
	/* Two processes on one host share the last-level cache, and each has a pair. */
	if (cache_bytes != 0 && pair_bytes > cache_bytes / 4)
		return NP_COLD_BOTH;
	/* A pair larger than half of the second-level cache is slow to load when warm. */
	const double factor = pair_bytes > inner_cache / 2 ? 3 : 10;
	return probe->cache_ns >= factor * probe->reuse_ns ? NP_COLD : NP_COLD_NOT;
}

static void set_times(struct np_cold_probe *probe, const struct np_load_times *times)
{
	probe->reuse_ns = times->reuse_ns;
	probe->rotate_ns = times->rotate_ns;
	probe->translation_ns = times->translation_ns < times->rotate_ns ?
					times->translation_ns :
					times->rotate_ns;
	probe->cache_ns = probe->rotate_ns - probe->translation_ns;
}

void np_probe_judge(struct np_cold_probe *probe, const struct np_load_times *times,
		    const struct np_cut *cut, const struct np_topology *topology)
{
	set_times(probe, times);
	probe->verdict = find_verdict(probe, 2 * cut->length, topology);
}

struct np_cold_probe np_probe_cold(const struct np_layout *layout, const struct np_cut *cut,
				   struct np_region *region, const struct np_order *order,
				   const struct np_topology *topology)
{
	const size_t line_size = topology->line_size;
	struct np_cold_probe probe = { .lines = np_layout_lines(layout, cut, line_size) };
	struct chain all = { .line_size = line_size }, one = { .line_size = line_size };

	if (cut->length == 0)
		return probe;
	const double miss_ns =
		probe_translation(region, line_size, topology->second_level_cache);

	struct np_load_times times = { .reuse_ns = 0 };

	append_pair(&one, layout, cut, region->base, order);
	times.reuse_ns = walk_warm(&one);

	/* The chain was written first and its begin is least recently used: not cached. */
	append_rotation(&all, layout, cut, region->base, order);
	times.rotate_ns = walk_cold(&all);
	/* A page of a buffer costs one page walk, however many of its lines follow. */
	times.translation_ns = miss_ns * (double)all.pages / (double)all.lines;
	set_times(&probe, &times);
	probe.verdict = find_verdict(&probe, one.lines * line_size, topology);
	return probe;
}
