/*
 * capacity_model.h - footprints of buffers, and the miss rate of a capacity at each point
 * of a sweep.
 *
 * Buffers are used in rotation.  A page or registration that is used once in a rotation
 * always misses under LRU if the working set exceeds the capacity; less often under random
 * replacement or in sets.  A page of packed buffers is used several times in a rotation, at
 * random places if the order is random.  Then the least recently used page is often not the
 * next one used: with T pages of which P fit, a use misses with a probability of
 * (1-P/T)^((k-1)/k), where a page has k buffers: 1 for k = 1, 1-P/T for many buffers.
 */
#pragma once

#include "base/facts.h"
#include "questions/capacity.h"

/* Bytes of the pages that CPUs have TLBs for. */
enum { NP_SMALL_PAGE = 4096, NP_LARGE_PAGE = 2 << 20 };

/* Largest ratio of neighbouring numbers of buffers in a sweep: powers of two, and 1.5 times
 * these.  A size counts as reached if the sweep goes on by it. */
#define NP_SWEEP_SPACING 1.5

/* Sets caches, TLBs and page size, from the facts of a host and from --pages (NULL:
 * default). */
void np_capacity_host_read(const struct np_facts *facts, const char *pages,
			   struct np_capacity_host *host);

/* Returns the lines, pages and registrations of one process that rotation through `buffers`
 * buffers touches. */
struct np_footprint np_footprint_of(const struct np_capacity_host *host, enum np_axis axis,
				    uint64_t buffers);

/* Replacement policy: LRU, random, or 8-way set-associative with random set indices. */
enum np_replacement {
	NP_REPLACES_OLDEST,
	NP_REPLACES_ANY,
	NP_REPLACES_IN_SETS,
	NP_REPLACEMENTS
};

/* Miss rate, 0 to 1.  touched: working set, in units; capacity: units that fit; uses: of
 * each unit in one rotation, at random places. */
double np_replacement_misses(enum np_replacement replacement, double capacity,
			     double touched, double uses);

/* Standard deviation of the miss rate of an 8-way set-associative capacity: chance decides
 * which sets overflow. */
double np_replacement_scatter(double capacity, double touched, double uses);

/* Working set of one process in units; uses, misses, and standard deviation of the misses
 * (np_replacement_scatter()), per message.  Uses are relative to a message whose buffers
 * share no unit with others. */
double np_capacity_unit_touched(const struct np_capacity_host *host,
				enum np_capacity_unit unit, enum np_axis axis,
				uint64_t buffers);
double np_capacity_unit_uses(const struct np_capacity_host *host,
			     enum np_capacity_unit unit, enum np_axis axis,
			     uint64_t buffers);
double np_capacity_unit_misses(const struct np_capacity_host *host,
			       enum np_capacity_unit unit, enum np_axis axis,
			       uint64_t buffers, enum np_replacement replacement,
			       double capacity);
double np_capacity_unit_scatter(const struct np_capacity_host *host,
				enum np_capacity_unit unit, enum np_axis axis,
				uint64_t buffers, double capacity);

/* Factor from units to the reported size: bytes of a line for units of lines, else 1. */
double np_capacity_unit_bytes(const struct np_capacity_host *host,
			      enum np_capacity_unit unit);
