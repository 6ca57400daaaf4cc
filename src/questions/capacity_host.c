/*
 * capacity_host.c - what so many buffers are in lines, pages and registrations, and
 * which sizes of the machine they could outgrow.
 */
#include "questions/capacity_host.h"

#include <stdio.h>
#include <string.h>

enum { SMALL_PAGE = 4096, LARGE_PAGE = 2 << 20 };

unsigned np_capacity_sides(enum np_operation operation, const char *name)
{
	if (operation == NP_PINGPONG || operation == NP_BIDIRECTIONAL)
		return 2;
	return operation == NP_ONE_SIDED && strcmp(name, "memcpy") == 0 ? 2 : 1;
}

static uint64_t in_units(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) / unit;
}

static uint64_t line_of(const struct np_capacity_host *host)
{
	return host->line != 0 ? host->line : 64;
}

/* Bytes from one buffer to the next of the same side. */
static uint64_t stride_of(const struct np_capacity_host *host, enum np_axis axis,
			  uint64_t line)
{
	const uint64_t unit = axis == NP_AXIS_LINES	  ? line :
			      axis == NP_AXIS_LARGE_PAGES ? LARGE_PAGE :
							    SMALL_PAGE;

	return in_units(host->length, unit) * unit;
}

/* Registrations that the buffers lie in, of those the pool is split into.  Each holds whole
 * pairs of packed buffers, its receive half at the begin of a page (layout.c); a buffer of
 * another axis lies several packed buffers further on. */
static uint64_t registrations_of(const struct np_capacity_host *host, enum np_axis axis,
				 uint64_t buffers, uint64_t stride)
{
	const uint64_t page = host->page != 0 ? host->page : SMALL_PAGE;
	const uint64_t packed = stride_of(host, NP_AXIS_LINES, line_of(host));

	if (axis == NP_AXIS_REGISTRATIONS)
		return buffers;
	if (host->regions <= 1 || packed == 0 || host->pool / host->regions < page)
		return 1;
	const uint64_t part = host->pool / host->regions / page * page;
	const uint64_t held = (part - (page - 1)) / (2 * packed);
	const uint64_t parts =
		held == 0 ? host->regions : in_units(buffers * (stride / packed), held);
	return parts < host->regions ? parts : host->regions;
}

struct np_footprint np_footprint_of(const struct np_capacity_host *host, enum np_axis axis,
				    uint64_t buffers)
{
	const uint64_t line = line_of(host);
	const uint64_t page = host->page != 0 ? host->page : SMALL_PAGE;
	const uint64_t stride = stride_of(host, axis, line);
	const uint64_t pairs = axis == NP_AXIS_QUEUE_PAIRS ? buffers : 1;

	buffers /= pairs;
	const uint64_t lines = buffers * in_units(host->length, line) * host->sides;

	return (struct np_footprint){
		.lines = lines,
		.bytes = lines * line,
		.pages = host->sides * (stride >= page ?
						buffers * in_units(host->length, page) :
						in_units(buffers * stride, page)),
		.registrations = registrations_of(host, axis, buffers, stride),
		.queue_pairs = pairs
	};
}

/* Files are untrusted: ignore numbers that no machine has. */
static size_t number_of(const struct np_facts *facts, const char *name)
{
	const uint64_t number = np_facts_number(facts, name);

	return number < 1ull << 48 ? (size_t)number : 0;
}

void np_capacity_host_read(const struct np_facts *facts, const char *pages,
			   struct np_capacity_host *host)
{
	host->page = pages == NULL || strcmp(pages, "4k") == 0 ? SMALL_PAGE :
		     strcmp(pages, "1g") == 0		       ? 1 << 30 :
								 LARGE_PAGE;
	host->line = number_of(facts, "cache_line_bytes");
	host->caches[0] = number_of(facts, "cache_l1d_bytes");
	host->caches[1] = number_of(facts, "cache_l2_bytes");
	host->caches[2] = number_of(facts, "cache_last_level_bytes");
	host->tlb.level1_4k = number_of(facts, "tlb_l1_entries");
	host->tlb.level2_4k = number_of(facts, "tlb_l2_entries");
	host->tlb.level1_2m = number_of(facts, "tlb_l1_2m_entries");
	host->tlb.level2_2m = number_of(facts, "tlb_l2_2m_entries");
}

/* Adds a size: each buffer of a process occupies `unit` of it; `ends` processes share it.
 */
static void expect(struct np_capacity *capacity, const char *name, enum np_axis axis,
		   bool is_translation, size_t size, uint64_t unit, unsigned ends)
{
	/* Files are untrusted: avoid overflow and division by 0. */
	if (size == 0 || capacity->axes[axis].counts == 0 || unit > UINT64_MAX / ends ||
	    unit < capacity->host.sides)
		return;
	struct np_expected *expected = &capacity->expected[capacity->expected_count++];

	*expected = (struct np_expected){ .axis = axis,
					  .is_translation = is_translation,
					  .size = size,
					  .from = size / (unit * ends),
					  .to = size / (unit / capacity->host.sides) };
	snprintf(expected->name, sizeof(expected->name), "%s", name);
}

void np_capacity_expect(struct np_capacity *capacity)
{
	const struct np_capacity_host *host = &capacity->host;
	const bool small = host->page <= SMALL_PAGE;
	const enum np_axis apart = small ? NP_AXIS_PAGES : NP_AXIS_LARGE_PAGES;
	/* Buffers of whole pages have their own pages on any axis. */
	const enum np_axis axis =
		capacity->axes[apart].counts == 0 && host->length >= host->page ?
			NP_AXIS_LINES :
			apart;
	const struct np_footprint one = np_footprint_of(host, axis, 1);
	const size_t *caches = host->caches;

	expect(capacity, "first-level cache", NP_AXIS_LINES, false, caches[0], one.bytes,
	       1);
	if (caches[1] != caches[2])
		expect(capacity, "second-level cache", NP_AXIS_LINES, false, caches[1],
		       one.bytes, 1);
	expect(capacity, "last-level cache", NP_AXIS_LINES, false, caches[2], one.bytes,
	       host->share_cache ? 2 : 1);
	expect(capacity, "first-level TLB", axis, true,
	       small ? host->tlb.level1_4k : host->tlb.level1_2m, one.pages, 1);
	expect(capacity, "second-level TLB", axis, true,
	       small ? host->tlb.level2_4k : host->tlb.level2_2m, one.pages, 1);
}
